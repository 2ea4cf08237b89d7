// Time of draws and dot products at the sizes of the saturation study: 256 queries, 64 keys, d = 512; nothing is
// asserted. The yardstick of the normals is Box and Muller's transformation written plainly with the C library.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "../src/kernels/dot.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"

namespace {

namespace jax = attn::random::jax;
namespace torch = attn::random::torch;

constexpr std::size_t dimension = 512;
constexpr std::size_t keys = 64;
constexpr std::size_t block = keys * dimension;  // the keys of one query: 128 KiB

void count(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
}

void bits(benchmark::State& state) {
  std::vector<std::uint32_t> out(block);
  for (auto _ : state) {
    jax::bits(jax::key(0), 0, out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, block);
}

void uniform(benchmark::State& state) {
  std::vector<float> out(block);
  for (auto _ : state) {
    jax::uniform(jax::key(0), 0, out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, block);
}

void normal(benchmark::State& state) {
  std::vector<float> out(block);
  for (auto _ : state) {
    jax::normal(jax::key(0), 0, out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, block);
}

void torch_rand(benchmark::State& state) {
  std::vector<float> out(block);
  torch::Generator generator(0);
  for (auto _ : state) {
    generator.rand(out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, block);
}

void torch_randn(benchmark::State& state) {
  std::vector<float> out(block);
  torch::Generator generator(0);
  for (auto _ : state) {
    generator.randn(out);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, block);
}

// Marsaglia's xorshift of 32 bits, "Xorshift RNGs", J. Stat. Software 8(14), 2003: cheaper than either generator.
std::uint32_t xorshift(std::uint32_t& x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

// In T, with std::log, std::cos and std::sin of T.
template <class T>
void plain_box_muller(benchmark::State& state) {
  constexpr T two_pi = static_cast<T>(6.283185307179586476925286766559);
  std::vector<float> out(block);
  std::uint32_t word = 1;
  const auto uniform = [&word] { return static_cast<T>(xorshift(word) >> 8) * static_cast<T>(0x1p-24); };
  for (auto _ : state) {
    for (std::size_t i = 0; i < block; i += 2) {
      const T radius = std::sqrt(-2 * std::log(1 - uniform()));
      const T angle = two_pi * uniform();
      out[i] = static_cast<float>(radius * std::cos(angle));
      out[i + 1] = static_cast<float>(radius * std::sin(angle));
    }
    benchmark::DoNotOptimize(out.data());
  }
  count(state, block);
}

void dots(benchmark::State& state) {
  std::vector<float> values(block);
  jax::normal(jax::key(0), 0, values);
  std::vector<double> scores(keys);
  for (auto _ : state) {
    attn::kernels::dots(values.data(), values.data(), keys, dimension, scores.data());
    benchmark::DoNotOptimize(scores.data());
  }
  count(state, block);
}

BENCHMARK(bits);
BENCHMARK(uniform);
BENCHMARK(normal);
BENCHMARK(torch_rand);
BENCHMARK(torch_randn);
BENCHMARK(plain_box_muller<float>);
BENCHMARK(plain_box_muller<double>);
BENCHMARK(dots);

}  // namespace

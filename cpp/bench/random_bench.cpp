// Time of draws and dot products at the sizes of the saturation study: 256 queries, 64 keys, d = 512; nothing is
// asserted.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "../src/kernels/dot.hpp"
#include "attn/random/jax.hpp"

namespace {

namespace jax = attn::random::jax;

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
BENCHMARK(dots);

}  // namespace

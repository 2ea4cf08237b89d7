// Masked softmax alone, (4, 512, 512), and additive scores, batch 4, 512 x 512, h = 64: the fast kernels against plain loops and the C
// library's tanh, as workloads d1 and e of `npm run bench`. Outputs are compared with double before they are timed; a wrong one is
// marked. Nothing is asserted.   attn_bench --benchmark_filter='(softmax|additive)/'
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "attn/fast_additive.hpp"
#include "attn/fast_softmax.hpp"
#include "attn/random/torch.hpp"
#include "attn/softmax.hpp"
#include "peers.hpp"

namespace {

using attn::Tensor;
using attn::view_of;

constexpr std::size_t batch = 4, size = 512, hidden = 64;

template <std::size_t N>
Tensor<float, N> normals(std::uint64_t seed, std::array<std::size_t, N> shape) {
  auto made = Tensor<float, N>::from_shape(shape);
  attn::random::torch::Generator(seed).randn({made.data(), made.size()});
  return made;
}

bool right(benchmark::State& state, const float* output, const std::vector<double>& expected, double allowed) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) worst = std::max(worst, std::fabs(static_cast<double>(output[i]) - expected[i]));
  state.counters["max_error"] = worst;
  if (worst <= allowed) return true;
  state.SkipWithError(std::string("wrong by ").append(std::to_string(worst)).c_str());
  return false;
}

struct Softmax {
  Tensor<float, 4> scores = normals<4>(7, {batch, 1, size, size}), weights = scores;
  std::vector<double> expected;

  Softmax() : expected(scores.size()) {
    for (std::size_t row = 0; row < batch * size; ++row) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) sum += expected[row * size + j] = std::exp(static_cast<double>(scores.data()[row * size + j]));
      for (std::size_t j = 0; j < size; ++j) expected[row * size + j] /= sum;
    }
  }
};

template <class Run>
void softmax(benchmark::State& state, Run run) {
  static Softmax softmax;
  softmax.weights = softmax.scores;
  run(softmax);
  if (!right(state, softmax.weights.data(), softmax.expected, 1e-6)) return;
  for (auto _ : state) {
    run(softmax);
    benchmark::DoNotOptimize(softmax.weights.data());
  }
}

void softmax_fast(benchmark::State& state) {
  softmax(state, [](Softmax& all) { benchmark::DoNotOptimize(attn::fast_masked_softmax_into(view_of(std::as_const(all.scores)), {}, view_of(all.weights)).has_value()); });
}

void softmax_loops(benchmark::State& state) {
  softmax(state, [](Softmax& all) {
    std::copy(all.scores.begin(), all.scores.end(), all.weights.begin());
    for (std::size_t row = 0; row < batch * size; ++row) bench::softmax_row(all.weights.data() + row * size, size, size);
  });
}

struct Additive {
  Tensor<float, 3> queries = normals<3>(8, {batch, size, hidden}), keys = normals<3>(9, {batch, size, hidden});
  Tensor<float, 1> w = normals<1>(10, {hidden});
  Tensor<float, 3> scores = Tensor<float, 3>::from_shape({batch, size, size});
  std::vector<double> expected;

  Additive() : expected(batch * size * size) {
    each<double>(expected.data(), [](double x) { return std::tanh(x); });
  }

  template <class T, class Tanh>
  void each(T* to, Tanh tanh) const {
    for (std::size_t row = 0; row < batch * size; ++row) {
      for (std::size_t j = 0; j < size; ++j) {
        T score = 0;
        for (std::size_t i = 0; i < hidden; ++i) {
          score += static_cast<T>(w.data()[i]) * tanh(static_cast<T>(queries.data()[row * hidden + i]) + static_cast<T>(keys.data()[(row / size * size + j) * hidden + i]));
        }
        *to++ = score;
      }
    }
  }
};

template <class Run>
void additive(benchmark::State& state, Run run) {
  static Additive additive;
  run(additive);
  if (!right(state, additive.scores.data(), additive.expected, 2e-5)) return;
  for (auto _ : state) {
    run(additive);
    benchmark::DoNotOptimize(additive.scores.data());
  }
}

void additive_fast(benchmark::State& state) {
  additive(state, [](Additive& all) {
    benchmark::DoNotOptimize(attn::fast_additive_scores_into(view_of(std::as_const(all.queries)), view_of(std::as_const(all.keys)), view_of(std::as_const(all.w)), view_of(all.scores)).has_value());
  });
}

void additive_loops(benchmark::State& state) {
  additive(state, [](Additive& all) { all.each<float>(all.scores.data(), [](float x) { return std::tanh(x); }); });
}

BENCHMARK(softmax_fast)->Name("softmax/d1/fast")->Unit(benchmark::kMillisecond);
BENCHMARK(softmax_loops)->Name("softmax/d1/loops")->Unit(benchmark::kMillisecond);
BENCHMARK(additive_fast)->Name("additive/e/fast")->Unit(benchmark::kMillisecond);
BENCHMARK(additive_loops)->Name("additive/e/loops")->Unit(benchmark::kMillisecond);

}  // namespace

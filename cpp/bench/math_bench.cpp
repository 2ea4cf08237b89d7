// Time of one call of the elementary functions, beside the C library's; no result is asserted.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "attn/math.hpp"
#include "attn/random/jax.hpp"

namespace {

namespace math = attn::math;

// Arguments on [low, high), the same for every function of a range.
std::vector<double> arguments(double low, double high) {
  std::vector<float> uniform(4096);
  attn::random::jax::uniform(attn::random::jax::key(1), 0, uniform);
  std::vector<double> out;
  for (const float u : uniform) out.push_back(low + (high - low) * static_cast<double>(u));
  return out;
}

void run(benchmark::State& state, double (*function)(double), double low, double high) {
  const std::vector<double> xs = arguments(low, high);
  for (auto _ : state) {
    double sum = 0;
    for (const double x : xs) sum += function(x);
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(xs.size()));
}

double libm_exp(double x) { return std::exp(x); }
double libm_log(double x) { return std::log(x); }
double libm_sin(double x) { return std::sin(x); }

BENCHMARK_CAPTURE(run, exp, math::exp, -30.0, 0.0);
BENCHMARK_CAPTURE(run, exp_of_libm, libm_exp, -30.0, 0.0);
BENCHMARK_CAPTURE(run, expm1, math::expm1, -1.0, 1.0);
BENCHMARK_CAPTURE(run, log, math::log, 1e-6, 1.0);
BENCHMARK_CAPTURE(run, log_of_libm, libm_log, 1e-6, 1.0);
BENCHMARK_CAPTURE(run, log1p, math::log1p, -0.999, 1.0);
BENCHMARK_CAPTURE(run, sin, math::sin, -100.0, 100.0);
BENCHMARK_CAPTURE(run, sin_of_libm, libm_sin, -100.0, 100.0);
BENCHMARK_CAPTURE(run, sin_of_huge, math::sin, 1e100, 1e101);
BENCHMARK_CAPTURE(run, cos, math::cos, -100.0, 100.0);
BENCHMARK_CAPTURE(run, tanh, math::tanh, -5.0, 5.0);

}  // namespace

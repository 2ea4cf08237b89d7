// Attention forward, one thread: the fused kernel, its form with weights and its gradient, against OpenBLAS, Eigen and plain loops at the
// sizes of the workloads of `npm run bench`. Every output is compared with one in double before it is timed, and a wrong one is marked
// instead. Counters: multiply-adds that the mask leaves, in GFLOP/s, and the largest error. Nothing is asserted.
//   attn_bench --benchmark_filter=attention --benchmark_enable_random_interleaving=true --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "attn/fused_gradient.hpp"
#include "attn/fused_weights.hpp"
#include "attn/random/torch.hpp"
#include "peers.hpp"

namespace {

using Four = attn::Tensor<float, 4>;

/// What no form may be off by: the bound of attn/fused.hpp at these sizes, and that of sums of 1024 floats in a row.
constexpr double allowed = 5e-6;

struct Workload {
  std::string name;
  std::string mask;  ///< as an expression; the same as `work` says in numbers
  bench::Attention work;
  Four queries, keys, values;
  std::vector<double> expected;
  double flops = 0;

  Workload(std::string called, std::string expression, bench::Attention sizes)
      : name(std::move(called)), mask(std::move(expression)), work(std::move(sizes)),
        queries(Four::from_shape({work.batch, work.heads, work.n, work.d})), keys(Four::from_shape({work.batch, work.heads, work.m, work.d})),
        values(Four::from_shape({work.batch, work.heads, work.m, work.v})) {
    attn::random::torch::Generator generator(6);
    for (Four* tensor : {&queries, &keys, &values}) generator.randn({tensor->data(), tensor->size()});
    work.queries = queries.data();
    work.keys = keys.data();
    work.values = values.data();
    in_double();
  }

  void in_double() {
    expected.assign(work.batch * work.heads * work.n * work.v, 0.0);
    std::vector<double> weights(work.m);
    for (std::size_t row = 0; row < work.batch * work.heads * work.n; ++row) {
      const std::size_t head = row / work.n;
      const std::size_t open = work.keys_of(head / work.heads, row % work.n);
      flops += 2.0 * static_cast<double>(open * (work.d + work.v));
      double largest = -INFINITY;
      for (std::size_t j = 0; j < open; ++j) {
        double score = 0;
        for (std::size_t c = 0; c < work.d; ++c) score += static_cast<double>(work.queries[row * work.d + c]) * static_cast<double>(work.keys[(head * work.m + j) * work.d + c]);
        weights[j] = score / std::sqrt(static_cast<double>(work.d));
        largest = std::max(largest, weights[j]);
      }
      double sum = 0;
      for (std::size_t j = 0; j < open; ++j) sum += weights[j] = std::exp(weights[j] - largest);
      for (std::size_t j = 0; j < open; ++j) {
        for (std::size_t c = 0; c < work.v; ++c) expected[row * work.v + c] += weights[j] / sum * static_cast<double>(work.values[(head * work.m + j) * work.v + c]);
      }
    }
  }

  /// Marks a wrong output; else notes its error.
  bool right(benchmark::State& state, const float* output) const {
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double error = std::fabs(static_cast<double>(output[i]) - expected[i]);
      worst = error <= worst ? worst : std::isnan(error) ? INFINITY : error;
    }
    state.counters["max_error"] = worst;
    if (worst <= allowed) return true;
    state.SkipWithError(std::string("wrong by ").append(std::to_string(worst)).c_str());
    return false;
  }

  [[nodiscard]] attn::BoundMask bound() const { return attn::BoundMask::make(attn::parse_mask(mask).value(), {work.batch, work.heads, work.n, work.m}).value(); }

  void rate(benchmark::State& state, double share) const {
    state.counters["GFLOP/s"] = benchmark::Counter(flops * share * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  }
};

bench::Attention sizes(std::size_t batch, std::size_t heads, std::size_t n, std::size_t d, bool causal, std::vector<std::size_t> lengths) {
  return {batch, heads, n, n, d, d, causal, std::move(lengths), nullptr, nullptr, nullptr};
}

/// Made when first asked for, so that a filter pays for what it runs alone.
const Workload& workload(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Workload>> made;
  auto& one = made[name];
  if (one) return *one;
  const char* lengths = "padding(512,384,256,128)";
  if (name == "a1") one = std::make_unique<Workload>(name, "all", sizes(4, 1, 512, 64, false, {}));
  if (name == "a") one = std::make_unique<Workload>(name, lengths, sizes(4, 1, 512, 64, false, {512, 384, 256, 128}));
  if (name == "b1") one = std::make_unique<Workload>(name, "all", sizes(4, 1, 512, 256, false, {}));
  if (name == "b") one = std::make_unique<Workload>(name, lengths, sizes(4, 1, 512, 256, false, {512, 384, 256, 128}));
  if (name == "c") one = std::make_unique<Workload>(name, "causal", sizes(1, 8, 1024, 64, true, {}));
  return *one;
}

void by_peer(benchmark::State& state, const std::string& name, const bench::Peer& peer) {
  const Workload& w = workload(name);
  std::vector<float> scores(w.work.n * w.work.m), output(w.expected.size());
  peer.run(w.work, scores.data(), output.data());
  if (!w.right(state, output.data())) return;
  for (auto _ : state) {
    peer.run(w.work, scores.data(), output.data());
    benchmark::DoNotOptimize(output.data());
  }
  w.rate(state, 1);
}

void fused(benchmark::State& state, const std::string& name) {
  const Workload& w = workload(name);
  const attn::BoundMask mask = w.bound();
  Four output = Four::from_shape({w.work.batch, w.work.heads, w.work.n, w.work.v});
  const auto run = [&] { return attn::fused_attention_into(attn::view_of(w.queries), attn::view_of(w.keys), attn::view_of(w.values), mask, {}, attn::view_of(output), nullptr).ok(); };
  if (!run() || !w.right(state, output.data())) return;
  for (auto _ : state) benchmark::DoNotOptimize(run());
  w.rate(state, 1);
}

void fused_weights(benchmark::State& state, const std::string& name) {
  const Workload& w = workload(name);
  const attn::BoundMask mask = w.bound();
  Four output = Four::from_shape({w.work.batch, w.work.heads, w.work.n, w.work.v}), weights = Four::from_shape({w.work.batch, w.work.heads, w.work.n, w.work.m});
  const auto run = [&] {
    return attn::fused_weights_into(attn::view_of(w.queries), attn::view_of(w.keys), attn::view_of(w.values), mask, {}, attn::view_of(output), attn::view_of(weights), nullptr).ok();
  };
  if (!run() || !w.right(state, output.data())) return;
  for (auto _ : state) benchmark::DoNotOptimize(run());
  w.rate(state, 1);
}

/// Five products instead of two.
void fused_gradient(benchmark::State& state, const std::string& name) {
  const Workload& w = workload(name);
  const attn::BoundMask mask = w.bound();
  const auto forward = attn::fused_attention(w.queries, w.keys, w.values, mask).value();
  if (!w.right(state, forward.output.data())) return;
  Four queries = w.queries, keys = w.keys, values = w.values;
  for (auto _ : state) {
    const auto tiles = attn::fused_gradient_into({attn::view_of(w.queries), attn::view_of(w.keys), attn::view_of(w.values)}, {attn::view_of(forward.output), attn::view_of(forward.log_normalizer)},
                                                 attn::view_of(forward.output), mask, {attn::view_of(queries), attn::view_of(keys), attn::view_of(values)});
    benchmark::DoNotOptimize(tiles.ok());
  }
  w.rate(state, 2.5);
}

const bool registered = [] {
  std::fprintf(stderr, "attention: %s; fused by %s\n", bench::about_peers().c_str(), std::string(attn::fused_instructions()).c_str());
  for (const char* const name : {"a1", "a", "b1", "b", "c"}) {
    const std::string work = name;
    const std::string prefix = "attention/" + work;
    const auto add = [&](const std::string& form, auto run) { benchmark::RegisterBenchmark((prefix + "/" + form).c_str(), run)->Unit(benchmark::kMillisecond); };
    add("fused", [work](benchmark::State& state) { fused(state, work); });
    for (const bench::Peer& peer : bench::peers()) add(peer.name, [work, &peer](benchmark::State& state) { by_peer(state, work, peer); });
    add("fused_weights", [work](benchmark::State& state) { fused_weights(state, work); });
    add("fused_gradient", [work](benchmark::State& state) { fused_gradient(state, work); });
  }
  return true;
}();

}  // namespace

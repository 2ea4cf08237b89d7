// The saturation experiment: draws, scores, softmax, and the means over queries. See attention.hpp.
// All arithmetic after the float draws is double, in a fixed order, so that every target gives the same bits.
#include "attn/attention.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "attn/entropy.hpp"
#include "attn/random/jax.hpp"
#include "attn/softmax.hpp"
#include "attn/tensor.hpp"
#include "attn/text.hpp"
#include "kernels/dot.hpp"

namespace attn {
namespace {

constexpr std::size_t largest_size = 65536;

std::optional<Error> check(const AttentionStatsOptions& options) {
  const auto range = [](const char* name, std::size_t value, std::size_t least) -> std::optional<Error> {
    if (value >= least && value <= largest_size) return std::nullopt;
    return Error{ErrorCode::out_of_range, name,
                 std::string(name) + " is " + std::to_string(value) + "; allowed are integers from " +
                     std::to_string(least) + " to " + std::to_string(largest_size)};
  };
  if (auto error = range("d", options.d, 1)) return error;
  if (auto error = range("num_keys", options.num_keys, 2)) return error;
  if (auto error = range("num_queries", options.num_queries, 2)) return error;
  const std::array<std::size_t, 3> shape{options.num_queries, options.num_keys, options.d};
  if (!checked_elements("keys", shape, sizeof(float))) {
    const double needed = static_cast<double>(options.num_queries) * static_cast<double>(options.num_keys) * static_cast<double>(options.d);
    return Error{ErrorCode::too_large, "num_queries",
                 "num_queries is " + std::to_string(options.num_queries) + ", num_keys " + std::to_string(options.num_keys) + " and d " + std::to_string(options.d) +
                     ": every query has keys of its own, " + number_text(needed) + " numbers in all; allowed are " + std::to_string(max_tensor_bytes / sizeof(float))};
  }
  return std::nullopt;
}

/// Mean and standard error of values that arrive one by one; the values are kept, so the second pass is exact in order.
class Sample {
 public:
  explicit Sample(std::size_t count) { values_.reserve(count); }
  void add(double value) { values_.push_back(value); }
  [[nodiscard]] Estimate estimate() const {
    const auto count = static_cast<double>(values_.size());
    double mean = 0;
    for (const double value : values_) mean += value;
    mean /= count;
    return {mean, std::sqrt(score_variance(values_) / count)};
  }

 private:
  std::vector<double> values_;
};

/// Scores of one query over its keys, unscaled, into `scores`.
void query_scores(const AttentionStatsOptions& options, std::size_t query, DrawCache& cache, std::span<double> scores) {
  const std::size_t d = options.d;
  const std::size_t row = options.num_keys * d;
  const auto q = cache.elements(options.seed, 0, query * d, d, options.num_queries * d);
  const auto keys = cache.elements(options.seed, 1, query * row, row, options.num_queries * row);
  kernels::dots(q.data(), keys.data(), options.num_keys, d, scores.data());
}

struct Samples {
  explicit Samples(std::size_t count) : entropy(count), norm(count), variance(count), largest(count) {}
  Sample entropy, norm, variance, largest;

  void add(std::span<const double> scores, std::span<double> weights) {
    softmax_row(scores, weights);
    entropy.add(attn::entropy(std::span<const double>(weights)));
    norm.add(jacobian_norm(weights));
    variance.add(score_variance(scores));
    largest.add(*std::max_element(weights.begin(), weights.end()));
  }
  [[nodiscard]] AttentionStats stats() const {
    return {entropy.estimate(), norm.estimate(), variance.estimate(), largest.estimate()};
  }
};

}  // namespace

std::span<const float> DrawCache::elements(std::uint64_t seed, std::size_t which, std::size_t first, std::size_t count,
                                           std::size_t total) {
  if (seed_ != seed) {
    for (auto& buffer : kept_) buffer.clear();
    seed_ = seed;
    keys_ = random::jax::split(random::jax::key(seed), 2);
  }
  if (total > capacity) {
    passing_[which].resize(count);
    random::jax::normal(keys_[which], first, passing_[which]);
    return passing_[which];
  }
  auto& buffer = kept_[which];
  if (buffer.size() < total) {
    const std::size_t known = buffer.size();
    buffer.resize(total);
    random::jax::normal(keys_[which], known, std::span(buffer).subspan(known));
  }
  return std::span<const float>(buffer).subspan(first, count);
}

Result<std::array<AttentionStats, 2>> attention_stats_pair(const AttentionStatsOptions& options, DrawCache& cache) {
  if (auto error = check(options)) return *std::move(error);
  std::array<Samples, 2> samples{Samples(options.num_queries), Samples(options.num_queries)};
  std::vector<double> scores(options.num_keys);
  std::vector<double> weights(options.num_keys);
  const double root = std::sqrt(static_cast<double>(options.d));
  for (std::size_t query = 0; query < options.num_queries; ++query) {
    query_scores(options, query, cache, scores);
    samples[0].add(scores, weights);
    for (double& score : scores) score /= root;
    samples[1].add(scores, weights);
  }
  return std::array<AttentionStats, 2>{samples[0].stats(), samples[1].stats()};
}

Result<AttentionStats> attention_stats(const AttentionStatsOptions& options, DrawCache& cache) {
  const auto pair = attention_stats_pair(options, cache);
  if (!pair) return pair.error();
  return pair.value()[options.scaled ? 1 : 0];
}

Result<AttentionStats> attention_stats(const AttentionStatsOptions& options) {
  DrawCache cache;
  return attention_stats(options, cache);
}

Result<AttentionStats> attention_stats(const AttentionStatsOptions& options, random::torch::Generator& generator) {
  if (auto error = check(options)) return *std::move(error);
  const std::size_t d = options.d;
  std::vector<float> queries(options.num_queries * d);
  std::vector<float> keys(queries.size() * options.num_keys);
  generator.randn(queries);
  generator.randn(keys);
  Samples samples(options.num_queries);
  std::vector<double> scores(options.num_keys);
  std::vector<double> weights(options.num_keys);
  for (std::size_t query = 0; query < options.num_queries; ++query) {
    kernels::dots(queries.data() + query * d, keys.data() + query * options.num_keys * d, options.num_keys, d, scores.data());
    if (options.scaled) {
      for (double& score : scores) score /= std::sqrt(static_cast<double>(d));
    }
    samples.add(scores, weights);
  }
  return samples.stats();
}

Result<std::vector<double>> first_draw_scores_torch(const AttentionStatsOptions& options) {
  if (auto error = check(options)) return *std::move(error);
  const std::size_t d = options.d;
  const std::size_t row = options.num_keys * d;
  const std::size_t total = options.num_queries * row;
  random::torch::Generator generator(options.seed);
  std::vector<float> queries(options.num_queries * d);
  generator.randn(queries);
  // Normals come in whole blocks from the front; only the last 16 of an array depend on its length. A prefix that stays clear
  // of them is the same as the front of the whole array.
  constexpr std::size_t block = 16;
  const std::size_t prefix = (row + block - 1) / block * block;
  std::vector<float> keys(prefix + block <= total ? prefix : total);
  generator.randn(keys);
  std::vector<double> scores(options.num_keys);
  kernels::dots(queries.data(), keys.data(), options.num_keys, d, scores.data());
  return scores;
}

Result<std::vector<double>> draw_scores(const AttentionStatsOptions& options, std::size_t query, DrawCache& cache) {
  if (auto error = check(options)) return *std::move(error);
  if (query >= options.num_queries) {
    return Error{ErrorCode::out_of_range, "query",
                 "query is " + std::to_string(query) + "; allowed are integers from 0 to " +
                     std::to_string(options.num_queries - 1)};
  }
  std::vector<double> scores(options.num_keys);
  query_scores(options, query, cache, scores);
  return scores;
}

}  // namespace attn

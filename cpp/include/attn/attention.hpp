// The saturation experiment of the textbook: random queries and keys with standard normal entries, attention over the keys,
// and what the 1/sqrt(d) factor does to the weights. Not an attention layer. scores_ij = q_i . k_ij [/ sqrt(d)].
// Each query has keys of its own. JAX's draws: key(seed) is split in two; queries = normal(first, (queries, d)),
// keys = normal(second, (queries, keys, d)); scaled and unscaled share their draws. PyTorch's: a generator that goes on from
// call to call; queries = randn(queries, d), then keys = randn(queries, keys, d); every call has draws of its own.
// Source: Dive into Deep Learning, section 10.2.1.1 (attention_stats).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "attn/error.hpp"
#include "attn/random/threefry.hpp"
#include "attn/random/torch.hpp"

namespace attn {

/// A mean over queries and its standard error (sample standard deviation / sqrt(queries)).
struct Estimate {
  double mean = 0;
  double standard_error = 0;
};

struct AttentionStats {
  Estimate entropy;         ///< of the weights, nats
  Estimate jacobian_norm;   ///< Frobenius norm of the softmax Jacobian
  Estimate score_variance;  ///< sample variance of a query's scores over its keys
  Estimate largest_weight;  ///< the largest weight of a row
};

struct AttentionStatsOptions {
  std::size_t d = 0;              ///< width of queries and keys, 1..65536
  std::size_t num_keys = 64;      ///< keys a query, 2..65536
  std::size_t num_queries = 256;  ///< queries, 2..65536 (a standard error needs two)
  bool scaled = true;             ///< divide the scores by sqrt(d)
  std::uint64_t seed = 0;
};

/// Draws kept between calls. Element i of JAX's normal array depends on i alone, so the draws of a smaller d are a prefix
/// of those of a larger one: one buffer serves every width. A cache changes speed, never a result.
class DrawCache {
 public:
  /// Floats kept at most (64 MiB); longer arrays are generated row by row.
  static constexpr std::size_t capacity = std::size_t{1} << 24;

  /// Elements [first, first + count) of the queries' (which = 0) or keys' (which = 1) normal array for `seed`.
  /// Valid until the next call. `total` is the length of the whole array, which decides whether it is worth keeping.
  std::span<const float> elements(std::uint64_t seed, std::size_t which, std::size_t first, std::size_t count,
                                  std::size_t total);

 private:
  std::optional<std::uint64_t> seed_;
  std::vector<random::Key> keys_;  ///< of the queries and of the keys, split from key(seed)
  std::array<std::vector<float>, 2> kept_;
  std::array<std::vector<float>, 2> passing_;
};

/// Entropy, Jacobian norm, score variance and largest weight, each a mean over the queries with its standard error.
/// Errors: out_of_range naming the option, too_large when queries * keys * d elements would not fit.
[[nodiscard]] Result<AttentionStats> attention_stats(const AttentionStatsOptions& options);
[[nodiscard]] Result<AttentionStats> attention_stats(const AttentionStatsOptions& options, DrawCache& cache);

/// Both forms from one pass over the same draws: [0] unscaled, [1] scaled. `options.scaled` is not read.
[[nodiscard]] Result<std::array<AttentionStats, 2>> attention_stats_pair(const AttentionStatsOptions& options, DrawCache& cache);

/// PyTorch's form: draws from `generator` and leaves it where the next call goes on. `options.seed` is not read.
[[nodiscard]] Result<AttentionStats> attention_stats(const AttentionStatsOptions& options, random::torch::Generator& generator);

/// PyTorch's scores of the first query of a call on a fresh generator of `options.seed`, unscaled: num_keys values.
[[nodiscard]] Result<std::vector<double>> first_draw_scores_torch(const AttentionStatsOptions& options);

/// The scores of one query, unscaled: num_keys values. `query` counts from 0 and is below num_queries.
[[nodiscard]] Result<std::vector<double>> draw_scores(const AttentionStatsOptions& options, std::size_t query, DrawCache& cache);

}  // namespace attn

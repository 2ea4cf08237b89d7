// Repeated draws without an allocation in the loop. Sums run over the keys in order, so that the sums of the draws and the sums
// of the listed tosses are the same bits and fall into the same bins. See batched_dropout.hpp.
#include "batched_dropout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "attn/dropout.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"

namespace attn::studies::batched_dropout {
namespace {

/// How often a long run tells how far it is.
constexpr std::size_t draws_a_word = 500;

std::size_t bin_of(double sum, double top) {
  return std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, sum / top * static_cast<double>(bins))));
}

/// The tosses of one call after another, of all elements in row-major order.
class Tosses {
 public:
  explicit Tosses(const Ask& ask) : ask_(ask), stream_(ask.seed) {}
  void next(std::span<bool> out) {
    if (ask_.torch) {
      stream_.bernoulli(1 - ask_.rate, out);
    } else {
      random::jax::bernoulli(flax_dropout_key(ask_.seed, call_++), static_cast<float>(1 - ask_.rate), 0, out);
    }
  }

 private:
  const Ask& ask_;
  random::torch::Generator stream_;
  std::uint32_t call_ = 0;
};

/// Adds to `counts` how often each way to toss the rest of a row is to be expected.
void list_tosses(std::span<const double> kept_weights, double rate, double top, double sum, double count, std::vector<double>& counts) {
  if (kept_weights.empty()) {
    counts[bin_of(sum, top)] += count;
    return;
  }
  const auto rest = kept_weights.subspan(1);
  if (kept_weights.front() == 0) return list_tosses(rest, rate, top, sum, count, counts);
  list_tosses(rest, rate, top, sum, count * rate, counts);
  list_tosses(rest, rate, top, sum + kept_weights.front(), count * (1 - rate), counts);
}

/// What the formula says of every row. The fourth central moment of a sum of independent tosses gives the standard error of a
/// variance: (mu4 - sigma^4 (n - 3) / (n - 1)) / n.
void predict(const Tensor<double, 3>& weights, const Ask& ask, Draws& result) {
  const std::size_t keys = weights.shape()[2];
  const double n = static_cast<double>(ask.draws);
  const double toss = ask.rate / (1 - ask.rate);  // variance of kept / (1 - p)
  const double toss4 = (1 - ask.rate) * toss * toss * toss * toss + ask.rate;
  for (std::size_t row = 0; row < result.expected.size(); ++row) {
    double sum = 0, squares = 0, fourths = 0;
    for (std::size_t k = 0; k < keys; ++k) {
      const double w = weights.data()[row * keys + k];
      sum += w;
      squares += w * w;
      fourths += w * w * w * w;
    }
    const double variance = toss * squares;
    const double mu4 = fourths * toss4 + 3 * (squares * squares - fourths) * toss * toss;
    result.expected[row] = sum;
    result.squares[row] = squares;
    result.predicted[row] = variance;
    result.mean_se[row] = std::sqrt(variance / n);
    result.variance_se[row] = std::sqrt(std::max(0.0, mu4 - variance * variance * (n - 3) / (n - 1)) / n);
    if (std::isnan(sum)) result.variance_se[row] = sum;
  }
}

}  // namespace

Result<Draws> draw(const Tensor<double, 3>& weights, const Ask& ask, const Workspace& workspace) {
  const auto [batch, queries, keys] = shape_of(weights);
  const std::size_t rows = batch * queries;
  const std::size_t cells = weights.size();
  const double keep = 1 - ask.rate;
  const double top = 1 / keep;
  const bool chosen = ask.row < rows;
  Draws result;
  for (auto* each : {&result.expected, &result.mean, &result.mean_se, &result.variance, &result.variance_se, &result.predicted, &result.squares}) each->assign(rows, 0);
  predict(weights, ask, result);
  for (std::size_t i = 0; i <= bins; ++i) result.edges[i] = top * static_cast<double>(i) / static_cast<double>(bins);

  const double* row_weights = chosen ? weights.data() + ask.row * keys : nullptr;
  if (chosen) {
    result.histogram.assign(bins, 0);
    if (keys > 0 && result.expected[ask.row] != 0) {  // a query without a key has nothing to lose
      result.one_hot.assign(bins, 0);
      for (std::size_t k = 1; k < keys; ++k) {
        if (row_weights[k] > row_weights[result.one_hot_key]) result.one_hot_key = k;
      }
    }
  }

  // What a kept weight becomes, and the tosses; evaluation keeps all and needs one pass.
  std::vector<double> kept_weights(cells);
  for (std::size_t i = 0; i < cells; ++i) kept_weights[i] = weights.data()[i] / keep;
  const auto tosses = std::make_unique<bool[]>(cells);
  const std::span<bool> kept(tosses.get(), cells);
  std::fill(kept.begin(), kept.end(), true);
  Tosses source(ask);
  std::vector<std::uint32_t> kept_counts(cells, 0);
  std::vector<double> squares(rows, 0);  // of the distances from the expected sum, of which `mean` collects the sum
  const std::size_t passes = ask.rate == 0 ? 1 : ask.draws;
  const double same = ask.rate == 0 ? static_cast<double>(ask.draws) : 1;
  double zeros = 0;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    if (pass % draws_a_word == draws_a_word - 1 && !workspace.tell(static_cast<double>(pass) / static_cast<double>(passes))) return stopped();
    if (ask.rate > 0) source.next(kept);
    for (std::size_t row = 0, cell = 0; row < rows; ++row) {
      double sum = 0;
      for (std::size_t k = 0; k < keys; ++k, ++cell) {
        sum += kept[cell] ? kept_weights[cell] : 0.0;
        kept_counts[cell] += kept[cell] ? 1 : 0;
      }
      const double distance = sum - result.expected[row];
      result.mean[row] += distance;
      squares[row] += distance * distance;
      if (row == ask.row && !std::isnan(sum)) result.histogram[bin_of(sum, top)] += same;
    }
    if (!result.one_hot.empty()) {
      const bool stays = kept[ask.row * keys + result.one_hot_key];
      result.one_hot[bin_of(stays ? top : 0.0, top)] += same;
      zeros += stays ? 0 : same;
    }
  }
  const double n = static_cast<double>(passes);
  for (std::size_t row = 0; row < rows; ++row) {
    const double drift = result.mean[row];
    result.mean[row] = result.expected[row] + drift / n;
    result.variance[row] = passes > 1 ? std::max(0.0, (squares[row] - drift * drift / n) / (n - 1)) : 0.0;
    if (std::isnan(result.mean[row])) result.variance[row] = result.mean[row];
  }
  result.pooled_mean.resize(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    result.pooled_mean[i] = kept_counts[i] == 0 ? 0.0 : kept_weights[i] * (static_cast<double>(kept_counts[i]) / n);
  }
  result.zero_share = result.one_hot.empty() ? std::numeric_limits<double>::quiet_NaN() : zeros / static_cast<double>(ask.draws);
  if (chosen && std::isfinite(result.expected[ask.row])) {
    result.exact.assign(bins, 0);
    list_tosses(std::span<const double>(kept_weights).subspan(ask.row * keys, keys), ask.rate, top, 0, static_cast<double>(ask.draws), result.exact);
  }
  return result;
}

}  // namespace attn::studies::batched_dropout

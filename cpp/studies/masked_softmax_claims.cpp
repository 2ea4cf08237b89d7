// Proofs of the claims of Masked softmax, each on many random batches with scores from small to huge.
#include "masked_softmax_claims.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "attn/math.hpp"
#include "attn/random/jax.hpp"
#include "attn/softmax.hpp"
#include "evidence.hpp"

namespace attn::studies {
namespace {

constexpr std::size_t batch = 2;
constexpr std::size_t queries = 5;
constexpr std::size_t keys = 7;
constexpr std::uint64_t trials = 60;

/// Normal scores times a spread that goes from 0.1 to 10^4 over the trials.
Tensor<double, 3> scores_of(std::uint64_t seed) {
  std::vector<float> normals(batch * queries * keys);
  random::jax::normal(random::jax::key(seed), 0, normals);
  Tensor<double, 3> scores = Tensor<double, 3>::from_shape({batch, queries, keys});
  const double spread = math::exp(static_cast<double>(seed % 12) - 2.3);
  for (std::size_t i = 0; i < normals.size(); ++i) scores.data()[i] = spread * static_cast<double>(normals[i]);
  return scores;
}

/// One length a query, 0 to keys, so that empty and full rows both occur.
ValidLens lens_of(std::uint64_t seed, double least = 0) {
  std::vector<std::uint32_t> bits(batch * queries);
  random::jax::bits(random::jax::key(seed ^ 0x5eed), 0, bits);
  std::vector<double> values;
  for (const std::uint32_t word : bits) values.push_back(std::max(least, static_cast<double>(word % (keys + 1))));
  return ValidLens::make(values, std::array{batch, queries}).value();
}

/// Calls visit(seed, scores, lens, weights, b, q) for every row of every trial.
template <class Visit>
void each_row(Visit visit) {
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const auto scores = scores_of(seed);
    const auto lens = lens_of(seed);
    const auto weights = masked_softmax(scores, lens).value();
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t q = 0; q < queries; ++q) visit(seed, scores, lens, weights, b, q);
    }
  }
}

bool plus_zero(double value) { return value == 0 && !std::signbit(value); }

Finding exact_zero() {
  Proof proof;
  std::size_t cells = 0;
  bool all_zero = true;
  bool unmoved = true;
  each_row([&](std::uint64_t, const Tensor<double, 3>& scores, const ValidLens& lens, const Tensor<double, 3>& weights,
               std::size_t b, std::size_t q) {
    for (const double poison : {1e308, -1e308, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      Tensor<double, 3> poisoned = scores;
      for (std::size_t k = lens.at(b, q); k < keys; ++k) poisoned(b, q, k) = poison;
      const auto again = masked_softmax(poisoned, lens).value();
      for (std::size_t k = 0; k < keys; ++k) {
        unmoved = unmoved && again(b, q, k) == weights(b, q, k);
        if (k >= lens.at(b, q)) {
          ++cells;
          all_zero = all_zero && plus_zero(again(b, q, k));
        }
      }
    }
  });
  proof.require(cells > 1000, std::to_string(cells) + " masked cells seen");
  proof.require(all_zero, "each is +0, with huge, infinite and NaN scores alike");
  proof.require(unmoved, "and no weight depends on a masked score");
  return proof.finding();
}

Finding rows_one() {
  Proof proof;
  double largest = 0;
  std::size_t rows = 0;
  each_row([&](std::uint64_t, const auto&, const ValidLens& lens, const auto& weights, std::size_t b, std::size_t q) {
    if (lens.at(b, q) == 0) return;
    double sum = 0;
    for (std::size_t k = 0; k < keys; ++k) sum += weights(b, q, k);
    largest = std::max(largest, std::fabs(sum - 1));
    ++rows;
  });
  proof.require(rows > 100, std::to_string(rows) + " rows with a key");
  proof.within("largest distance of a sum from one", largest, 0, static_cast<double>(keys) * 2.3e-16);
  return proof.finding();
}

Finding empty_row() {
  Proof proof;
  bool zero = true;
  std::size_t rows = 0;
  each_row([&](std::uint64_t, const auto&, const ValidLens& lens, const auto& weights, std::size_t b, std::size_t q) {
    if (lens.at(b, q) > 0) return;
    ++rows;
    for (std::size_t k = 0; k < keys; ++k) zero = zero && plus_zero(weights(b, q, k));
  });
  proof.require(rows > 10, std::to_string(rows) + " rows without a key");
  proof.require(zero, "all zeros");
  return proof.finding();
}

Finding ratios() {
  Proof proof;
  double largest = 0;
  std::size_t pairs = 0;
  each_row([&](std::uint64_t seed, const Tensor<double, 3>& scores, const ValidLens& lens, const auto& weights,
               std::size_t b, std::size_t q) {
    if (seed % 12 > 4) return;  // where the plain softmax keeps every weight far from underflow
    const auto plain = masked_softmax(scores).value();
    for (std::size_t k = 1; k < lens.at(b, q); ++k) {
      const double kept = weights(b, q, k) * plain(b, q, 0);
      const double all = weights(b, q, 0) * plain(b, q, k);
      largest = std::max(largest, std::fabs(kept / all - 1));
      ++pairs;
    }
  });
  proof.require(pairs > 100, std::to_string(pairs) + " pairs of keys");
  proof.within("largest relative difference of a ratio", largest, 0, 1e-13);
  return proof.finding();
}

Finding causal() {
  Proof proof;
  for (const std::size_t n : {1U, 2U, 6U, 12U}) {
    const Mask mask = causal_mask(n, n).value();
    bool triangle = true;
    for (std::size_t t = 1; t <= n; ++t) {
      for (std::size_t k = 1; k <= n; ++k) triangle = triangle && mask(0, t - 1, k - 1) == (k <= t);
    }
    proof.require(triangle, "lower triangle of " + std::to_string(n));
  }
  return proof.finding();
}

Finding composition() {
  Proof proof;
  bool both = true;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const auto lens = lens_of(seed);
    const std::vector<Mask> masks{padding_mask(lens, keys).value(), causal_mask(queries, keys).value()};
    const Mask composed = compose_masks(masks).value();
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t q = 0; q < queries; ++q) {
        for (std::size_t k = 0; k < keys; ++k) both = both && composed(b, q, k) == (k < lens.at(b, q) && k <= q);
      }
    }
  }
  proof.require(both, "a key is allowed exactly where both allow it, in 60 random pairs");
  return proof.finding();
}

Finding first_key() {
  Proof proof;
  std::size_t empty = 0;
  bool first = true;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const std::vector<Mask> masks{padding_mask(lens_of(seed, 1), keys).value(), causal_mask(queries, keys).value()};
    const Mask composed = compose_masks(masks).value();
    empty += empty_rows(composed).size();
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t q = 0; q < queries; ++q) first = first && composed(b, q, 0);
    }
  }
  proof.require(first, "key 1 is allowed in every row");
  proof.require(empty == 0, "no row is empty");
  return proof.finding();
}

Finding zero_length() {
  Proof proof;
  const auto lens = ValidLens::per_sequence({static_cast<double>(keys), 0}).value();
  const Mask padding = padding_mask(lens, keys).value();
  const std::vector<Mask> masks{padding, causal_mask(queries, keys).value()};
  const auto rows = empty_rows(compose_masks(masks).value());
  proof.require(rows.size() == queries, "as many empty rows as queries");
  for (std::size_t q = 0; q < rows.size(); ++q) proof.require(rows[q] == EmptyRow{1, q}, "query " + std::to_string(q) + " of the second sequence");
  return proof.finding();
}

Finding equal_scores() {
  Proof proof;
  bool equal = true;
  for (std::size_t m = 1; m <= 64; ++m) {
    for (const float score : {0.0F, -1e6F, std::numeric_limits<float>::lowest()}) {
      Tensor<float, 3> scores = Tensor<float, 3>::from_shape({1, 1, m});
      scores.fill(score);
      const auto weights = masked_softmax(scores).value();
      for (const float w : weights) equal = equal && w == static_cast<float>(1.0 / static_cast<double>(m));
    }
  }
  proof.require(equal, "each weight is 1/m rounded to float, m = 1 to 64, at 0, -10^6 and the lowest finite float");
  return proof.finding();
}

Finding same_weights() {
  Proof proof;
  bool same = true;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const double first = static_cast<double>(seed % (keys + 1));
    const double second = static_cast<double>((seed / 3) % (keys + 1));
    std::vector<double> each;
    for (const double length : {first, second}) each.insert(each.end(), queries, length);
    const auto scores = scores_of(seed);
    const auto whole = masked_softmax(scores, ValidLens::per_sequence({first, second}).value()).value();
    const auto every = masked_softmax(scores, ValidLens::make(each, std::array{batch, queries}).value()).value();
    same = same && whole == every;
  }
  proof.require(same, "the same weights, bit for bit, in 60 random batches");
  return proof.finding();
}

}  // namespace

std::vector<Claim> masked_softmax_claims() {
  return {
      {"exact-zero", "A masked key gets exactly zero, whatever its score.", proof(exact_zero)},
      {"rows-one", "Every row that keeps a key sums to one.", proof(rows_one)},
      {"empty-row", "A row that keeps no key is all zeros.", proof(empty_row)},
      {"ratios", "Among the keys that remain, the ratios of the weights are those of the plain softmax.", proof(ratios)},
      {"causal", "Under a causal mask query t sees keys 1 to t.", proof(causal)},
      {"composition", "Padding and causality compose by AND: a key must survive both.", proof(composition)},
      {"first-key", "With every valid length at least one, padding and causality together leave every query its first key.", proof(first_key)},
      {"equal-scores", "A softmax over m equal scores gives each key 1/m, however negative they are.", proof(equal_scores)},
      {"same-weights", "A length for the whole sequence is the same as that length given to each of its queries.", proof(same_weights)},
      {"zero-length", "A valid length of zero empties every row of its sequence.", proof(zero_length)},
  };
}

}  // namespace attn::studies

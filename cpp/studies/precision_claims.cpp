// Proofs of the claims of Number formats: the rows and layers of the plate, in every format that the sentence speaks of.
#include "precision_claims.hpp"

#include <algorithm>
#include <cmath>

#include "attn/math.hpp"
#include "evidence.hpp"
#include "precision_layers.hpp"
#include "precision_row.hpp"

namespace attn::studies {
namespace {

using namespace precision_row;

std::string word(Dtype dtype) { return std::string(name(dtype)); }

/// The outcome of a row in a format, accumulated in the same format.
Trace in_format(const char* row, const char* fill, Dtype dtype, bool additive, bool zeroing) {
  return trace(case_named(row), fill_named(fill), {dtype, dtype, additive, zeroing});
}

/// Requires one outcome in all four formats.
Finding everywhere(const char* row, const char* fill, bool additive, bool zeroing, const std::string& outcome) {
  Proof proof;
  for (const Dtype dtype : dtypes) {
    const auto found = in_format(row, fill, dtype, additive, zeroing);
    proof.require(found.outcome == outcome, word(dtype) + ": " + found.outcome);
  }
  return proof.finding();
}

Finding float16_million() {
  Proof proof;
  proof.require(rounded(Dtype::float16, -1e6) == -std::numeric_limits<double>::infinity(), "-10^6 becomes -infinity");
  proof.within("largest finite value", highest(Dtype::float16), 65504, 65504);
  return proof.finding();
}

Finding bfloat16_million() {
  Proof proof;
  proof.within("-10^6 rounded", rounded(Dtype::bfloat16, -1e6), -999424, -999424);
  proof.within("highest of bfloat16 over that of float32", highest(Dtype::bfloat16) / highest(Dtype::float32), 0.99, 1);
  return proof.finding();
}

Finding lowest_exact() {
  Proof proof;
  std::size_t settings = 0;
  bool exact = true;
  for (const char* row : {"ordinary", "large", "one-key"}) {
    for (const Dtype dtype : dtypes) {
      for (const Dtype accumulate : dtypes) {
        for (const bool additive : {false, true}) {
          exact = exact && trace(case_named(row), fill_named("lowest"), {dtype, accumulate, additive, false}).leak == 0;
          ++settings;
        }
      }
    }
  }
  proof.require(exact, "no leak in " + std::to_string(settings) + " settings");
  return proof.finding();
}

Finding masked_uniform() {
  Proof proof;
  for (const Dtype dtype : dtypes) {
    const auto found = in_format("masked", "lowest", dtype, false, false);
    proof.require(found.outcome == "uniform over invalid keys" && found.row_max == lowest(dtype) && found.difference[0] == 0, word(dtype) + ": " + found.outcome);
  }
  return proof.finding();
}

Finding masked_nan() {
  Proof proof;
  for (const Dtype dtype : dtypes) {
    const auto found = in_format("masked", "-infinity", dtype, false, false);
    proof.require(found.outcome == "NaN" && std::isinf(found.row_max) && std::isnan(found.difference[0]), word(dtype) + ": maximum -infinity, difference NaN");
  }
  return proof.finding();
}

Finding zeroing() {
  Proof proof;
  std::size_t settings = 0;
  bool exact = true;
  for (const char* row : {"masked", "twice", "by-each"}) {
    for (const Fill& fill : fills) {
      for (const Dtype dtype : dtypes) {
        for (const bool additive : {false, true}) {
          const auto found = in_format(row, fill.name, dtype, additive, true);
          exact = exact && found.outcome == "exact" && std::all_of(found.weights.begin(), found.weights.end(), [](double w) { return w == 0; });
          ++settings;
        }
      }
    }
  }
  proof.require(exact, "zeros in " + std::to_string(settings) + " settings");
  return proof.finding();
}

Finding one_left_infinity() { return everywhere("one-key", "-infinity", false, false, "exact"); }
Finding twice_nan() { return everywhere("twice", "lowest", true, false, "NaN"); }

Finding two_lowest() {
  Proof proof;
  for (const Dtype dtype : dtypes) proof.require(std::isinf(fill_named("two-lowest").value(dtype)), word(dtype));
  return proof.finding();
}

Finding by_each() {
  Proof proof;
  for (const Dtype dtype : dtypes) {
    const auto found = in_format("by-each", "lowest", dtype, true, false);
    proof.require(found.outcome == "uniform over invalid keys", word(dtype) + ": " + found.outcome);
    bool once = true;
    for (std::size_t k = 0; k < keys; ++k) {
      const bool both = !case_named("by-each").term1[k] && !case_named("by-each").term2[k];
      once = once && found.weights[k] == (both ? 0 : 0.25);
    }
    proof.require(once, "a quarter each for the four keys that one term excludes");
  }
  return proof.finding();
}

Finding small_fill_leaks() {
  Proof proof;
  for (const bool additive : {false, true}) {
    for (const Dtype dtype : dtypes) {
      const auto found = in_format("large", "-1e4", dtype, additive, true);
      proof.require(found.outcome == "leak of 1", word(dtype) + ": " + found.outcome);
      proof.require(found.weights[0] == 0 && found.weights[1] == 0 && found.weights[2] == 0, "nothing is left for the allowed keys");
      double sum = 0;
      for (const double weight : found.weights) sum += weight;
      // exponentials, their differences, the sum and the quotients: six roundings at most, each of half an epsilon
      const double rounding = 3 * epsilon(dtype);
      proof.within(word(dtype) + ": sum of the weights", sum, 1 - rounding, 1 + rounding);
    }
  }
  return proof.finding();
}

Finding scores_survive() {
  Proof proof;
  const auto single = in_format("masked", "-1e4", Dtype::float32, true, false);
  const Case& row = case_named("masked");
  double sum = 0, apart = 0;
  for (const double score : row.scores) sum += math::exp(score);
  for (std::size_t k = 0; k < keys; ++k) apart = std::max(apart, std::fabs(single.weights[k] - math::exp(row.scores[k]) / sum));
  proof.within("float32: greatest distance from the weights without a mask", apart, 0, 1e-6);
  proof.require(single.outcome == "leak of 1", "float32: " + single.outcome);
  const auto half = in_format("masked", "-1e4", Dtype::float16, true, false);
  proof.require(half.outcome == "uniform over invalid keys" && half.filled[0] == -10000 && half.filled[5] == -10000, "float16: " + half.outcome);
  return proof.finding();
}

Finding merged() {
  Proof proof;
  for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16}) {
    const auto coarse = trace(case_named("large"), fill_named("lowest"), {dtype, Dtype::bfloat16, false, true});
    proof.require(coarse.outcome == "wrong weights" && coarse.leak == 0, word(dtype) + ", softmax in bfloat16: " + coarse.outcome);
    proof.require(coarse.weights[0] == coarse.weights[1] && coarse.weights[1] == coarse.weights[2] && coarse.exact[1] > 0.9999998, "three weights alike where one should have all but 2e-7");
    const auto fine = trace(case_named("large"), fill_named("lowest"), {dtype, Dtype::float32, false, true});
    proof.require(fine.outcome == "exact", "softmax in float32: " + fine.outcome);
  }
  return proof.finding();
}

Finding score_lost() {
  Proof proof;
  for (const Dtype dtype : dtypes) {
    bool lost = true;
    for (const double score : case_named("ordinary").scores) lost = lost && rounded(dtype, score + lowest(dtype)) == lowest(dtype);
    proof.require(lost, word(dtype));
  }
  return proof.finding();
}

Finding million_in_half() {
  Proof proof;
  const auto masked = in_format("masked", "-1e6", Dtype::float16, false, false);
  const auto kept = in_format("ordinary", "-1e6", Dtype::float16, false, false);
  proof.require(masked.outcome == "NaN", "fully masked row: " + masked.outcome);
  proof.require(kept.outcome == "exact", "row with valid keys: " + kept.outcome);
  return proof.finding();
}

Finding poison() {
  Proof proof;
  const auto stages = precision_layers::run_layers(true);
  const auto clean = [&](std::size_t layer, std::size_t position) { return !std::isnan(stages.values[layer][position][0]) && !std::isnan(stages.values[layer][position][1]); };
  proof.require(clean(1, 0) && clean(1, 1) && clean(1, 2) && !clean(1, 3), "after layer 1 only the padding is NaN");
  proof.require(!clean(2, 0) && !clean(2, 1) && !clean(2, 2), "after layer 2 every position is");
  proof.require(stages.weights[1][0][3] == 0 && stages.weights[1][1][3] == 0 && stages.weights[1][2][3] == 0, "though their weight on the padding is 0");
  return proof.finding();
}

Finding no_poison() {
  Proof proof;
  const auto stages = precision_layers::run_layers(false);
  bool finite = true;
  for (const auto& stage : stages.values) {
    for (const auto& position : stage) finite = finite && std::isfinite(position[0]) && std::isfinite(position[1]);
  }
  proof.require(finite, "all values of all layers are finite");
  for (std::size_t layer = 1; layer <= precision_layers::layers; ++layer) proof.require(stages.values[layer][3][0] == 0 && stages.values[layer][3][1] == 0, "the padding's output is zero");
  const auto plain = precision_layers::run_layers(true);
  bool same = true;
  for (std::size_t position = 0; position < 3; ++position) same = same && std::fabs(stages.values[1][position][0] - plain.values[1][position][0]) < 1e-15;
  proof.require(same, "the valid positions of layer 1 are those of plain arithmetic");
  return proof.finding();
}

Finding half_integers() {
  Proof proof;
  bool exact = true;
  for (int i = 0; i <= 2048; ++i) exact = exact && rounded(Dtype::float16, i) == i;
  proof.require(exact, "0 to 2048 are kept");
  proof.within("2049 becomes", rounded(Dtype::float16, 2049), 2048, 2048);
  return proof.finding();
}

}  // namespace

std::vector<Claim> precision_claims() {
  return {
      {"float16-million", "The largest finite float16 is 65,504; rounded to float16, −10⁶ is −∞.", proof(float16_million)},
      {"bfloat16-million", "bfloat16 has about the range of float32: −10⁶ stays finite there, as −999,424.", proof(bfloat16_million)},
      {"lowest-exact", "Where one key is left, the lowest finite value of the format gives every excluded key exactly zero, in all four formats.", proof(lowest_exact)},
      {"masked-uniform", "Without the final zeroing, a fully masked row overwritten with the lowest value is uniform: every difference from its maximum is zero.", proof(masked_uniform)},
      {"masked-nan", "Overwritten with −∞ the same row is NaN: its maximum is −∞, and −∞ − (−∞) is not a number.", proof(masked_nan)},
      {"infinity-one-left", "With one key left, −∞ masks exactly.", proof(one_left_infinity)},
      {"zeroing", "With the final zeroing a fully masked row is all zeros, whatever the fill.", proof(zeroing)},
      {"two-lowest", "Two lowest finite values sum to −∞ in every format.", proof(two_lowest)},
      {"twice-nan", "When two terms each add the lowest value to every key, the row is NaN.", proof(twice_nan)},
      {"by-each", "When every key is excluded, some by one term and some by both, the added lowest values leave an even share to the keys excluded once.", proof(by_each)},
      {"small-fill-leaks", "A fill of −10⁴ loses against scores of −20,000: the excluded keys take all the weight, and the open ones get zero. The weights still sum to one, but for rounding, and none is NaN, so nothing looks amiss.", proof(small_fill_leaks)},
      {"scores-survive", "−10⁴ added to every key of a masked row masks nothing in float32: the weights are those without a mask. In float16 the scores drown in it, and the row is uniform.", proof(scores_survive)},
      {"merged", "A softmax in bfloat16 makes one number of −20,000, −19,984 and −20,016: three keys share alike where one should have all the weight.", proof(merged)},
      {"score-lost", "An ordinary score added to the lowest value is lost in rounding.", proof(score_lost)},
      {"million-in-half", "In float16 a fill of −10⁶ works as −∞ does: exact with a key left, NaN without one.", proof(million_in_half)},
      {"poison", "Zero times NaN is NaN: one discarded NaN at a padding position spoils, in the next layer, every position that excludes it.", proof(poison)},
      {"no-poison", "Where an excluded value is never read and an empty row gives zeros, no NaN arises.", proof(no_poison)},
      {"half-integers", "float16 counts exactly up to 2,048; 2,049 is not one of its numbers.", proof(half_integers)},
  };
}

}  // namespace attn::studies

// Proofs of the claims of One square root. A claim about a mean is proved on means over several seeds with a bound of a few
// standard errors, never on one run; a claim about a single run is proved by counting runs.
#include "saturation_claims.hpp"

#include <algorithm>
#include <cmath>

#include "attn/entropy.hpp"
#include "attn/math.hpp"
#include "attn/random/jax.hpp"
#include "attn/softmax.hpp"
#include "saturation_equivalent.hpp"
#include "saturation_theory.hpp"
#include "evidence.hpp"

namespace attn::studies {
namespace {


/// Mean over `runs` seeds, with the standard error of that mean.
template <class Pick>
Estimate over_seeds(std::size_t d, std::size_t runs, Pick pick) {
  Equivalent experiment(d, 64, 256);
  std::vector<double> values;
  for (std::uint64_t seed = 0; seed < runs; ++seed) values.push_back(pick(experiment.means(1000 + seed)));
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(runs);
  return {mean, std::sqrt(score_variance(values) / static_cast<double>(runs))};
}

std::string at(std::size_t d) { return " at d = " + std::to_string(d); }

Finding scores_grow() {
  Proof proof;
  for (const std::size_t d : section_widths) {
    const Estimate variance = over_seeds(d, 8, [](const auto& m) { return m.variance[0]; });
    const auto width = static_cast<double>(d);
    proof.within("variance / d" + at(d), variance.mean / width, 1 - 4 * variance.standard_error / width,
                 1 + 4 * variance.standard_error / width);
    proof.require(variance.standard_error / width < 0.02, "the standard error" + at(d) + " is small enough to tell");
  }
  return proof.finding();
}

Finding scaled_spread() {
  Proof proof;
  for (const std::size_t d : section_widths) {
    const Estimate variance = over_seeds(d, 8, [](const auto& m) { return m.variance[1]; });
    proof.within("spread" + at(d), std::sqrt(variance.mean), 0.96, 1.04);
  }
  return proof.finding();
}

Finding unscaled_falls() {
  Proof proof;
  Estimate before{1e9, 0};
  for (const std::size_t d : section_widths) {
    const Estimate entropy = over_seeds(d, 8, [](const auto& m) { return m.entropy[0]; });
    const double error = std::hypot(entropy.standard_error, before.standard_error);
    proof.require(before.mean - entropy.mean > 3 * error, "entropy is lower" + at(d));
    before = entropy;
  }
  return proof.finding();
}

Finding scaled_level() {
  Proof proof;
  for (const std::size_t d : section_widths) {
    const Estimate entropy = over_seeds(d, 8, [](const auto& m) { return m.entropy[1]; });
    proof.within("entropy" + at(d), entropy.mean, 3.65, 3.75);
  }
  return proof.finding();
}

Finding ceiling() {
  Proof proof;
  for (const std::size_t keys : {2U, 32U, 64U, 128U}) {
    const double even = math::log(static_cast<double>(keys));
    std::vector<float> normals(keys);
    std::vector<double> scores(keys);
    std::vector<double> weights(keys);
    double highest = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      random::jax::normal(random::jax::key(seed), 0, normals);
      const double spread = static_cast<double>(seed) / 20;  // from equal weights to nearly one-hot ones
      for (std::size_t j = 0; j < keys; ++j) scores[j] = spread * static_cast<double>(normals[j]);
      softmax_row(scores, weights);
      highest = std::max(highest, entropy(std::span<const double>(weights)));
    }
    // The sum of m terms rounds to within m units in the last place of ln m.
    proof.within("highest of 200 rows over " + std::to_string(keys) + " keys, less ln m", highest - even, -1e-12,
                 static_cast<double>(keys) * 2.3e-16 * even);
  }
  return proof.finding();
}

Finding below_02() {
  Proof proof;
  Equivalent experiment(512, 64, 256);
  constexpr std::uint64_t runs = 400;
  double mean = 0;
  double above = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const double entropy = experiment.means(5000 + seed).entropy[0];
    mean += entropy / static_cast<double>(runs);
    above += entropy > 0.2 ? 1.0 / static_cast<double>(runs) : 0.0;
  }
  proof.within("mean entropy of 400 runs", mean, 0.1822 - 0.004, 0.1822 + 0.004);
  // 400 runs count a share near 0.15 to within 0.018 (one standard error); two are allowed.
  proof.within("share of runs above 0.2 nats", above, 0.15 - 0.036, 0.15 + 0.036);
  return proof.finding();
}

Finding norm_rises() {
  Proof proof;
  std::vector<Estimate> norms;
  for (const std::size_t d : section_widths) norms.push_back(over_seeds(d, 8, [](const auto& m) { return m.norm[0]; }));
  proof.require(norms[1].mean - norms[0].mean > 3 * std::hypot(norms[1].standard_error, norms[0].standard_error), "norm rises from d = 4 to d = 8");
  proof.require(norms[2].mean - norms[3].mean > 3 * std::hypot(norms[2].standard_error, norms[3].standard_error), "norm falls from d = 16 to d = 32");
  for (std::size_t i = 4; i < norms.size(); ++i) proof.require(norms[i].mean < norms[i - 1].mean, "norm falls further" + at(section_widths[i]));
  return proof.finding();
}

Finding norm_flat() {
  Proof proof;
  for (const std::size_t d : section_widths) {
    const Estimate norm = over_seeds(d, 8, [](const auto& m) { return m.norm[1]; });
    proof.within("scaled norm" + at(d), norm.mean, 0.176, 0.189);
  }
  return proof.finding();
}

Finding norm_half() {
  Proof proof;
  const Estimate ratio = over_seeds(512, 16, [](const auto& m) { return m.norm[0] / m.norm[1]; });
  proof.within("unscaled over scaled norm at d = 512", ratio.mean, 0.45, 0.55);
  return proof.finding();
}

Finding same_draws() {
  Proof proof;
  DrawCache cache;
  for (const std::size_t d : {4U, 64U}) {
    AttentionStatsOptions options;
    options.d = d;
    options.num_queries = 16;
    options.seed = 3;
    const auto both = attention_stats_pair(options, cache);
    if (!both) return {false, both.error().message};
    const double ratio = both.value()[0].score_variance.mean / both.value()[1].score_variance.mean / static_cast<double>(d);
    proof.within("variance of unscaled over scaled scores, by d," + at(d), ratio, 1 - 1e-12, 1 + 1e-12);
  }
  return proof.finding();
}

Finding null_space() {
  Proof proof;
  std::vector<float> normals(64);
  std::vector<double> scores(64);
  std::vector<double> weights(64);
  std::vector<double> moved(64);
  double largest = 0;
  double row_sum = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    random::jax::normal(random::jax::key(seed), 0, normals);
    for (std::size_t j = 0; j < 64; ++j) scores[j] = static_cast<double>(normals[j]);
    softmax_row(scores, weights);
    for (double& score : scores) score += 1024;  // a power of two large enough to matter, small enough to keep most digits
    softmax_row(scores, moved);
    for (std::size_t j = 0; j < 64; ++j) largest = std::max(largest, std::fabs(weights[j] - moved[j]));
    const auto jacobian = softmax_jacobian(weights);
    for (std::size_t i = 0; i < 64; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 64; ++j) sum += jacobian.value()(i, j);
      row_sum = std::max(row_sum, std::fabs(sum));
    }
  }
  proof.within("largest change of a weight", largest, 0, 1e-12);
  proof.within("largest row sum of the Jacobian", row_sum, 0, 1e-15);
  return proof.finding();
}

Finding one_hot() {
  Proof proof;
  const std::vector<double> weights{0, 0, 1, 0};
  proof.require(entropy(std::span<const double>(weights)) == 0, "entropy is 0");
  const auto jacobian = softmax_jacobian(weights);
  bool zero = true;
  for (const double entry : jacobian.value()) zero = zero && entry == 0;
  proof.require(zero, "every entry of the Jacobian is 0");
  proof.require(jacobian_norm(weights) == 0, "its norm is 0");
  return proof.finding();
}

/// Weights shared evenly by the first k of m keys.
std::vector<double> even_over(std::size_t k, std::size_t m) {
  std::vector<double> weights(m, 0.0);
  std::fill_n(weights.begin(), k, 1.0 / static_cast<double>(k));
  return weights;
}

/// Rows of normal scores over 64 keys with spreads from 0.25 to 12.5: visit(scores, weights).
template <class Visit>
void random_rows(Visit visit) {
  std::vector<float> normals(64);
  std::vector<double> scores(64);
  std::vector<double> weights(64);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    random::jax::normal(random::jax::key(seed), 0, normals);
    for (std::size_t j = 0; j < 64; ++j) scores[j] = 0.25 * static_cast<double>(seed + 1) * static_cast<double>(normals[j]);
    softmax_row(scores, weights);
    visit(scores, weights);
  }
}

Finding keys_in_effect() {
  Proof proof;
  double largest = 0;
  for (std::size_t m = 1; m <= 128; ++m) {
    const double effect = math::exp(entropy(std::span<const double>(even_over(m, m))));
    largest = std::max(largest, std::fabs(effect / static_cast<double>(m) - 1));
  }
  proof.within("largest relative distance of exp(H) from m, m = 1 to 128", largest, 0, 1e-12);
  proof.require(math::exp(entropy(std::span<const double>(even_over(1, 64)))) == 1, "a one-hot row has exactly one");
  return proof.finding();
}

Finding norm_even() {
  Proof proof;
  double largest = 0;
  double greatest = 0;
  std::size_t where = 0;
  for (std::size_t k = 1; k <= 128; ++k) {
    const double norm = jacobian_norm(even_over(k, 128));
    largest = std::max(largest, std::fabs(norm - std::sqrt(static_cast<double>(k) - 1) / static_cast<double>(k)));
    if (norm > greatest) {
      greatest = norm;
      where = k;
    }
  }
  proof.within("largest distance from the closed form, k = 1 to 128", largest, 0, 1e-15);
  proof.require(where == 2, "greatest at k = 2");
  proof.within("norm there", greatest, 0.5 - 1e-15, 0.5 + 1e-15);
  return proof.finding();
}

Finding order_kept() {
  Proof proof;
  bool kept = true;
  std::vector<double> divided(64);
  std::vector<double> softer(64);
  random_rows([&](const std::vector<double>& scores, const std::vector<double>& weights) {
    for (const std::size_t d : section_widths) {
      for (std::size_t j = 0; j < 64; ++j) divided[j] = scores[j] / std::sqrt(static_cast<double>(d));
      softmax_row(divided, softer);
      kept = kept && std::max_element(weights.begin(), weights.end()) - weights.begin() ==
                         std::max_element(softer.begin(), softer.end()) - softer.begin();
      for (std::size_t i = 0; i < 64; ++i) {
        for (std::size_t j = 0; j < 64; ++j) kept = kept && !(weights[i] > weights[j] && softer[i] < softer[j]);
      }
    }
  });
  proof.require(kept, "order and largest key are the same in 50 rows at every d");
  return proof.finding();
}

Finding closed_norm() {
  Proof proof;
  double by_powers = 0;
  double by_sums = 0;
  random_rows([&](const std::vector<double>&, const std::vector<double>& weights) {
    double squares = 0;
    double cubes = 0;
    for (const double w : weights) {
      squares += w * w;
      cubes += w * w * w;
    }
    double matrix = 0;
    const auto jacobian = softmax_jacobian(weights);
    for (const double entry : jacobian.value()) matrix += entry * entry;
    by_powers = std::max(by_powers, std::fabs(squares - 2 * cubes + squares * squares - matrix));
    by_sums = std::max(by_sums, std::fabs(jacobian_norm(weights) - std::sqrt(matrix)));
  });
  proof.within("largest distance of the sums of powers from the matrix's square", by_powers, 0, 1e-14);
  proof.within("largest distance of the norm from the matrix's", by_sums, 0, 1e-14);
  return proof.finding();
}

}  // namespace

std::vector<Claim> saturation_claims() {
  std::vector<Claim> claims{
      {"scores-grow", "The scores of queries and keys with unit-variance entries have variance d, so their spread grows like √d.", proof(scores_grow)},
      {"scaled-spread", "Divided by √d, the scores spread by about one at every width.", proof(scaled_spread)},
      {"unscaled-falls", "Without the division the mean entropy falls at every doubling of d.", proof(unscaled_falls)},
      {"scaled-level", "With it, sixty-four keys keep about 3.7 nats from d = 4 to d = 512.", proof(scaled_level)},
      {"ceiling", "No weighting of m keys has more than ln m nats.", proof(ceiling)},
      {"below-02", "At d = 512 the unscaled mean is 0.18 nats, yet about 15 runs of 256 queries in a hundred come out above 0.2.", proof(below_02)},
      {"norm-rises", "The unscaled gradient norm rises before it falls, with its peak between d = 8 and d = 16.", proof(norm_rises)},
      {"norm-flat", "Scaled, the norm stays near 0.18 at every width.", proof(norm_flat)},
      {"norm-half", "By d = 512 the unscaled norm is about half the scaled one.", proof(norm_half)},
      {"same-draws", "With JAX's generator both curves come from the same draws; only the division differs.", proof(same_draws)},
      {"null-space", "Adding one constant to every score changes no weight.", proof(null_space)},
      {"keys-in-effect", "The exponential of the entropy is m for m equal weights and one for a one-hot row.", proof(keys_in_effect)},
      {"norm-even", "Weights shared evenly by k keys have Jacobian norm √(k − 1)/k, which is greatest at k = 2, where it is one half.", proof(norm_even)},
      {"order-kept", "Dividing every score by one positive number keeps their order, so the largest weight stays with the same key.", proof(order_kept)},
      {"closed-norm", "The norm needs no matrix: its square is Σα² − 2Σα³ + (Σα²)².", proof(closed_norm)},
      {"one-hot", "A one-hot row has entropy zero and Jacobian zero.", proof(one_hot)},
  };
  for (Claim& claim : theory_claims()) claims.push_back(std::move(claim));
  return claims;
}

}  // namespace attn::studies

// Proofs of the claims of the softmax Jacobian.
#include "jacobian_claims.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attn/attention.hpp"
#include "attn/entropy.hpp"
#include "attn/random/jax.hpp"
#include "attn/softmax.hpp"
#include "evidence.hpp"
#include "jacobian_rows.hpp"

namespace attn::studies {
namespace {

/// Rows of normal scores of spread 0.1 to 10, of two to eight keys.
std::vector<std::vector<double>> small_rows() {
  std::vector<std::vector<double>> rows;
  for (std::uint32_t i = 0; i < 300; ++i) {
    std::vector<float> normals(2 + i % 7);
    random::jax::normal(random::jax::key(7000 + i), 0, normals);
    const double spread = 0.1 * (1 + i % 10) * (i % 3 == 0 ? 10 : 1);
    std::vector<double>& row = rows.emplace_back();
    for (const float z : normals) row.push_back(spread * static_cast<double>(z));
  }
  return rows;
}

std::vector<double> weights_of(const std::vector<double>& scores) {
  std::vector<double> weights(scores.size());
  softmax_row(scores, weights);
  return weights;
}

Finding forward() {
  Proof proof;
  double worst = 0;
  for (const auto& scores : small_rows()) {
    const auto formula = softmax_jacobian(weights_of(scores)).value();
    const std::vector<double> automatic = forward_jacobian(scores);
    for (std::size_t i = 0; i < automatic.size(); ++i) worst = std::max(worst, std::fabs(automatic[i] - formula.data()[i]));
  }
  proof.within("largest difference of 300 rows", worst, 0, 8 * std::numeric_limits<double>::epsilon() / 2);
  return proof.finding();
}

Finding eigenvalues() {
  Proof proof;
  double least = 1;
  double zero = 0;
  double ones = 0;
  for (const auto& scores : small_rows()) {
    const std::vector<double> weights = weights_of(scores);
    const auto formula = softmax_jacobian(weights).value();
    const std::vector<double> values = symmetric_eigenvalues({formula.begin(), formula.end()}, scores.size());
    zero = std::max(zero, std::fabs(values[0]));
    // every other eigenvalue is at least the second smallest weight's size: interlacing with diag(w)
    std::vector<double> sorted = weights;
    std::sort(sorted.begin(), sorted.end());
    least = std::min(least, values[1] / sorted[0]);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < scores.size(); ++j) sum += formula(i, j);
      ones = std::max(ones, std::fabs(sum));
    }
  }
  proof.within("largest first eigenvalue", zero, 0, 1e-15);
  proof.within("largest row sum", ones, 0, 1e-15);
  proof.within("least second eigenvalue over the smallest weight", least, 0.99, 1e9);
  return proof.finding();
}

Finding ends() {
  Proof proof;
  std::vector<double> one(64, 0.0);
  one[5] = 1;
  proof.require(jacobian_norm(one) == 0, "the norm of a one-hot row is 0");
  const std::vector<double> even(64, 1.0 / 64);
  proof.within("the norm of 64 equal weights", jacobian_norm(even), 0.1240, 0.1241);
  proof.within("its distance from sqrt(63) / 64", std::fabs(jacobian_norm(even) - std::sqrt(63.0) / 64), 0, 1e-15);
  return proof.finding();
}

Finding small_weights() {
  Proof proof;
  double low = 1;
  double high = 0;
  std::size_t rows = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    std::vector<float> normals(512);
    random::jax::normal(random::jax::key(8000 + i), 0, normals);
    std::vector<double> scores;
    for (const float z : normals) scores.push_back(0.5 * static_cast<double>(z));
    const std::vector<double> weights = weights_of(scores);
    if (*std::max_element(weights.begin(), weights.end()) > 0.01) continue;
    double squares = 0;
    for (const double weight : weights) squares += weight * weight;
    const double ratio = jacobian_norm(weights) / std::sqrt(squares);
    low = std::min(low, ratio);
    high = std::max(high, ratio);
    ++rows;
  }
  proof.require(rows >= 50, std::to_string(rows) + " rows have no weight above 0.01");
  proof.within("lowest ratio", low, 0.98, 1);
  proof.within("highest ratio", high, 0.98, 1);
  return proof.finding();
}

Finding below() {
  Proof proof;
  double closest = 1;
  double largest = 0;
  for (const std::size_t keys : {2u, 5u, 64u, 300u}) {
    const RandomRows rows = random_rows(false, 3, 2000, keys, Workspace{}).value();
    for (std::size_t i = 0; i < rows.norms.size(); ++i) {
      const double squares = rows.sum_squares[i];
      closest = std::min(closest, std::sqrt(std::max(0.0, squares - squares * squares)) - rows.norms[i]);
      largest = std::max(largest, rows.norms[i]);
    }
  }
  proof.within("least distance below the even row, 8,000 rows", closest, -1e-8, 1);
  proof.within("largest norm of 8,000 rows", largest, 0.45, 0.5);
  return proof.finding();
}

/// One over the sum of squared weights, the median of 2,000 rows over 64 keys at width d.
double median_sharing(std::size_t d, bool scaled) {
  std::vector<double> sharing;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    std::vector<float> normals((1 + 64) * d);
    random::jax::normal(random::jax::key(9000 + i), 0, normals);
    std::vector<double> scores(64, 0.0);
    for (std::size_t k = 0; k < 64; ++k) {
      for (std::size_t j = 0; j < d; ++j) scores[k] += static_cast<double>(normals[j]) * static_cast<double>(normals[(k + 1) * d + j]);
      if (scaled) scores[k] /= std::sqrt(static_cast<double>(d));
    }
    double squares = 0;
    for (const double weight : weights_of(scores)) squares += weight * weight;
    sharing.push_back(1 / squares);
  }
  std::nth_element(sharing.begin(), sharing.begin() + 1000, sharing.end());
  return sharing[1000];
}

Finding sharing() {
  Proof proof;
  proof.within("unscaled at d = 4", median_sharing(4, false), 9, 12);
  proof.within("scaled at d = 4", median_sharing(4, true), 26, 36);
  proof.within("unscaled at d = 64", median_sharing(64, false), 1, 2);
  return proof.finding();
}

}  // namespace

std::vector<Claim> jacobian_claims() {
  return {
      {"forward", "The formula and forward differentiation, which knows the softmax alone, give the same matrix to a few units of the last place.", proof(forward)},
      {"eigenvalues", "For finite scores one eigenvalue of the Jacobian is zero, that of a shift of all scores, and every other one is positive.", proof(eigenvalues)},
      {"ends", "A one-hot row has the norm 0, sixty-four equal weights have 0.124.", proof(ends)},
      {"small-weights", "Where no weight exceeds a hundredth, the norm is the root of the sum of squared weights to within two percent.", proof(small_weights)},
      {"below", "No row lies above the even row with the same sum of squares, so none exceeds one half.", proof(below)},
      {"sharing", "At d = 4 a typical unscaled row shares its weight as if among about ten keys, a scaled one as if among about thirty; at d = 64 an unscaled row is down to fewer than two.", proof(sharing)},
  };
}

}  // namespace attn::studies

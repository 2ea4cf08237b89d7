// Entropy, the softmax Jacobian and its norm: closed forms, agreement of the O(keys) norm with the explicit matrix, finite
// differences of the softmax itself, behaviour next to one-hot rows, and score variance against the definition.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

#include "attn/entropy.hpp"
#include "attn/math.hpp"
#include "attn/softmax.hpp"
#include "support.hpp"

using namespace attn;

namespace {

std::vector<double> softmax_of(const std::vector<double>& scores) {
  std::vector<double> weights(scores.size());
  softmax_row(scores, weights);
  return weights;
}

std::vector<double> random_row(support::Bits& bits, std::size_t keys, double spread) {
  std::vector<double> scores(keys);
  for (double& score : scores) score = bits.real(-spread, spread);
  return scores;
}

double explicit_norm(const std::vector<double>& weights) {
  const auto jacobian = softmax_jacobian(weights).value();
  double sum = 0;
  for (const double entry : jacobian) sum += entry * entry;
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("entropy has its closed forms", "[entropy]") {
  for (const std::size_t m : {1U, 2U, 3U, 64U, 1000U}) {
    const std::vector<double> uniform(m, 1.0 / static_cast<double>(m));
    CHECK(std::fabs(entropy(uniform) - std::log(static_cast<double>(m))) <= 1e-14 * static_cast<double>(m));
    std::vector<double> one_hot(m, 0.0);
    one_hot[m / 2] = 1;
    CHECK(support::plus_zero(entropy(one_hot)));
  }
  CHECK(std::fabs(entropy(softmax_of({1, 2, 3})) - 0.8323955818) < 1e-10);
  CHECK(std::fabs(entropy(softmax_of({1, 2, 3})) / nats_per_bit - 1.200892975) < 1e-8);
  CHECK(support::plus_zero(entropy(std::vector<double>{})));
  CHECK(std::isnan(entropy(std::vector<double>{0.5, std::numeric_limits<double>::quiet_NaN()})));
}

TEST_CASE("entropy of rows of a tensor is that of each row", "[entropy]") {
  const Tensor<double, 3> weights{{{0.5, 0.5, 0}, {1, 0, 0}}};
  const auto rows = entropy(weights);
  CHECK(rows(0, 0) == entropy(std::vector<double>{0.5, 0.5, 0}));
  CHECK(support::plus_zero(rows(0, 1)));
  const Tensor<float, 3> single{{{0.25F, 0.75F}}};
  CHECK(entropy(single)(0, 0) == entropy(std::vector<double>{0.25, 0.75}));
}

TEST_CASE("entropy equals ln Z minus the mean score", "[entropy]") {
  support::Bits bits(31);
  for (int trial = 0; trial < 200; ++trial) {
    const auto scores = random_row(bits, 1 + bits.below(80), bits.real(0.1, 20));
    long double z = 0;
    long double weighted = 0;
    for (const double a : scores) z += std::exp(static_cast<long double>(a));
    for (const double a : scores) weighted += std::exp(static_cast<long double>(a)) / z * static_cast<long double>(a);
    REQUIRE(std::fabs(static_cast<double>(std::log(z) - weighted) - entropy(softmax_of(scores))) < 2e-13);
  }
}

TEST_CASE("the O(keys) Jacobian norm equals that of the explicit matrix", "[entropy][jacobian]") {
  support::Bits bits(32);
  double worst = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto weights = softmax_of(random_row(bits, 1 + bits.below(60), bits.real(0.1, 12)));
    const double by_matrix = explicit_norm(weights);
    const double by_sums = jacobian_norm(weights);
    // The matrix itself cancels in its diagonal, w - w^2, by a relative eps / (1 - w).
    worst = std::max(worst, std::fabs(by_matrix - by_sums));
  }
  CHECK(worst < 2e-15);
}

TEST_CASE("the norm of uniform and half-uniform weights has its closed form", "[entropy][jacobian]") {
  for (const std::size_t m : {1U, 2U, 3U, 17U, 64U}) {
    for (std::size_t k = 1; k <= m; ++k) {
      std::vector<double> weights(m, 0.0);
      for (std::size_t i = 0; i < k; ++i) weights[i] = 1.0 / static_cast<double>(k);
      const double expected = std::sqrt(static_cast<double>(k) - 1) / static_cast<double>(k);
      CHECK(std::fabs(jacobian_norm(weights) - expected) < 1e-15);
    }
  }
  CHECK(std::fabs(jacobian_norm(softmax_of({1, 2, 3})) - 0.3893897747) < 1e-10);
  CHECK(std::fabs(jacobian_norm(std::vector<double>(64, 1.0 / 64)) - 0.1240195927) < 1e-10);
}

TEST_CASE("next to a one-hot row the norm keeps its relative accuracy", "[entropy][jacobian]") {
  // Scores (0, -x): w = (1/(1+e), e/(1+e)), e = exp(-x), and the norm is exactly 2 e / (1+e)^2.
  for (const double x : {1.0, 10.0, 36.0, 50.0, 100.0, 300.0}) {
    const long double e = std::exp(static_cast<long double>(-x));
    const auto expected = static_cast<double>(2 * e / ((1 + e) * (1 + e)));
    CHECK(std::fabs(jacobian_norm(softmax_of({0, -x})) / expected - 1) < 1e-15);
  }
}

TEST_CASE("the Jacobian is the derivative of the softmax", "[entropy][jacobian]") {
  support::Bits bits(33);
  const double h = 1e-5;
  for (int trial = 0; trial < 50; ++trial) {
    const auto scores = random_row(bits, 2 + bits.below(12), 3);
    const auto jacobian = softmax_jacobian(softmax_of(scores)).value();
    for (std::size_t j = 0; j < scores.size(); ++j) {
      auto up = scores;
      auto down = scores;
      up[j] += h;
      down[j] -= h;
      const auto above = softmax_of(up);
      const auto below = softmax_of(down);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const double difference = (above[i] - below[i]) / (2 * h);
        REQUIRE(std::fabs(jacobian(i, j) - difference) < 1e-10);  // h^2/6 of the third derivative, and eps/h of rounding
      }
    }
  }
}

TEST_CASE("the Jacobian is symmetric and its rows sum to zero", "[entropy][jacobian]") {
  support::Bits bits(34);
  const auto jacobian = softmax_jacobian(softmax_of(random_row(bits, 20, 4))).value();
  for (std::size_t i = 0; i < 20; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 20; ++j) {
      CHECK(jacobian(i, j) == jacobian(j, i));
      sum += jacobian(i, j);
    }
    CHECK(std::fabs(sum) < 1e-16);
  }
  const std::vector<double> many(std::size_t{1} << 18);
  CHECK(softmax_jacobian(many).error().code == ErrorCode::too_large);
}

TEST_CASE("score variance is the sample variance, safe for a large mean", "[entropy]") {
  CHECK(score_variance(std::vector<double>{1, 2, 3, 4}) == 5.0 / 3);
  CHECK(score_variance(std::vector<double>{1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4}) == 5.0 / 3);
  CHECK(score_variance(std::vector<double>{7, 7, 7}) == 0);
  CHECK(std::isnan(score_variance(std::vector<double>{1})));
  CHECK(std::isnan(score_variance(std::vector<double>{})));
}

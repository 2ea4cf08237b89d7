// The bounds that fused.hpp and fused_gradient.hpp state, entry by entry against double: many seeds, widths from 1 to 256, operands of
// one and of several standard deviations, one key and many, every set of instructions of this machine.
// Rows that few keys rule, where a float's errors show most, are held to 5e-7.
//   |output - exact| <= 2^-22 (1 + s) max |v|;  |gradient - exact| <= 2^-21 (1 + s + ln m) sum of the sizes of its terms
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attn/fused_gradient.hpp"
#include "attn/fused_weights.hpp"
#include "fused_support.hpp"
#include "kernels/fused.hpp"
#include "support.hpp"

using namespace attn;

namespace {

using Four = Tensor<float, 4>;

// What the headers promise.
constexpr double output_bound = 0x1p-22;
constexpr double normalizer_bound = 0x1p-21;
constexpr double gradient_bound = 0x1p-21;

struct Sizes {
  std::size_t n, m, d, v;
};

Four normal(support::Bits& bits, std::size_t rows, std::size_t width, double deviation) {
  Four made = Four::from_shape({1, 1, rows, width});
  for (float& entry : made) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += bits.real(0, 1);
    entry = static_cast<float>(deviation * sum);
  }
  return made;
}

/// Errors in units of what they are bounded by, but for the bound's own factor.
struct Ratios {
  double output = 0, normalizer = 0, queries = 0, keys = 0, values = 0;
};

void raise(double& worst, double error, double unit) { worst = std::max(worst, error == 0 ? 0 : error / unit); }

void compare(support::Bits& bits, const Sizes& sizes, double deviation, Ratios& worst) {
  const auto [n, m, d, v] = sizes;
  const Four q = normal(bits, n, d, deviation), k = normal(bits, m, d, deviation), values = normal(bits, m, v, 1), up = normal(bits, n, v, 1);
  const auto at = [](const Four& tensor, std::size_t i, std::size_t c) { return static_cast<double>(tensor(0, 0, i, c)); };
  const auto fused = fused_attention(q, k, values).value();
  const auto gradient = fused_gradient(q, k, values, fused.output, fused.log_normalizer, up).value();
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const double log_m = std::log(static_cast<double>(m));
  std::vector<double> largest(v), p(m), slope(m), key_sum(m * d), key_size(m * d), value_sum(m * v), value_size(m * v);
  double any_value = 0, any_score = 0;
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t c = 0; c < v; ++c) largest[c] = std::max(largest[c], std::fabs(at(values, j, c)));
  }
  for (const double size : largest) any_value = std::max(any_value, size);
  for (std::size_t i = 0; i < n; ++i) {
    double best = -HUGE_VAL, of_sizes = 0, sum = 0, along = 0, reach = 0;
    for (std::size_t j = 0; j < m; ++j) {
      double score = 0, size = 0;
      for (std::size_t c = 0; c < d; ++c) {
        score += at(q, i, c) * at(k, j, c);
        size += std::fabs(at(q, i, c) * at(k, j, c));
      }
      p[j] = score * scale;
      best = std::max(best, p[j]);
      of_sizes = std::max(of_sizes, size * scale);
    }
    any_score = std::max(any_score, of_sizes);
    for (double& weight : p) sum += weight = std::exp(weight - best);
    for (double& weight : p) weight /= sum;
    raise(worst.normalizer, std::fabs(static_cast<double>(fused.log_normalizer(0, 0, i)) - best - std::log(sum)), 1 + of_sizes + log_m);
    for (std::size_t c = 0; c < v; ++c) {
      double pooled = 0;
      for (std::size_t j = 0; j < m; ++j) pooled += p[j] * at(values, j, c);
      raise(worst.output, std::fabs(at(fused.output, i, c) - pooled), (1 + of_sizes) * any_value);
      along += pooled * at(up, i, c);
      reach += largest[c] * std::fabs(at(up, i, c));
    }
    for (std::size_t j = 0; j < m; ++j) {
      slope[j] = -along;
      for (std::size_t c = 0; c < v; ++c) {
        slope[j] += at(up, i, c) * at(values, j, c);
        value_sum[j * v + c] += p[j] * at(up, i, c);
        value_size[j * v + c] += p[j] * std::fabs(at(up, i, c)) * (1 + of_sizes + log_m);
      }
      for (std::size_t c = 0; c < d; ++c) {
        key_sum[j * d + c] += p[j] * slope[j] * scale * at(q, i, c);
        key_size[j * d + c] += p[j] * reach * scale * std::fabs(at(q, i, c)) * (1 + of_sizes + log_m);
      }
    }
    for (std::size_t c = 0; c < d; ++c) {
      double exact = 0, size = 0;
      for (std::size_t j = 0; j < m; ++j) {
        exact += p[j] * slope[j] * scale * at(k, j, c);
        size += p[j] * reach * scale * std::fabs(at(k, j, c));
      }
      const double have = at(gradient.queries, i, c);
      if (m == 1) REQUIRE(have == 0);
      else raise(worst.queries, std::fabs(have - exact), (1 + of_sizes + log_m) * size);
    }
  }
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t c = 0; c < d; ++c) {
      const double have = at(gradient.keys, j, c);
      if (m == 1) REQUIRE(have == 0);
      else raise(worst.keys, std::fabs(have - key_sum[j * d + c]), key_size[j * d + c]);
    }
    for (std::size_t c = 0; c < v; ++c) raise(worst.values, std::fabs(at(gradient.values, j, c) - value_sum[j * v + c]), value_size[j * v + c]);
  }
}

}  // namespace

TEST_CASE("fused attention and its gradient are within their stated bounds, from one column to many", "[fused][gradient]") {
  support::on_every_target([&] {
    Ratios worst;
    support::Bits bits(81);
    for (const std::size_t d : {1U, 2U, 3U, 5U, 16U, 64U, 256U}) {
      const int seeds = d < 16 ? 12 : d < 256 ? 4 : 1;
      for (int seed = 0; seed < seeds; ++seed) {
        const std::size_t m = 1 + bits.below(60), v = d == 1 ? 16 : d;
        for (const double deviation : {1.0, 2.5}) compare(bits, {32, m, d, v}, deviation, worst);
        compare(bits, {5, 1, d, 64}, 1, worst);
      }
    }
    compare(bits, {8, 700, 3, 2}, 1, worst);
    compare(bits, {40, 300, 64, 8}, 1, worst);
    for (const std::size_t d : {1U, 4U}) compare(bits, {1, 7000, d, 2}, 0.1, worst);
    CAPTURE(fused_instructions(), worst.output, worst.normalizer, worst.queries, worst.keys, worst.values);
    CHECK(worst.output < output_bound);
    CHECK(worst.normalizer < normalizer_bound);
    CHECK(worst.queries < gradient_bound);
    CHECK(worst.keys < gradient_bound);
    CHECK(worst.values < gradient_bound);
  });
}

TEST_CASE("rows that few keys rule stay within 5e-7 of double, with their weights and without", "[fused]") {
  constexpr std::size_t n = 128, d = 64;
  support::Bits bits(82);
  std::vector<Four> made;
  std::vector<double> exact;
  for (int seed = 0; seed < 6; ++seed) {
    for (int operand = 0; operand < 3; ++operand) made.push_back(normal(bits, n, d, 1));
    const Four* const one = &made[3 * static_cast<std::size_t>(seed)];
    const auto at = [&](std::size_t operand, std::size_t i, std::size_t c) { return static_cast<double>(one[operand](0, 0, i, c)); };
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> p(i + 1), pooled(d);
      double best = -HUGE_VAL, sum = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t c = 0; c < d; ++c) p[j] += at(0, i, c) * at(1, j, c) / 8;
        best = std::max(best, p[j]);
      }
      for (double& weight : p) sum += weight = std::exp(weight - best);
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t c = 0; c < d; ++c) pooled[c] += p[j] / sum * at(2, j, c);
      }
      exact.insert(exact.end(), pooled.begin(), pooled.end());
    }
  }
  const auto causal = BoundMask::make(parse_mask("causal").value(), {1, 1, n, n}).value();
  support::on_every_target([&] {
    double worst = 0;
    double worst_row = 0;
    for (std::size_t seed = 0; seed < 6; ++seed) {
      const Four &q = made[3 * seed], &k = made[3 * seed + 1], &v = made[3 * seed + 2];
      const auto fused = fused_attention(q, k, v, causal).value();
      const auto weighed = fused_weights(q, k, v, causal).value();
      for (std::size_t i = 0; i < n; ++i) {
        double row = 0;
        for (std::size_t j = 0; j < n; ++j) row += static_cast<double>(weighed.weights(0, 0, i, j));
        worst_row = std::max(worst_row, std::fabs(row - 1));
        for (std::size_t c = 0; c < d; ++c) {
          const double want = exact[(seed * n + i) * d + c];
          worst = std::max({worst, std::fabs(static_cast<double>(fused.output(0, 0, i, c)) - want), std::fabs(static_cast<double>(weighed.output(0, 0, i, c)) - want)});
        }
      }
    }
    CAPTURE(fused_instructions(), worst, worst_row);
    CHECK(worst < 5e-7);
    CHECK(worst_row < 1e-6);
  });
}

TEST_CASE("values that are alike keep their size over many keys", "[fused]") {
  support::on_every_target([&] {
    for (const std::size_t m : {50U, 96U, 288U, 3072U, 9600U, 100000U}) {
      for (const float value : {0.1f, 0.7f, -3.0f}) {
        const Four q = xt::zeros<float>({std::size_t{1}, std::size_t{1}, std::size_t{3}, std::size_t{1}}), k = xt::zeros<float>({std::size_t{1}, std::size_t{1}, m, std::size_t{1}});
        Four v = k;
        v.fill(value);
        const auto fused = fused_attention(q, k, v).value();
        const auto weighed = fused_weights(q, k, v).value();
        const double growth = static_cast<double>(m) / 65536;
        const double allowed = (50 + static_cast<double>(m) / 8192) * output_bound * std::fabs(static_cast<double>(value));
        CAPTURE(m, value);
        for (const float output : fused.output) CHECK(std::fabs(static_cast<double>(output) - static_cast<double>(value)) < allowed);
        for (const float output : weighed.output) CHECK(std::fabs(static_cast<double>(output) - static_cast<double>(value)) < allowed);
        for (const float weight : weighed.weights) REQUIRE(std::fabs(static_cast<double>(weight) * static_cast<double>(m) - 1) < 1e-6 * (4 + growth));
      }
    }
  });
}

TEST_CASE("the mean of equal values is within its stated bound of them, whatever the value", "[fused]") {
  support::Bits bits(84);
  support::on_every_target([&] {
    double worst = 0;
    for (const std::size_t m : {2U, 95U, 287U, 288U, 577U, 3169U, 5753U}) {
      for (int trial = 0; trial < 60; ++trial) {
        const Four q = xt::zeros<float>({std::size_t{1}, std::size_t{1}, std::size_t{1}, std::size_t{1}}), k = xt::zeros<float>({std::size_t{1}, std::size_t{1}, m, std::size_t{1}});
        Four v = k;
        // 1.87... is among the worst that a search has found
        v.fill(trial == 0 ? 1.8704681396484375f : static_cast<float>(bits.real(1, 2)));
        const double value = static_cast<double>(v(0, 0, 0, 0));
        const double error = std::fabs(static_cast<double>(fused_attention(q, k, v).value().output(0, 0, 0, 0)) - value) / value;
        worst = std::max(worst, error / (output_bound * (50 + static_cast<double>(m) / 8192)));
      }
    }
    CAPTURE(worst);
    CHECK(worst < 1);
    CHECK(worst > 0.1);  // or the bound says too little
  });
}

TEST_CASE("one key weighs 1 however large its score", "[fused]") {
  support::Bits bits(83);
  support::on_every_target([&] {
    Four q = Four::from_shape({1, 1, 64, 1}), k = Four::from_shape({1, 1, 1, 1}), v = k;
    k.fill(1);
    v.fill(1);
    for (int trial = 0; trial < 300; ++trial) {
      // around every power of two up to 2^39, where a sum with 1.5 * 2^23 changes its last place
      for (std::size_t i = 0; i < 64; ++i) q(0, 0, i, 0) = static_cast<float>((bits.below(2) == 0 ? 1 : -1) * std::ldexp(bits.real(0.5, 2), static_cast<int>(bits.below(38))));
      if (trial == 0) q(0, 0, 0, 0) = 1488522000.0f;
      const auto fused = fused_attention(q, k, v).value();
      for (std::size_t i = 0; i < 64; ++i) {
        CAPTURE(q(0, 0, i, 0));
        REQUIRE(fused.output(0, 0, i, 0) == 1);
        REQUIRE(std::fabs(static_cast<double>(fused.log_normalizer(0, 0, i)) - static_cast<double>(q(0, 0, i, 0))) <= 2e-7 * std::max(1.0, std::fabs(static_cast<double>(q(0, 0, i, 0)))));
      }
    }
  });
}

// The float chain of JAX and the double chain of PyTorch. See chains.hpp for what they are and are not.
#include "attn/chains.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "attn/math.hpp"

namespace attn::chains {
namespace jax {
namespace {

/// Horner's rule with one rounding a step, from the highest power down.
template <std::size_t N>
float horner(float x, const std::array<float, N>& coefficients) {
  float sum = coefficients[0];
  for (std::size_t i = 1; i < N; ++i) sum = math::fma(sum, x, coefficients[i]);
  return sum;
}

/// 2^n for -126 <= n <= 127.
float power_of_two(int n) { return std::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23); }

/// A row of `draws` times a row of `matrix` divided by sqrt(width), in order, without fusing.
float projected(std::span<const float> vector, std::span<const float> matrix_row) {
  const float reciprocal = 1.0F / std::sqrt(static_cast<float>(vector.size()));
  float sum = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) sum = sum + vector[i] * (matrix_row[i] * reciprocal);
  return sum;
}

}  // namespace

float exp(float x) {
  x = std::clamp(x, -87.8F, 88.8F);
  const float n = std::floor(math::fma(x, 1.44269504088896341F, 0.5F));
  x = math::fma(-0.693359375F, n, x);
  x = math::fma(2.12194440e-4F, n, x);
  const float z = horner<6>(x, {1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F});
  return (1 + math::fma(z, x * x, x)) * power_of_two(static_cast<int>(n));
}

float tanh(float x) {
  if (std::fabs(x) < 0.0004F) return x;
  x = std::clamp(x, -9.0F, 9.0F);
  const float square = x * x;
  const float numerator = horner<7>(square, {-2.76076847742355e-16F, 2.00018790482477e-13F, -8.60467152213735e-11F, 5.12229709037114e-08F,
                                             1.48572235717979e-05F, 6.37261928875436e-04F, 4.89352455891786e-03F});
  const float denominator = horner<4>(square, {1.19825839466702e-06F, 1.18534705686654e-04F, 2.26843463243900e-03F, 4.89352518554385e-03F});
  return (x * numerator) / denominator;
}

void softmax_row(std::span<const float> scores, std::size_t length, std::span<float> weights) {
  std::fill(weights.begin(), weights.end(), 0.0F);
  if (length == 0) return;
  const float largest = *std::max_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(length));
  float sum = 0;
  for (std::size_t j = 0; j < length; ++j) {
    weights[j] = exp(scores[j] - largest);
    sum = sum + weights[j];
  }
  const float reciprocal = 1 / sum;
  for (std::size_t j = 0; j < length; ++j) weights[j] = weights[j] * reciprocal;
}

void additive_weights(const AdditiveDraws& draws, std::span<float> weights) {
  const float shrink = 1.0F / std::sqrt(static_cast<float>(additive_hidden));
  std::array<float, additive_keys> scores{};
  for (std::size_t i = 0; i < additive_queries; ++i) {
    for (std::size_t j = 0; j < additive_keys; ++j) {
      std::array<float, additive_hidden> p{};
      for (std::size_t h = 0; h < additive_hidden; ++h) {
        const float q = projected(draws.queries.subspan(i * additive_query_width, additive_query_width),
                                  draws.w_q.subspan(h * additive_query_width, additive_query_width));
        const float k = projected(draws.keys.subspan(j * additive_key_width, additive_key_width),
                                  draws.w_k.subspan(h * additive_key_width, additive_key_width));
        p[h] = tanh(q + k) * (draws.w_v[h] * shrink);
      }
      // Eight rows at a time are summed in one order, the two that are left in another.
      const bool whole = i * additive_keys + j < 16;
      scores[j] = whole ? ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]))
                        : ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
    }
    softmax_row(scores, additive_keys, weights.subspan(i * additive_keys, additive_keys));
  }
}

std::string text(float value) {
  char buffer[64];
  for (int digits = 1; digits <= 9; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, static_cast<double>(value));
    if (std::strtof(buffer, nullptr) == value) break;
  }
  // The same digits without an exponent, cut at eight decimals.
  const double shortest = std::strtod(buffer, nullptr);
  std::snprintf(buffer, sizeof buffer, "%.8f", shortest);
  std::string text = buffer;
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace jax

namespace torch {

void softmax_row(std::span<const float> scores, std::size_t length, std::span<double> weights) {
  std::fill(weights.begin(), weights.end(), 0.0);
  if (length == 0) return;
  const double largest = *std::max_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(length));
  double sum = 0;
  for (std::size_t j = 0; j < length; ++j) {
    weights[j] = math::exp(static_cast<double>(scores[j]) - largest);
    sum += weights[j];
  }
  for (std::size_t j = 0; j < length; ++j) weights[j] /= sum;
}

void additive_weights(const AdditiveDraws& draws, std::span<double> weights) {
  const auto projected = [](std::span<const float> vector, std::span<const float> row) {
    double sum = 0;
    for (std::size_t i = 0; i < vector.size(); ++i) sum += static_cast<double>(vector[i]) * static_cast<double>(row[i]);
    return sum / std::sqrt(static_cast<double>(vector.size()));
  };
  std::array<float, additive_keys> scores{};
  for (std::size_t i = 0; i < additive_queries; ++i) {
    for (std::size_t j = 0; j < additive_keys; ++j) {
      double score = 0;
      for (std::size_t h = 0; h < additive_hidden; ++h) {
        const double q = projected(draws.queries.subspan(i * additive_query_width, additive_query_width),
                                   draws.w_q.subspan(h * additive_query_width, additive_query_width));
        const double k = projected(draws.keys.subspan(j * additive_key_width, additive_key_width),
                                   draws.w_k.subspan(h * additive_key_width, additive_key_width));
        score += math::tanh(q + k) * static_cast<double>(draws.w_v[h]);
      }
      scores[j] = static_cast<float>(score / std::sqrt(static_cast<double>(additive_hidden)));
    }
    softmax_row(scores, additive_keys, weights.subspan(i * additive_keys, additive_keys));
  }
}

std::string text(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.4f", static_cast<double>(static_cast<float>(value)));
  return buffer;
}

}  // namespace torch
}  // namespace attn::chains

// A logarithm for sums of weights: near enough for them, and not correctly rounded as math::log is, which takes four times as long.
//   ln x = n ln 2 + 2 artanh((m - 1) / (m + 1)), x = 2^n m, m in [sqrt(1/2), sqrt 2]
#pragma once

#include <bit>
#include <cstdint>

namespace attn {

constexpr double ln_2 = 0.693147180559945309417232121458;

/// ln x of a normal double, off by 4e-13.
inline double ln_near(double x) {
  constexpr std::uint64_t root_of_half = 0x3FE6A09E667F3BCD;
  constexpr std::uint64_t mantissa = 0xFFFFFFFFFFFFF;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) - root_of_half;
  const auto exponent = static_cast<std::int64_t>(bits) >> 52;
  const double m = std::bit_cast<double>((bits & mantissa) + root_of_half);
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double series = 1.0 / 13;
  for (const double term : {1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0}) series = series * s2 + term;
  return static_cast<double>(exponent) * ln_2 + 2 * s * series;
}

}  // namespace attn

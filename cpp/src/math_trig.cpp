// sin, cos and sincos in double precision; see attn/math.hpp. Not their float forms, which round these.
//
// x = q pi / 2 + r, |r| <= pi / 4 (a little more at the seams), r a sum of two doubles; then Taylor's polynomials of
// sin or cos in r, by q mod 4. Below 2^20 pi / 2 is subtracted in three parts (Cody and Waite, "Software Manual for the
// Elementary Functions", 1980, chapter 8); beyond, and where that cancels too far, x times 2 / pi is taken modulo 4 in
// integers (Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983).
#include <array>
#include <cstddef>

#include "attn/math.hpp"
#include "math_detail.hpp"
#include "math_two_over_pi.hpp"

namespace attn::math {
namespace {

using detail::DoubleDouble;

// q modulo 4, and r.
struct Reduced {
  unsigned quadrant;
  DoubleDouble r;
};

constexpr double half_pi_hi = 0x1.921fb54442d18p+0;
constexpr double half_pi_lo = 0x1.1a62633145c07p-54;

// The digits of P = M * W shifted left, little end first; M has 53 bits, W eight words of 2 / pi.
constexpr std::size_t window_words = 8;
using Product = std::array<std::uint32_t, window_words + 3>;

// x = M 2^e with an integer M in [2^52, 2^53). Words of 2 / pi that contribute multiples of 4 are left out, the next
// eight are multiplied by M: what follows them changes the fraction by less than 2^-170, and no double comes closer to
// a multiple of pi / 2 than 2^-61 (Muller et al., "Handbook of Floating-Point Arithmetic", section 10.2).
Reduced reduce_large(double x) {
  const std::uint64_t bits = detail::bits_of(x);
  const std::uint64_t m = (bits & 0x000F'FFFF'FFFF'FFFFu) | 0x0010'0000'0000'0000u;
  const int e = static_cast<int>(bits >> 52) - 1075;
  const int skipped = e >= 2 ? (e - 2) / 32 : 0;

  // P has this many bits after the binary point; it is shifted left so that the point falls between two words.
  const int fraction_bits = 32 * (skipped + static_cast<int>(window_words)) - e;
  const int shift = (32 - fraction_bits % 32) % 32;
  const std::size_t point = static_cast<std::size_t>((fraction_bits + shift) / 32);

  const std::uint64_t m_lo = m & 0xFFFF'FFFFu;
  const std::uint64_t m_hi = m >> 32;
  Product p{};
  for (std::size_t i = 0; i < window_words; ++i) {
    const std::uint64_t word = detail::two_over_pi[static_cast<std::size_t>(skipped) + window_words - 1 - i];
    std::uint64_t carry = p[i] + word * m_lo;
    p[i] = static_cast<std::uint32_t>(carry);
    carry = p[i + 1] + (carry >> 32) + word * m_hi;
    p[i + 1] = static_cast<std::uint32_t>(carry);
    p[i + 2] = static_cast<std::uint32_t>(carry >> 32);
  }
  std::uint32_t incoming = 0;
  for (std::uint32_t& word : p) {
    const std::uint64_t wide = static_cast<std::uint64_t>(word) << shift | incoming;
    word = static_cast<std::uint32_t>(wide);
    incoming = static_cast<std::uint32_t>(wide >> 32);
  }

  // From one half up, the fraction f is taken as f - 1 in the next quadrant.
  unsigned quadrant = p[point] & 3u;
  const bool negative = (p[point - 1] & 0x8000'0000u) != 0;
  if (negative) {
    ++quadrant;
    std::uint64_t carry = 1;
    for (std::size_t i = 0; i < point; ++i) {
      carry += static_cast<std::uint32_t>(~p[i]);
      p[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  DoubleDouble f{0.0, 0.0};
  double weight = 0x1p-32;
  for (std::size_t i = 1; i <= 6; ++i, weight *= 0x1p-32) {
    const DoubleDouble s = detail::two_sum(f.hi, static_cast<double>(p[point - i]) * weight);
    f = detail::fast_two_sum(s.hi, s.lo + f.lo);
  }
  const DoubleDouble r = detail::two_product(f.hi, half_pi_hi);
  const DoubleDouble sum = detail::fast_two_sum(r.hi, r.lo + (f.hi * half_pi_lo + f.lo * half_pi_hi));
  return {quadrant & 3u, negative ? DoubleDouble{-sum.hi, -sum.lo} : sum};
}

// x >= 0 and finite.
Reduced reduce(double x) {
  if (x <= 0x1.921fb54442d18p-1) {
    return {0, {x, 0.0}};
  }
  if (x < 0x1p20) {
    // pi / 2 in three parts; the first two have 33 bits, so their products with n < 2^20 are exact.
    constexpr double part_1 = 0x1.921fb544p+0;
    constexpr double part_2 = 0x1.0b4611a6p-34;
    constexpr double part_3 = 0x1.3198a2e037073p-69;
    const detail::Nearest n = detail::nearest(x * 0x1.45f306dc9c883p-1);
    const DoubleDouble s = detail::two_sum(x - n.value * part_1, -(n.value * part_2));
    if (detail::magnitude(s.hi) > 0x1p-30) {  // the neglected 2^-100 stays below 2^-70 of r
      return {static_cast<unsigned>(n.integer) & 3u, detail::fast_two_sum(s.hi, s.lo - n.value * part_3)};
    }
  }
  return reduce_large(x);
}

// sin r = r - r^3 (1/3! - r^2 (1/5! - ...)) to r^17; the next term is below 2^-62.
double sin_near_zero(DoubleDouble r) {
  const double z = r.hi * r.hi;
  const double series =
      -1.0 / 6 +
      z * (1.0 / 120 +
           z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                       z * (1.0 / 6227020800 + z * (-1.0 / 1307674368000 +
                                                                                    z * (1.0 / 355687428096000)))))));
  return r.hi + (z * r.hi * series + r.lo * (1.0 - 0.5 * z));
}

// cos r = 1 - r^2 / 2 + r^4 (1/4! - ...) to r^18, with r^2 as a sum of two doubles because r^2 / 2 is not small
// against 1.
double cos_near_zero(DoubleDouble r) {
  const DoubleDouble square = detail::two_product(r.hi, r.hi);
  const double z = square.hi;
  const double z_lo = square.lo + 2.0 * r.hi * r.lo;
  const double series =
      1.0 / 24 +
      z * (-1.0 / 720 +
           z * (1.0 / 40320 +
                z * (-1.0 / 3628800 +
                     z * (1.0 / 479001600 +
                          z * (-1.0 / 87178291200 + z * (1.0 / 20922789888000 + z * (-1.0 / 6402373705728000)))))));
  const DoubleDouble leading = detail::fast_two_sum(1.0, -0.5 * z);
  return leading.hi + (leading.lo + (z * z * series - 0.5 * z_lo));
}

// sin of an angle `turns` right angles beyond the reduced one.
double sin_in_quadrant(const Reduced& reduced, unsigned turns) {
  const unsigned quadrant = (reduced.quadrant + turns) & 3u;
  const double y = (quadrant & 1u) != 0 ? cos_near_zero(reduced.r) : sin_near_zero(reduced.r);
  return (quadrant & 2u) != 0 ? -y : y;
}

}  // namespace

double sin(double x) {
  const double size = detail::magnitude(x);
  if (size < 0x1p-27) {  // x - x^3 / 6 rounds to x; keeps the sign of zero
    return x;
  }
  if (!(size < detail::infinity)) {
    return detail::quiet_nan;
  }
  const double y = sin_in_quadrant(reduce(size), 0);
  return x < 0.0 ? -y : y;
}

double cos(double x) {
  const double size = detail::magnitude(x);
  if (!(size < detail::infinity)) {
    return detail::quiet_nan;
  }
  return sin_in_quadrant(reduce(size), 1);
}

SinCos<double> sincos(double x) {
  const double size = detail::magnitude(x);
  if (!(size < detail::infinity)) {
    return {detail::quiet_nan, detail::quiet_nan};
  }
  const Reduced reduced = reduce(size);
  const double s = size < 0x1p-27 ? size : sin_in_quadrant(reduced, 0);
  return {detail::bits_of(x) >> 63 != 0 ? -s : s, sin_in_quadrant(reduced, 1)};
}

}  // namespace attn::math

// Error-free transformations and bit helpers shared by the elementary functions; private to cpp/src/math_*.cpp.
//
// A DoubleDouble is the unevaluated sum hi + lo, |lo| <= ulp(hi) / 2. Dekker, "A floating-point technique for extending
// the available precision", Numerische Mathematik 18 (1971); Knuth, TAOCP 2, section 4.2.2, theorem B.
// Correct only when every operation rounds once to double: no contraction, no extended registers, rounding to nearest.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

// Tables are computed by the compiler. The modules for speed, whose every byte is downloaded and whose digits do not compress, make theirs when they start
// (ATTN_TABLES_AT_START), by the same code, which is then compiled to be small; attn_tests_relaxed compares the bits.
#if defined(ATTN_TABLES_AT_START)
#define ATTN_MADE_SMALL __attribute__((minsize, noinline))
#else
#define ATTN_MADE_SMALL
#endif

namespace attn::math::detail {

inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct DoubleDouble {
  double hi;
  double lo;
};

// a + b exactly, for |a| >= |b| or a = 0.
constexpr DoubleDouble fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

// a + b exactly.
constexpr DoubleDouble two_sum(double a, double b) {
  const double s = a + b;
  const double b_part = s - a;
  const double a_part = s - b_part;
  return {s, (a - a_part) + (b - b_part)};
}

// a * b exactly, for products and factors far from overflow and underflow.
constexpr DoubleDouble two_product(double a, double b) {
  constexpr double splitter = 0x1p27 + 1.0;
  const double a_scaled = splitter * a;
  const double b_scaled = splitter * b;
  const double a_hi = a_scaled - (a_scaled - a);
  const double b_hi = b_scaled - (b_scaled - b);
  const double a_lo = a - a_hi;
  const double b_lo = b - b_hi;
  const double p = a * b;
  return {p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

constexpr std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

constexpr double magnitude(double x) { return std::bit_cast<double>(bits_of(x) & 0x7FFF'FFFF'FFFF'FFFFu); }

// `magnitude_of` with the sign of `sign_of`.
constexpr double with_sign(double magnitude_of, double sign_of) {
  return std::bit_cast<double>(bits_of(magnitude_of) | (bits_of(sign_of) & 0x8000'0000'0000'0000u));
}

// 2^k for -1022 <= k <= 1023.
constexpr double power_of_two(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + k) << 52); }

// The integer nearest to x (ties to even), as a double and as an int, for |x| < 2^31: adding 1.5 * 2^52 leaves no
// fraction bits, and the low word of the sum is the integer in two's complement.
struct Nearest {
  double value;
  int integer;
};
constexpr Nearest nearest(double x) {
  constexpr double magic = 0x1.8p52;
  const double shifted = x + magic;
  return {shifted - magic, static_cast<int>(static_cast<std::uint32_t>(bits_of(shifted)))};
}

// expm1(x) to about 2^-61 relative, for |x| < 64.
DoubleDouble expm1_accurate(double x);

}  // namespace attn::math::detail

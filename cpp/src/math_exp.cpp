// exp, expm1 and tanh in double precision; see attn/math.hpp. Not their float forms, which round these.
//
// exp(x) = 2^k * 2^(j/64) * e^r with 64 k + j = n, the integer nearest to 64 x / ln 2, and r = x - n ln 2 / 64, |r| <
// 2^-7.5. Table method of Tang, "Table-driven implementation of the exponential function in IEEE floating-point
// arithmetic", ACM TOMS 15 (1989), with Taylor's polynomial (r is small enough) and a table kept as unevaluated sums of
// two doubles.
#include <array>

#include "attn/math.hpp"
#include "math_detail.hpp"

namespace attn::math {
namespace {

using detail::DoubleDouble;

constexpr int table_size = 64;

// ln 2 / 64 = step_hi + step_lo. step_hi is a multiple of 2^-42, so n * step_hi is exact for |n| < 2^17.
constexpr double steps_per_unit = 0x1.71547652b82fep+6;  // 64 / ln 2
constexpr double step_hi = 0x1.62e42fefap-7;
constexpr double step_lo = 0x1.cf79abc9e3b3ap-46;

// 2^(j/64) as sums of two doubles, computed by the compiler (math_detail.hpp says where not): e^t with t = j ln 2 / 64 < 0.69 by its Taylor series in
// double-double arithmetic; 28 terms leave less than 2^-110, the arithmetic about 2^-105.
constexpr DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = detail::two_sum(a.hi, b.hi);
  return detail::fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

constexpr DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = detail::two_product(a.hi, b.hi);
  return detail::fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

constexpr DoubleDouble divide(DoubleDouble a, double b) {
  const double q = a.hi / b;
  const DoubleDouble p = detail::two_product(q, b);
  return detail::fast_two_sum(q, ((a.hi - p.hi) - p.lo + a.lo) / b);
}

ATTN_MADE_SMALL constexpr std::array<DoubleDouble, table_size> make_table(int first) {
  std::array<DoubleDouble, table_size> made{};
  for (int j = first; j < table_size; ++j) {
    const DoubleDouble t = multiply({0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, {j / 64.0, 0.0});
    DoubleDouble sum{1.0, 0.0};
    for (int term = 28; term >= 1; --term) {
      sum = add({1.0, 0.0}, divide(multiply(t, sum), term));
    }
    made[static_cast<std::size_t>(j)] = sum;
  }
  return made;
}

#if defined(ATTN_TABLES_AT_START)
volatile int start = 0;
const std::array<DoubleDouble, table_size> table = make_table(start);
#else
constexpr std::array<DoubleDouble, table_size> table = make_table(0);
#endif

// x = (64 k + j) ln 2 / 64 + r, r = r_hi + r_lo to about 2^-79; e^r - 1 = r_hi + tail.
struct Reduced {
  int k;
  DoubleDouble power;  // 2^(j/64)
  double r_hi;
  double tail;
};

inline Reduced reduce(double x) {
  const detail::Nearest n = detail::nearest(x * steps_per_unit);
  const double r_rough = x - n.value * step_hi;  // exact
  const double correction = n.value * step_lo;
  const double r = r_rough - correction;
  const double r_lo = (r_rough - r) - correction;
  const double series = 1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040)))));
  return {n.integer >> 6, table[static_cast<std::size_t>(n.integer & 63)], r, r_lo + r * r * series};
}

// (hi + lo) * 2^k for k <= -1022, where the result may be subnormal: it must be rounded once, to a multiple of 2^-1074.
// Adding 2^(-1022 - k) to the sum rounds it there, because that is where doubles are spaced 2^-1074 / 2^k.
double scale_to_subnormal(double hi, double lo, int k) {
  double y = hi + lo;
  if (k < -1022 || y < 1.0) {
    const double aligner = detail::power_of_two(-1022 - k);
    const DoubleDouble s = detail::two_sum(aligner, hi);
    y = (s.hi + (s.lo + lo)) - aligner;
  }
  return y * 0x1p-1022 * detail::power_of_two(k + 1022);
}

}  // namespace

double exp(double x) {
  if (!(detail::magnitude(x) < 746.0)) {
    if (x != x) {
      return detail::quiet_nan;
    }
    return x > 0.0 ? detail::infinity : 0.0;
  }
  const Reduced p = reduce(x);
  const double hi = p.power.hi;
  const double lo = p.power.lo + hi * (p.r_hi + p.tail);
  if (p.k <= -1022) {
    return scale_to_subnormal(hi, lo, p.k);
  }
  if (p.k >= 1023) {  // 2^1024 is not a double; overflows to infinity where it should
    return (hi + lo) * 0x1p1023 * detail::power_of_two(p.k - 1023);
  }
  return (hi + lo) * detail::power_of_two(p.k);
}

detail::DoubleDouble detail::expm1_accurate(double x) {
  // With S = 2^k 2^(j/64) and s = S - 1: S e^r - 1 = s + r + (s (e^r - 1) + (e^r - 1 - r)).
  const Reduced p = reduce(x);
  const double scale = power_of_two(p.k);
  const DoubleDouble s = two_sum(p.power.hi * scale, -1.0);
  const double s_lo = s.lo + p.power.lo * scale;
  const DoubleDouble sum = two_sum(s.hi, p.r_hi);
  return fast_two_sum(sum.hi, sum.lo + (s_lo + ((s.hi + s_lo) * (p.r_hi + p.tail) + p.tail)));
}

double expm1(double x) {
  const double size = detail::magnitude(x);
  if (!(size < 56.0)) {  // the 1 is below a quarter of an ulp of e^x, or e^x of an ulp of 1
    if (x != x) {
      return detail::quiet_nan;
    }
    return x > 0.0 ? exp(x) : -1.0;
  }
  if (size < 0x1p-54) {  // x + x^2 / 2 rounds to x; keeps the sign of zero
    return x;
  }
  return detail::expm1_accurate(x).hi;
}

double tanh(double x) {
  const double size = detail::magnitude(x);
  if (size < 0x1p-28) {  // x - x^3 / 3 rounds to x
    return x;
  }
  if (!(size < 20.0)) {  // 1 - tanh(20) < 2^-56
    return x != x ? detail::quiet_nan : detail::with_sign(1.0, x);
  }
  // tanh x = E / (E + 2), E = e^(2x) - 1; the quotient of the leading parts is corrected by the exact remainder.
  const DoubleDouble e = detail::expm1_accurate(2.0 * size);
  DoubleDouble d = detail::two_sum(2.0, e.hi);
  d.lo += e.lo;
  const double q = e.hi / d.hi;
  const DoubleDouble p = detail::two_product(q, d.hi);
  const double remainder = ((e.hi - p.hi) - p.lo) + (e.lo - q * d.lo);
  return detail::with_sign(q + remainder / d.hi, x);
}

}  // namespace attn::math

// log and log1p in double precision; see attn/math.hpp. Not their float forms, which round these.
//
// x = 2^k m with m in [sqrt(1/2), sqrt(2)); c is a short reciprocal of m rounded to 1/64 and r = c m - 1, |r| < 2^-6,
// is formed exactly as a sum of two doubles; log x = k ln 2 - log c + log(1 + r), with Taylor's polynomial for the
// last. After Tang, "Table-driven implementation of the logarithm function in IEEE floating-point arithmetic", ACM TOMS
// 16 (1990); reciprocals of few bits replace his division. Near x = 1, c = 1 and log c = 0, so nothing cancels.
#include <array>
#include <cstddef>

#include "attn/math.hpp"
#include "math_detail.hpp"

namespace attn::math {
namespace {

using detail::DoubleDouble;

// ln 2 as a multiple of 2^-42 and the rest: k * ln2_hi is exact, and so is its sum with an entry's `hi`.
constexpr double ln2_hi = 0x1.62e42fefa38p-1;
constexpr double ln2_lo = 0x1.ef35793c7673p-45;

constexpr int first_index = 45;  // round(64 sqrt(1/2))
constexpr int last_index = 91;   // round(64 sqrt(2))

struct Entry {
  double c;   // 64 / j rounded to a multiple of 2^-10
  double hi;  // -log c to a multiple of 2^-42
  double lo;  // -log c - hi
};

// -log c = -2 atanh(s), s = (c - 1) / (c + 1), |s| < 0.18: the series in double-double, 24 terms leave less than
// 2^-120.
ATTN_MADE_SMALL constexpr Entry make_entry(int j) {
  const double c = detail::nearest(65536.0 / j).value * 0x1p-10;
  const double numerator = 1.0 - c;  // exact, as are c + 1 and c itself: c has at most 11 bits
  const double denominator = 1.0 + c;
  const double s_hi = numerator / denominator;
  const DoubleDouble back = detail::two_product(s_hi, denominator);
  const DoubleDouble s{s_hi, ((numerator - back.hi) - back.lo) / denominator};
  const auto multiply = [](DoubleDouble a, DoubleDouble b) {
    const DoubleDouble p = detail::two_product(a.hi, b.hi);
    return detail::fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
  };
  const DoubleDouble z = multiply(s, s);
  DoubleDouble sum{0.0, 0.0};
  for (int term = 24; term >= 0; --term) {
    const double odd = 2.0 * term + 1.0;
    const double q = 1.0 / odd;
    const DoubleDouble unit = detail::two_product(q, odd);
    const DoubleDouble scaled = multiply(z, sum);
    const DoubleDouble total = detail::two_sum(q, scaled.hi);
    sum = detail::fast_two_sum(total.hi, total.lo + (scaled.lo + ((1.0 - unit.hi) - unit.lo) / odd));
  }
  const DoubleDouble log = multiply({2.0 * s.hi, 2.0 * s.lo}, sum);
  constexpr double to_grid = 0x1.8p10;  // adding it rounds to a multiple of 2^-42
  const double hi = (log.hi + to_grid) - to_grid;
  return {c, hi, (log.hi - hi) + log.lo};
}

ATTN_MADE_SMALL constexpr std::array<Entry, last_index - first_index + 1> make_table(int first) {
  std::array<Entry, last_index - first_index + 1> made{};
  for (int j = first; j <= last_index; ++j) {
    made[static_cast<std::size_t>(j - first)] = make_entry(j);
  }
  return made;
}

#if defined(ATTN_TABLES_AT_START)
volatile int start = first_index;
const auto table = make_table(start);
#else
constexpr auto table = make_table(first_index);
#endif

// (base_hi + base_lo) + log(1 + r + r_lo), base_hi zero or larger than r; |r| < 2^-6.
inline double sum_up(double base_hi, double base_lo, double r, double r_lo) {
  const double r2 = r * r;
  const double even = -1.0 / 2 + r2 * (-1.0 / 4 + r2 * (-1.0 / 6 + r2 * (-1.0 / 8 + r2 * (-1.0 / 10))));
  const double odd = 1.0 / 3 + r2 * (1.0 / 5 + r2 * (1.0 / 7 + r2 * (1.0 / 9)));
  const DoubleDouble s = detail::fast_two_sum(base_hi, r);
  return s.hi + (s.lo + (base_lo + (r_lo + r2 * (even + r * odd))));
}

// log(2^exponent (x + x_lo)) for normal x > 0 and |x_lo| <= ulp(x) / 2.
inline double log_of_sum(double x, double x_lo, int exponent) {
  constexpr double sqrt_2 = 0x1.6a09e667f3bcdp+0;
  const std::uint64_t bits = detail::bits_of(x);
  int k = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000F'FFFF'FFFF'FFFFu) | 0x3FF0'0000'0000'0000u);
  if (m >= sqrt_2) {
    m *= 0.5;
    ++k;
  }
  const Entry& entry = table[static_cast<std::size_t>(static_cast<int>(m * 64.0 + 0.5) - first_index)];
  // The upper 41 bits of m times the 11 of c, and the lower 12 times the 11, are exact.
  const double m_hi = std::bit_cast<double>(detail::bits_of(m) & ~std::uint64_t{0xFFF});
  double low = (m - m_hi) * entry.c;
  if (x_lo != 0.0) {
    low += x_lo * detail::power_of_two(-k) * entry.c;
  }
  const DoubleDouble r = detail::two_sum(m_hi * entry.c - 1.0, low);
  const double exponent_part = k + exponent;
  return sum_up(exponent_part * ln2_hi + entry.hi, exponent_part * ln2_lo + entry.lo, r.hi, r.lo);
}

}  // namespace

double log(double x) {
  if (!(x > 0.0 && x < detail::infinity)) {
    if (x == 0.0) {
      return -detail::infinity;
    }
    return x > 0.0 ? x : detail::quiet_nan;
  }
  if (x < 0x1p-1022) {
    return log_of_sum(x * 0x1p54, 0.0, -54);
  }
  return log_of_sum(x, 0.0, 0);
}

double log1p(double x) {
  if (!(x > -1.0 && x < 0x1p54)) {
    if (x == -1.0) {
      return -detail::infinity;
    }
    return log(x);  // 1 + x rounds to x; NaN below -1
  }
  const double size = detail::magnitude(x);
  if (size < 0x1p-54) {  // x - x^2 / 2 rounds to x; keeps the sign of zero
    return x;
  }
  if (size < 0x1p-7) {
    return sum_up(0.0, 0.0, x, 0.0);
  }
  const DoubleDouble u = detail::two_sum(1.0, x);
  return log_of_sum(u.hi, u.lo, 0);
}

}  // namespace attn::math

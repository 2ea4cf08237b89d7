// The float forms of the elementary functions: the double result rounded to float; see attn/math.hpp.
//
// The double results are off by at most 0.7 ulp, 2^-29 of that in float: rounding once more stays within 0.501 ulp.
#include <cstdint>
#include <cmath>
#include <bit>
#include "attn/math.hpp"

#include <limits>

namespace attn::math {
namespace {

// A NaN is written anew: what a conversion does to its sign is not the same everywhere.
float narrow(double y) { return y != y ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(y); }

}  // namespace

float exp(float x) { return narrow(exp(static_cast<double>(x))); }
float expm1(float x) { return narrow(expm1(static_cast<double>(x))); }
float log(float x) { return narrow(log(static_cast<double>(x))); }
float log1p(float x) { return narrow(log1p(static_cast<double>(x))); }
float sin(float x) { return narrow(sin(static_cast<double>(x))); }
float cos(float x) { return narrow(cos(static_cast<double>(x))); }
float tanh(float x) { return narrow(tanh(static_cast<double>(x))); }

SinCos<float> sincos(float x) {
  const SinCos<double> y = sincos(static_cast<double>(x));
  return {narrow(y.sin), narrow(y.cos)};
}

float fma(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = static_cast<double>(c);
  const double sum = product + addend;
  // What the sum lost, exactly (Knuth's TwoSum).
  const double back = sum - product;
  const double lost = (product - (sum - back)) + (addend - back);
  if (lost == 0 || !std::isfinite(sum)) return static_cast<float>(sum);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if ((bits & 1) == 0) bits += (lost > 0) == (sum > 0) ? std::uint64_t{1} : ~std::uint64_t{0};
  return static_cast<float>(std::bit_cast<double>(bits));
}

}  // namespace attn::math

// The float forms of the elementary functions: the double result rounded to float; see attn/math.hpp.
//
// The double results are off by at most 0.7 ulp, 2^-29 of that in float: rounding once more stays within 0.501 ulp.
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

}  // namespace attn::math

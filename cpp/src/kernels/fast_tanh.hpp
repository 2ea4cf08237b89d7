// tanh of a vector of any floats, infinities and NaN too: tanh s = sign(s) (1 - e) / (1 + e), e = e^(-2 |s|). Not for small arguments whose last
// digits count: fast_additive.hpp has other forms for those. Included by the file of each target, after ATTN_LANES.
#pragma once

#include "fast_exp.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

[[gnu::always_inline]] inline vf tangent(vf s) {
  const vi sign = all(std::int32_t(-0x7FFFFFFF - 1));
  const vf e = exp(bits(bits(s) | sign) * 2.0f);
  const vf size = (1.0f - e) / (1.0f + e);
  const vi number = s == s;
  return bits((bits(size) & number) | (bits(s) & (sign | ~number)));
}

}  // namespace
}  // namespace attn::kernels

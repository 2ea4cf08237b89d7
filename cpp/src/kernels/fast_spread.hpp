// Entropies of a panel of queries for one target, one query a lane. With e_j = 2^(factor (s_j - max s)):
//   H = ln sum e + sum e_j ln(1 / e_j) / sum e, and ln(1 / e_j) = ln 2 * factor * (max s - s_j)
// Every term is at least 0, so nothing cancels near one-hot rows; both sums are in double. The logarithm is the caller's.
#pragma once

#include "fast_product.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

[[gnu::noinline]] void spread_panel(const float* scores, std::size_t keys, float factor, double* sum, double* weighted, float* largest) {
  vf best0 = wide(scores);
  vf best1 = wide(scores + lanes);
  for (std::size_t j = 1; j < keys; ++j) {
    best0 = larger(best0, wide(scores + j * columns));
    best1 = larger(best1, wide(scores + j * columns + lanes));
  }
  put(largest, best0);
  put(largest + lanes, best1);
  for (std::size_t half = 0; half < 2; ++half) {
    const float* at = scores + half * lanes;
    const vf best = half == 0 ? best0 : best1;
    vd sum_low{};
    vd sum_high{};
    vd weighted_low{};
    vd weighted_high{};
    for (std::size_t j = 0; j < keys; ++j, at += columns) {
      const vf below = wide(at) - best;
      const vf e = exp2(below * factor);
      const vf product = e * below;
      sum_low += low(e);
      sum_high += high(e);
      weighted_low -= low(product);
      weighted_high -= high(product);
    }
    constexpr std::size_t half_bytes = sizeof(vd);
    __builtin_memcpy(sum + half * lanes, &sum_low, half_bytes);
    __builtin_memcpy(sum + half * lanes + lanes / 2, &sum_high, half_bytes);
    __builtin_memcpy(weighted + half * lanes, &weighted_low, half_bytes);
    __builtin_memcpy(weighted + half * lanes + lanes / 2, &weighted_high, half_bytes);
  }
}

}  // namespace
}  // namespace attn::kernels

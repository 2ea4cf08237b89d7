// Entropies of a panel of queries for one target, one query a lane. With t_j = factor (s_j - max s) and e_j = e^t_j:
//   H = ln sum e - sum e_j t_j / sum e
// Both terms are at least 0, so nothing cancels near one-hot rows; both sums are in double. The logarithm is the caller's.
#pragma once

#include "fast_product.hpp"
#include "fast_exp.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

[[nodiscard]] std::size_t shift_panel(float* scores, std::size_t keys, float near, std::uint32_t* close) {
  const vf least = all(-near);
  std::size_t found = 0;
  ATTN_ROLLED
  for (std::size_t half = 0; half < columns; half += lanes) {
    vf best = wide(scores + half);
    ATTN_ROLLED
    for (std::size_t j = 1; j < keys; ++j) best = larger(best, wide(scores + j * columns + half));
    ATTN_ROLLED
    for (std::size_t j = 0; j < keys; ++j) {
      float* at = scores + j * columns + half;
      const vf below = wide(at) - best;
      put(at, below);
      const vi is_close = below > least;
      if (!some_lane(is_close)) continue;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (is_close[lane] != 0) close[found++] = static_cast<std::uint32_t>(j * columns + half + lane);
      }
    }
  }
  return found;
}

[[gnu::noinline]] void spread_half(const float* scores, std::size_t keys, float factor, double* sum, double* weighted) {
  vd sum_low{};
  vd sum_high{};
  vd weighted_low{};
  vd weighted_high{};
  ATTN_ROLLED
  for (std::size_t j = 0; j < keys; ++j, scores += columns) {
    const vf below = wide(scores) * factor;
    const vf e = exp(below);
    const vf product = e * below;
    sum_low += low(e);
    sum_high += high(e);
    weighted_low += low(product);
    weighted_high += high(product);
  }
  __builtin_memcpy(sum, &sum_low, sizeof(vd));
  __builtin_memcpy(sum + lanes / 2, &sum_high, sizeof(vd));
  __builtin_memcpy(weighted, &weighted_low, sizeof(vd));
  __builtin_memcpy(weighted + lanes / 2, &weighted_high, sizeof(vd));
}

void spread_panel(const float* scores, std::size_t keys, float factor, double* sum, double* weighted) {
  ATTN_ROLLED
  for (std::size_t half = 0; half < columns; half += lanes) spread_half(scores + half, keys, factor, sum + half, weighted + half);
}

}  // namespace
}  // namespace attn::kernels

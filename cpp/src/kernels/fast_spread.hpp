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

/// scores of `count` keys with a panel of queries, in double.
template <std::size_t count>
[[gnu::always_inline]] inline void exact_rows(const float* queries, const float* keys, std::size_t d, double* out) {
  vd sums[count][4] = {};
  ATTN_ROLLED
  for (std::size_t i = 0; i < d; ++i, queries += columns) {
    const vf q0 = wide(queries);
    const vf q1 = wide(queries + lanes);
    const vd q[4] = {low(q0), high(q0), low(q1), high(q1)};
    for (std::size_t j = 0; j < count; ++j) {
      const vd k = vd{} + static_cast<double>(keys[j * d + i]);
      for (std::size_t part = 0; part < 4; ++part) sums[j][part] += k * q[part];
    }
  }
  __builtin_memcpy(out, sums, sizeof sums);
}

[[gnu::noinline]] void exact_panel(const float* queries, const float* keys, std::size_t count, std::size_t d, double* room, float* scores) {
  std::size_t j = 0;
  for (; j + 2 <= count; j += 2) exact_rows<2>(queries, keys + j * d, d, room + j * columns);
  if (j < count) exact_rows<1>(queries, keys + j * d, d, room + j * columns);
  using half = float __attribute__((vector_size(2 * ATTN_LANES)));
  constexpr std::size_t step = lanes / 2;
  ATTN_ROLLED
  for (std::size_t lane = 0; lane < columns; lane += step) {
    vd best;
    vd score;
    __builtin_memcpy(&best, room + lane, sizeof best);
    ATTN_ROLLED
    for (j = 1; j < count; ++j) {
      __builtin_memcpy(&score, room + j * columns + lane, sizeof score);
      best = score > best ? score : best;
    }
    ATTN_ROLLED
    for (j = 0; j < count; ++j) {
      __builtin_memcpy(&score, room + j * columns + lane, sizeof score);
      const half below = __builtin_convertvector(score - best, half);
      __builtin_memcpy(scores + j * columns + lane, &below, sizeof below);
    }
  }
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

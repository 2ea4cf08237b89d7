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
      for (std::size_t part = 0; part < 4; ++part) sums[j][part] = madd_exact(k, q[part], sums[j][part]);
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
  const auto score = [&](std::size_t key, std::size_t part) {
    vd found;
    __builtin_memcpy(&found, room + key * columns + part * step, sizeof found);
    return found;
  };
  vd best[4];
  for (std::size_t part = 0; part < 4; ++part) best[part] = score(0, part);
  ATTN_ROLLED
  for (j = 1; j < count; ++j) {
    for (std::size_t part = 0; part < 4; ++part) best[part] = larger(best[part], score(j, part));
  }
  ATTN_ROLLED
  for (j = 0; j < count; ++j) {
    for (std::size_t part = 0; part < 4; ++part) {
      const half below = __builtin_convertvector(score(j, part) - best[part], half);
      __builtin_memcpy(scores + j * columns + part * step, &below, sizeof below);
    }
  }
}

/// Sums in double of what comes in floats, lane by lane.
struct LaneSums {
  vd lower{}, upper{};
  [[gnu::always_inline]] void add(vf x) {
    lower += low(x);
    upper += high(x);
  }
  void put_to(double* to) const {
    __builtin_memcpy(to, &lower, sizeof lower);
    __builtin_memcpy(to + lanes / 2, &upper, sizeof upper);
  }
};

[[gnu::noinline]] void spread_half(const float* scores, std::size_t keys, float factor, double* sum, double* weighted) {
  LaneSums of_e;
  LaneSums of_product;
  std::size_t j = 0;
  // products of two keys are one float: half as many conversions; not weights, of which a small one would be lost beside the largest
  ATTN_ROLLED
  for (; j + 4 <= keys; j += 4, scores += 4 * columns) {
    vf below[4];
    vf e[4];
    for (std::size_t u = 0; u < 4; ++u) e[u] = below[u] = wide(scores + u * columns) * factor;
    exp(e);
    for (std::size_t u = 0; u < 4; ++u) of_e.add(e[u]);
    of_product.add(madd(e[0], below[0], e[1] * below[1]));
    of_product.add(madd(e[2], below[2], e[3] * below[3]));
  }
  ATTN_ROLLED
  for (; j < keys; ++j, scores += columns) {
    const vf below = wide(scores) * factor;
    const vf e = exp(below);
    of_e.add(e);
    of_product.add(e * below);
  }
  of_e.put_to(sum);
  of_product.put_to(weighted);
}

void spread_panel(const float* scores, std::size_t keys, float factor, double* sum, double* weighted) {
  ATTN_ROLLED
  for (std::size_t half = 0; half < columns; half += lanes) spread_half(scores + half, keys, factor, sum + half, weighted + half);
}

}  // namespace
}  // namespace attn::kernels

// Entropies of a panel of queries for one target, one query a lane. With t_j = factor (s_j - max s) and e_j = e^t_j:
//   H = ln sum e - sum e_j t_j / sum e
// Both terms are at least 0, so nothing cancels near one-hot rows; both sums are in double. The logarithm is the caller's.
#pragma once

#include "fast_product.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

[[nodiscard]] std::size_t shift_panel(float* scores, std::size_t keys, float near, std::uint32_t* close) {
  const vf least = all(-near);
  std::size_t found = 0;
  ATTN_ROLLED
  for (std::size_t half = 0; half < panel; half += lanes) {
    vf best = wide(scores + half);
    ATTN_ROLLED
    for (std::size_t j = 1; j < keys; ++j) best = larger(best, wide(scores + j * panel + half));
    ATTN_ROLLED
    for (std::size_t j = 0; j < keys; ++j) {
      float* at = scores + j * panel + half;
      const vf below = wide(at) - best;
      put(at, below);
      const vi is_close = below > least;
      if (!some_lane(is_close)) continue;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (is_close[lane] != 0) close[found++] = static_cast<std::uint32_t>(j * panel + half + lane);
      }
    }
  }
  return found;
}

/// Floats to doubles.
void widen(const float* from, std::size_t count, double* to) {
  std::size_t i = 0;
  ATTN_ROLLED
  for (; i + lanes <= count; i += lanes) {
    const vd both[2] = {low(wide(from + i)), high(wide(from + i))};
    __builtin_memcpy(to + i, both, sizeof both);
  }
  ATTN_ROLLED
  for (; i < count; ++i) to[i] = static_cast<double>(from[i]);
}

/// scores of `count` keys with a panel of queries, floats in doubles: every product is exact.
template <std::size_t count>
[[gnu::always_inline]] inline void exact_rows(const double* queries, const double* keys, std::size_t d, double* out) {
  vd sums[count][4] = {};
  ATTN_ROLLED
  for (std::size_t i = 0; i < d; ++i, queries += panel) {
    vd q[4];
    __builtin_memcpy(q, queries, sizeof q);
    for (std::size_t j = 0; j < count; ++j) {
      const vd k = vd{} + keys[j * d + i];
      for (std::size_t part = 0; part < 4; ++part) sums[j][part] = madd_exact(k, q[part], sums[j][part]);
    }
  }
  __builtin_memcpy(out, sums, sizeof sums);
}

[[gnu::noinline]] void exact_panel(const double* queries, const double* keys, std::size_t count, std::size_t d, double* room, float* scores) {
  std::size_t j = 0;
  for (; j + 2 <= count; j += 2) exact_rows<2>(queries, keys + j * d, d, room + j * panel);
  if (j < count) exact_rows<1>(queries, keys + j * d, d, room + j * panel);
  using half = float __attribute__((vector_size(2 * ATTN_LANES)));
  constexpr std::size_t step = lanes / 2;
  const auto score = [&](std::size_t key, std::size_t part) {
    vd found;
    __builtin_memcpy(&found, room + key * panel + part * step, sizeof found);
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
      __builtin_memcpy(scores + j * panel + part * step, &below, sizeof below);
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
  const Exp2Numbers* const numbers = exp2_memory();
  const vf magic = all(numbers->magic);
  const float of_power = factor * 1.44269504f;  // e^(factor s) = 2^(of_power s)
  LaneSums of_e;
  LaneSums of_product;
  std::size_t j = 0;
  // products of two keys are one float: half as many conversions; not weights, of which a small one would be lost beside the largest
  ATTN_ROLLED
  for (; j + 4 <= keys; j += 4, scores += 4 * panel) {
    vf e[4];
    for (std::size_t u = 0; u < 4; ++u) e[u] = wide(scores + u * panel) * of_power;
    exp2(numbers, magic, e);
    for (std::size_t u = 0; u < 4; ++u) of_e.add(e[u]);
    for (std::size_t u = 0; u < 4; u += 2) of_product.add(madd(e[u], wide(scores + u * panel), e[u + 1] * wide(scores + (u + 1) * panel)));
  }
  ATTN_ROLLED
  for (; j < keys; ++j, scores += panel) {
    vf e[1] = {wide(scores) * of_power};
    exp2(numbers, magic, e);
    of_e.add(e[0]);
    of_product.add(e[0] * wide(scores));
  }
  of_product.lower *= static_cast<double>(factor);
  of_product.upper *= static_cast<double>(factor);
  of_e.put_to(sum);
  of_product.put_to(weighted);
}

void spread_panel(const float* scores, std::size_t keys, float factor, double* sum, double* weighted) {
  ATTN_ROLLED
  for (std::size_t half = 0; half < panel; half += lanes) spread_half(scores + half, keys, factor, sum + half, weighted + half);
}

}  // namespace
}  // namespace attn::kernels

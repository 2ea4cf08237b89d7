// The two products of a tile of fused attention for one target, queries in lanes: scores^T = K Q^T is [keys][panel] by splatting keys,
// output^T = V^T P^T is [v][panel] by splatting values. Micro-tiles of 6 x 2 vectors with a fused multiply-add fill 15 registers; without
// one, 5 x 2 do; AVX-512 has 32, and takes 8 x 2. Part of the body of fused_tile; included once a target.
#pragma once

#include "fused_sight.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

constexpr std::size_t height = lanes == 16 ? 8 : fused ? 6 : 5;

/// A score is summed in parts of 32, whose errors are smaller than those of one long sum. Where V8 compiles a fused multiply-add, two parts are
/// chains side by side, of half as many keys; else parts come one after the other, through memory.
constexpr std::size_t chains = fused && lanes == 4 ? 2 : 1;
constexpr std::size_t part_width = 32 * chains;

/// Splits `count` rows into micro-tiles of few shapes, few of them thin: of height 5, 13 is 5 + 4 + 4; of 6, 6 + 6 + 1.
template <std::size_t most, class Tile>
[[gnu::always_inline]] inline void in_micro_tiles(std::size_t count, Tile tile) {
  std::size_t at = 0;
  const auto some = [&]<std::size_t rows>() {
    tile.template operator()<rows>(at);
    at += rows;
  };
  if constexpr (most == 8) {
    while (count - at >= 8) some.template operator()<8>();
  } else if constexpr (most == 6) {
    while (count - at >= 6 && count - at != 8 && count - at != 9) some.template operator()<6>();
  }
  if constexpr (most >= 5) {
    while (count - at >= 5 && count - at != 8) some.template operator()<5>();
  }
  if constexpr (most >= 4) {
    while (count - at >= 4) some.template operator()<4>();
  } else {
    while (count - at >= 3 && count - at != 4) some.template operator()<3>();
  }
  while (count - at >= 2) some.template operator()<2>();
  if (at < count) some.template operator()<1>();
}

/// One number of the width of `count` keys and a panel of queries: sums[j] += k_j q.
template <std::size_t count>
[[gnu::always_inline]] inline void score_step(const float* q, const float* keys, std::size_t stride, std::size_t at, vf (&sums)[count][2]) {
  const vf q0 = wide(q);
  const vf q1 = wide(q + lanes);
  for (std::size_t j = 0; j < count; ++j) {
    const vf k = all(keys[j * stride + at]);
    sums[j][0] = madd(k, q0, sums[j][0]);
    sums[j][1] = madd(k, q1, sums[j][1]);
  }
}

/// scores[j][0..1] = keys_j . q for `count` keys; the largest of each lane into best, in memory: no register is left for it.
template <std::size_t count>
[[gnu::always_inline]] inline void score_rows(const float* q, const float* keys, std::size_t stride, std::size_t d, float* scores, float* best) {
  vf sums[count][2];
  std::size_t i = 0;
  do {
    const std::size_t part = d - i < part_width + part_width / 2 ? d - i : part_width;
    const std::size_t steps = part / chains;
    const bool first = i == 0;
    for (auto& row : sums) row[0] = row[1] = vf{};
    if constexpr (chains == 2) {
      vf second[count][2] = {};
      ATTN_ROLLED
      for (const std::size_t end = i + steps; i < end; ++i, q += panel) {
        score_step(q, keys, stride, i, sums);
        score_step(q + steps * panel, keys, stride, i + steps, second);
      }
      for (std::size_t j = 0; j < count; ++j) {
        sums[j][0] += second[j][0];
        sums[j][1] += second[j][1];
      }
      i += steps;
      q += steps * panel;
      if (part % 2 != 0) {
        score_step(q, keys, stride, i, sums);
        ++i;
        q += panel;
      }
    } else {
      ATTN_ROLLED
      for (const std::size_t end = i + steps; i < end; ++i, q += panel) score_step(q, keys, stride, i, sums);
    }
    for (std::size_t j = 0; j < count && !first; ++j) {
      sums[j][0] += wide(scores + j * panel);
      sums[j][1] += wide(scores + j * panel + lanes);
    }
    for (std::size_t j = 0; j < count; ++j) {
      put(scores + j * panel, sums[j][0]);
      put(scores + j * panel + lanes, sums[j][1]);
    }
  } while (i < d);
  vf best0 = wide(best);
  vf best1 = wide(best + lanes);
  for (std::size_t j = 0; j < count; ++j) {
    best0 = larger(best0, sums[j][0]);
    best1 = larger(best1, sums[j][1]);
  }
  put(best, best0);
  put(best + lanes, best1);
}

[[gnu::noinline]] void score_panel(const float* q, const float* keys, std::size_t stride, std::size_t d, std::size_t count, float* scores, float* best) {
  in_micro_tiles<height / chains>(count, [&]<std::size_t rows>(std::size_t j) { score_rows<rows>(q, keys + j * stride, stride, d, scores + j * panel, best); });
}

/// output[c][0..1] = output[c] * factor + sum_j values_jc p_j for `count` columns.
template <std::size_t count>
[[gnu::always_inline]] inline void pool_columns(const float* p, const float* values, std::size_t stride, std::size_t keys, const float* factor, float* output) {
  vf sums[count][2] = {};
  ATTN_ROLLED
  for (std::size_t j = 0; j < keys; ++j, p += panel, values += stride) {
    const vf p0 = wide(p);
    const vf p1 = wide(p + lanes);
    for (std::size_t c = 0; c < count; ++c) {
      const vf x = all(values[c]);
      sums[c][0] = madd(x, p0, sums[c][0]);
      sums[c][1] = madd(x, p1, sums[c][1]);
    }
  }
  for (std::size_t c = 0; c < count; ++c) {
    put(output + c * panel, madd(wide(output + c * panel), wide(factor), sums[c][0]));
    put(output + c * panel + lanes, madd(wide(output + c * panel + lanes), wide(factor + lanes), sums[c][1]));
  }
}

[[gnu::noinline]] void pool_panel(const float* p, const float* values, std::size_t stride, std::size_t keys, std::size_t v, const float* factor, float* output) {
  in_micro_tiles<height>(v, [&]<std::size_t rows>(std::size_t c) { pool_columns<rows>(p, values + c, stride, keys, factor, output + c * panel); });
}

}  // namespace
}  // namespace attn::kernels

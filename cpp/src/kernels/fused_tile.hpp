// The body of fused_tile for one target; see fused.hpp for what it computes. Queries stand in lanes: two vectors of queries are a
// panel, packed once as [d][2 lanes] and multiplied by scale * log2(e). Then scores^T = K Q^T is [keys][panel] by splatting keys,
// the softmax goes lane by lane without a horizontal operation, and output^T = V^T P^T is [v][panel] by splatting values.
// Micro-tiles of 6 x 2 vectors with a fused multiply-add fill 15 registers; without one, 5 x 2 do; AVX-512 has 32, and takes 8 x 2.
// What a panel may see of a tile is in fused_sight.hpp: keys that no query of it may see are not computed.
#pragma once

#include "fused.hpp"
#include "fused_sight.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

constexpr std::size_t height = lanes == 16 ? 8 : fused ? 6 : 5;
constexpr float log2_e = 1.44269504f;
/// The largest score of a row before it has any, and what stands for a closed one: 2^(closed - least) is exactly 0. Scores of ordinary
/// entries are larger than both.
constexpr float least = -1.0e38f;
constexpr float closed = -3.0e38f;

/// Sums are of runs, and then of these: where one key outweighs the others, one long sum would be off by more than 5e-7 of double.
constexpr std::size_t run_width = fused && lanes == 4 ? 16 : 32;
constexpr std::size_t run_keys = 32;

/// Splits `count` rows into micro-tiles of few shapes, few of them thin: of height 5, 13 is 5 + 4 + 4; of 6, 6 + 6 + 1.
template <class Whole, class Five, class Four, class Two, class One>
[[gnu::always_inline]] inline void in_micro_tiles(std::size_t count, Whole whole, Five five, Four four, Two two, One one) {
  std::size_t at = 0;
  if constexpr (height == 8) {
    for (; count - at >= 8; at += 8) whole(at);
  } else if constexpr (height == 6) {
    for (; count - at >= 6 && count - at != 8 && count - at != 9; at += 6) whole(at);
  }
  for (; count - at >= 5 && count - at != 8; at += 5) five(at);
  for (; count - at >= 4; at += 4) four(at);
  for (; count - at >= 2; at += 2) two(at);
  if (at < count) one(at);
}

/// scores[j][0..1] = keys_j . q for `count` keys; the largest of each lane into best, in memory: no register is left for it.
template <std::size_t count>
[[gnu::always_inline]] inline void score_rows(const float* q, const float* keys, std::size_t stride, std::size_t d, float* scores, float* best) {
  std::size_t i = 0;
  vf a[count][2];
  do {
    const std::size_t end = d - i < run_width + run_width / 2 ? d : i + run_width;
    for (std::size_t j = 0; j < count; ++j) a[j][0] = a[j][1] = vf{};
    const bool first = i == 0;
    ATTN_ROLLED
    for (; i < end; ++i, q += panel) {
      const vf q0 = wide(q);
      const vf q1 = wide(q + lanes);
      for (std::size_t j = 0; j < count; ++j) {
        const vf k = all(keys[j * stride + i]);
        a[j][0] = madd(k, q0, a[j][0]);
        a[j][1] = madd(k, q1, a[j][1]);
      }
    }
    for (std::size_t j = 0; j < count && !first; ++j) {
      a[j][0] += wide(scores + j * panel);
      a[j][1] += wide(scores + j * panel + lanes);
    }
    for (std::size_t j = 0; j < count; ++j) {
      put(scores + j * panel, a[j][0]);
      put(scores + j * panel + lanes, a[j][1]);
    }
  } while (i < d);
  vf best0 = wide(best);
  vf best1 = wide(best + lanes);
  for (std::size_t j = 0; j < count; ++j) {
    best0 = larger(best0, a[j][0]);
    best1 = larger(best1, a[j][1]);
  }
  put(best, best0);
  put(best + lanes, best1);
}

[[gnu::noinline]] void score_panel(const float* q, const float* keys, std::size_t stride, std::size_t d, std::size_t count, float* scores, float* best) {
  in_micro_tiles(
      count, [&](std::size_t j) { score_rows<height>(q, keys + j * stride, stride, d, scores + j * panel, best); },
      [&](std::size_t j) { score_rows<5>(q, keys + j * stride, stride, d, scores + j * panel, best); },
      [&](std::size_t j) { score_rows<4>(q, keys + j * stride, stride, d, scores + j * panel, best); },
      [&](std::size_t j) { score_rows<2>(q, keys + j * stride, stride, d, scores + j * panel, best); },
      [&](std::size_t j) { score_rows<1>(q, keys + j * stride, stride, d, scores + j * panel, best); });
}

/// output[c][0..1] = output[c] * factor + sum_j values_jc p_j for `count` columns.
template <std::size_t count>
[[gnu::always_inline]] inline void pool_columns(const float* p, const float* values, std::size_t stride, std::size_t keys, const float* factor, float* output) {
  vf a[count][2] = {};
  ATTN_ROLLED
  for (std::size_t j = 0; j < keys; ++j, p += panel, values += stride) {
    const vf p0 = wide(p);
    const vf p1 = wide(p + lanes);
    for (std::size_t c = 0; c < count; ++c) {
      const vf x = all(values[c]);
      a[c][0] = madd(x, p0, a[c][0]);
      a[c][1] = madd(x, p1, a[c][1]);
    }
  }
  for (std::size_t c = 0; c < count; ++c) {
    put(output + c * panel, madd(wide(output + c * panel), wide(factor), a[c][0]));
    put(output + c * panel + lanes, madd(wide(output + c * panel + lanes), wide(factor + lanes), a[c][1]));
  }
}

[[gnu::noinline]] void pool_panel(const float* p, const float* values, std::size_t stride, std::size_t keys, std::size_t v, const float* factor, float* output) {
  float one[panel];
  put(one, all(1.0f));
  put(one + lanes, all(1.0f));
  while (keys > 0) {
    const std::size_t run = keys < run_keys + run_keys / 2 ? keys : run_keys;
    in_micro_tiles(
        v, [&](std::size_t c) { pool_columns<height>(p, values + c, stride, run, factor, output + c * panel); },
        [&](std::size_t c) { pool_columns<5>(p, values + c, stride, run, factor, output + c * panel); },
        [&](std::size_t c) { pool_columns<4>(p, values + c, stride, run, factor, output + c * panel); },
        [&](std::size_t c) { pool_columns<2>(p, values + c, stride, run, factor, output + c * panel); },
        [&](std::size_t c) { pool_columns<1>(p, values + c, stride, run, factor, output + c * panel); });
    p += run * panel;
    values += run * stride;
    keys -= run;
    factor = one;
  }
}

/// Scores to weights of the running softmax, in place: p = 2^(s - best); sums of the lanes are added to sum * factor.
[[gnu::noinline]] void weigh_panel(float* scores, std::size_t count, const float* best, const float* factor, float* sum) {
  const vf b0 = wide(best);
  const vf b1 = wide(best + lanes);
  vf s0{};
  vf s1{};
  for (std::size_t j = 0; j < count; ++j, scores += panel) {
    const vf p0 = exp2(wide(scores) - b0);
    const vf p1 = exp2(wide(scores + lanes) - b1);
    s0 += p0;
    s1 += p1;
    put(scores, p0);
    put(scores + lanes, p1);
  }
  put(sum, madd(wide(sum), wide(factor), s0));
  put(sum + lanes, madd(wide(sum + lanes), wide(factor + lanes), s1));
}

/// Closes scores that may not be seen, and finds the largest of the others.
[[gnu::noinline]] void close_scores(float* scores, const Sight& sight, float* best) {
  const vf none = all(closed);
  vf b0 = wide(best);
  vf b1 = wide(best + lanes);
  const auto close = [&](vi open0, vi open1) {
    const vf s0 = bits((bits(wide(scores)) & open0) | (bits(none) & ~open0));
    const vf s1 = bits((bits(wide(scores + lanes)) & open1) | (bits(none) & ~open1));
    b0 = larger(b0, s0);
    b1 = larger(b1, s1);
    put(scores, s0);
    put(scores + lanes, s1);
    scores += panel;
  };
  if (sight.words != nullptr) {
    const std::int32_t* word = sight.words;
    for (std::uint32_t key = sight.begin; key < sight.end; ++key, word += panel) {
      close(bits(wide(reinterpret_cast<const float*>(word))), bits(wide(reinterpret_cast<const float*>(word + lanes))));
    }
  } else {
    const vi from0 = whole(sight.from), from1 = whole(sight.from + lanes), to0 = whole(sight.to), to1 = whole(sight.to + lanes);
    vi key = all(static_cast<std::int32_t>(sight.begin));
    for (std::uint32_t k = sight.begin; k < sight.end; ++k, key += 1) close((key >= from0) & (key < to0), (key >= from1) & (key < to1));
  }
  put(best, b0);
  put(best + lanes, b1);
}

/// to[i][r] = rows[r][i] * scale for a panel's rows; 0 for those that are not there.
[[gnu::noinline]] void pack_panel(const float* rows, std::size_t stride, std::size_t count, std::size_t d, float scale, float* to) {
  for (std::size_t r = 0; r < panel; r += 4) {
    const std::size_t whole_width = r + 4 <= count ? d & ~std::size_t{3} : 0;
    for (std::size_t i = 0; i < whole_width; i += 4) {
      quad x[4];
      for (std::size_t k = 0; k < 4; ++k) __builtin_memcpy(&x[k], rows + (r + k) * stride + i, sizeof(quad));
      transpose(x);
      for (std::size_t k = 0; k < 4; ++k) {
        x[k] *= scale;
        __builtin_memcpy(to + (i + k) * panel + r, &x[k], sizeof(quad));
      }
    }
    for (std::size_t i = whole_width; i < d; ++i) {
      for (std::size_t k = r; k < r + 4; ++k) to[i * panel + k] = k < count ? rows[k * stride + i] * scale : 0.0f;
    }
  }
}

/// rows[r][c] = from[c][r] / sum[r]; 0 where the sum is.
[[gnu::noinline]] void unpack_panel(const float* from, const float* sum, std::size_t count, std::size_t v, float* rows, std::size_t stride) {
  float whole_of[panel];  // a division rounds once, a product with the reciprocal twice; where there is no sum, all is 0
  for (std::size_t r = 0; r < panel; ++r) whole_of[r] = sum[r] > 0 ? sum[r] : 1.0f;
  for (std::size_t r = 0; r < count; r += 4) {
    const std::size_t whole_width = r + 4 <= count ? v & ~std::size_t{3} : 0;
    quad scale;
    __builtin_memcpy(&scale, whole_of + r, sizeof(quad));
    for (std::size_t c = 0; c < whole_width; c += 4) {
      quad x[4];
      for (std::size_t k = 0; k < 4; ++k) {
        __builtin_memcpy(&x[k], from + (c + k) * panel + r, sizeof(quad));
        x[k] /= scale;
      }
      transpose(x);
      for (std::size_t k = 0; k < 4; ++k) __builtin_memcpy(rows + (r + k) * stride + c, &x[k], sizeof(quad));
    }
    for (std::size_t k = r; k < r + 4 && k < count; ++k) {
      for (std::size_t c = whole_width; c < v; ++c) rows[k * stride + c] = from[c * panel + k] / whole_of[k];
    }
  }
}

inline void fused_tile_here(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  const std::size_t panels = (rows + panel - 1) / panel;
  // queries, output^T, largest scores and sums of every panel; scores, open places and factors of one
  float* packed = scratch;
  float* output = packed + tile_queries * head.d;
  float* best = output + tile_queries * head.v;
  float* sum = best + tile_queries;
  float* factor = sum + tile_queries;
  float* before = factor + panel;
  float* scores = before + panel;
  auto* words = reinterpret_cast<std::int32_t*>(scores + tile_keys * panel);
  const auto rows_of = [&](std::size_t p) { return rows - p * panel < panel ? rows - p * panel : panel; };

  PanelSight sights[tile_queries / panel];
  for (std::size_t p = 0; p < panels; ++p) {
    pack_panel(head.queries + (first + p * panel) * head.query_stride, head.query_stride, rows_of(p), head.d, head.scale * log2_e, packed + p * panel * head.d);
    if (mask != nullptr) sights[p].look(*mask, p * panel, rows_of(p), static_cast<std::uint32_t>(head.m));
  }
  for (std::size_t r = 0; r < tile_queries; ++r) {
    best[r] = least;
    sum[r] = 0;
  }
  for (std::size_t i = 0; i < tile_queries * head.v; ++i) output[i] = 0;

  for (std::size_t key = 0; key < head.m; key += tile_keys) {
    const auto begin = static_cast<std::uint32_t>(key);
    const auto end = static_cast<std::uint32_t>(head.m - key < tile_keys ? head.m : key + tile_keys);
    std::size_t none = 0;
    std::size_t all_of = 0;
    for (std::size_t p = 0; p < panels; ++p) {
      Sight sight{begin, end};
      if (mask != nullptr) {
        sight = sights[p].of(begin, end, words);
        if (sight.begin == sight.end) {
          ++none;
          continue;
        }
      }
      all_of += !sight.some && sight.begin == begin && sight.end == end;
      const std::size_t count = sight.end - sight.begin;
      float* const top = best + p * panel;
      put(before, wide(top));
      put(before + lanes, wide(top + lanes));
      if (sight.some) {
        float unused[panel];
        put(unused, all(least));
        put(unused + lanes, all(least));
        score_panel(packed + p * panel * head.d, head.keys + sight.begin * head.key_stride, head.key_stride, head.d, count, scores, unused);
        close_scores(scores, sight, top);
      } else {
        score_panel(packed + p * panel * head.d, head.keys + sight.begin * head.key_stride, head.key_stride, head.d, count, scores, top);
      }
      put(factor, exp2(wide(before) - wide(top)));
      put(factor + lanes, exp2(wide(before + lanes) - wide(top + lanes)));
      weigh_panel(scores, count, top, factor, sum + p * panel);
      pool_panel(scores, head.values + sight.begin * head.value_stride, head.value_stride, count, head.v, factor, output + p * panel * head.v);
    }
    ++(none == panels ? counts.empty : all_of == panels ? counts.full : counts.mixed);
  }

  for (std::size_t p = 0; p < panels; ++p) {
    unpack_panel(output + p * panel * head.v, sum + p * panel, rows_of(p), head.v, head.output + (first + p * panel) * head.output_stride, head.output_stride);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    if (head.best != nullptr) head.best[first + r] = best[r];
    if (head.sum != nullptr) head.sum[first + r] = sum[r];
  }
}

}  // namespace
}  // namespace attn::kernels

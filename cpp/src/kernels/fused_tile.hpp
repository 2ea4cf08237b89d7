// The body of fused_tile for one target; see fused.hpp for what it computes. Queries stand in lanes: two vectors of queries are a
// panel, packed once as [d][2 lanes] and multiplied by scale * log2(e). Then scores^T = K Q^T is [keys][panel] by splatting keys,
// the softmax goes lane by lane without a horizontal operation, and output^T = V^T P^T is [v][panel] by splatting values.
// What a panel may see of a tile is in fused_sight.hpp: keys that no query of it may see are not computed. The products are in
// fused_products.hpp; what float32 would spoil of rows that few keys rule is mended in fused_heavy.hpp.
#pragma once

#include "fused.hpp"
#include "fused_heavy.hpp"
#include "fused_products.hpp"
#include "fused_sight.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

constexpr float log2_e = 1.44269504f;
/// The largest score of a row before it has any, and what stands for a closed one: 2^(closed - least) is exactly 0. Scores of ordinary
/// entries are larger than both.
constexpr float least = -1.0e38f;
constexpr float closed = -3.0e38f;

/// Bases of up to this size are whole numbers, which exp2 takes off together with the magic number.
constexpr float whole_base = 0x1p21f;
[[gnu::always_inline]] inline vi is_whole(vf base) { return (base <= all(whole_base)) & (base >= all(-whole_base)); }

/// The whole number next to the largest score of each lane, below which weights are reckoned: rescaling then loses nothing. Beyond 2^21 in
/// size, and where a lane sees nothing (`least`), the score itself.
[[gnu::always_inline]] inline void round_base(float* base) {
  const vf magic = all(12582912.0f);  // 1.5 * 2^23
  for (std::size_t r = 0; r < panel; r += lanes) {
    const vf top = wide(base + r);
    const vi whole_number = is_whole(top);
    put(base + r, bits((bits(top + magic - magic) & whole_number) | (bits(top) & ~whole_number)));
  }
}

/// One vector of lanes of weigh_panel. Four keys at a time: their sum errs less than the long one.
[[gnu::noinline]] void weigh_lanes(float* scores, std::size_t count, vf base, const float* factor, float* sum) {
  const Exp2Numbers* const numbers = exp2_memory();
  // a larger base would drown the magic number; not that of a lane which sees nothing, whose scores are all closed
  if (some_lane(~is_whole(base) & (base != all(least)))) {
    for (std::size_t j = 0; j < count; ++j) put(scores + j * panel, wide(scores + j * panel) - base);
    base = vf{};
  }
  const vf shift = all(numbers->magic) - base;
  vf total{};
  ATTN_ROLLED
  for (; count >= 4; count -= 4, scores += 4 * panel) {
    vf p[4];
    for (std::size_t u = 0; u < 4; ++u) p[u] = wide(scores + u * panel);
    exp2(numbers, shift, p);
    for (std::size_t u = 0; u < 4; ++u) put(scores + u * panel, p[u]);
    total += (p[0] + p[1]) + (p[2] + p[3]);
  }
  ATTN_ROLLED
  for (; count > 0; --count, scores += panel) {
    vf p[1] = {wide(scores)};
    exp2(numbers, shift, p);
    put(scores, p[0]);
    total += p[0];
  }
  put(sum, madd(wide(sum), wide(factor), total));
}

/// Scores to weights of the running softmax, in place: p = 2^(s - base); sums of the lanes are added to sum * factor.
void weigh_panel(float* scores, std::size_t count, const float* base, const float* factor, float* sum) {
  weigh_lanes(scores, count, wide(base), factor, sum);
  weigh_lanes(scores + lanes, count, wide(base + lanes), factor + lanes, sum + lanes);
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
    const auto close_keys = [&](std::uint32_t begin, std::uint32_t end) {
      vi key = all(static_cast<std::int32_t>(begin));
      for (std::uint32_t k = begin; k < end; ++k, key += 1) close((key >= from0) & (key < to0), (key >= from1) & (key < to1));
    };
    const KeySpan core = sight.core.begin < sight.core.end ? sight.core : KeySpan{sight.end, sight.end};
    close_keys(sight.begin, core.begin);
    for (std::uint32_t k = core.begin; k < core.end; ++k, scores += panel) {
      b0 = larger(b0, wide(scores));
      b1 = larger(b1, wide(scores + lanes));
    }
    close_keys(core.end, sight.end);
  }
  put(best, b0);
  put(best + lanes, b1);
}

/// Asks for all the rows at once before they are read one by one: WebAssembly has no prefetch.
[[gnu::noinline]] void fetch_rows(const float* rows, std::size_t stride, std::size_t count, std::size_t width) {
  constexpr std::size_t cache_line = 16;
  for (std::size_t r = 0; r < count; ++r, rows += stride) {
    ATTN_ROLLED
    for (std::size_t c = 0; c < width; c += cache_line) {
#if defined(__wasm__)
      asm volatile("" : : "r"(rows[c]));
#else
      __builtin_prefetch(rows + c);
#endif
    }
  }
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

constexpr std::size_t run_keys = run_tiles * tile_keys;

/// Sums of so many tiles of keys are added to the sums before them: one long chain would err in proportion to its length where values are alike.
constexpr std::size_t tiles_of_sum = 33;
static_assert(tiles_of_sum % run_tiles == 0);

/// kept[i] = kept[i] * factor + recent[i], and recent[i] = 0, for `count` vectors of a panel.
[[gnu::noinline]] void keep_sums(float* kept, float* recent, std::size_t count, const float* factor) {
  for (std::size_t r = 0; r < panel; r += lanes) {
    const vf by = wide(factor + r);
    for (std::size_t i = r; i < count * panel; i += panel) {
      put(kept + i, madd(wide(kept + i), by, wide(recent + i)));
      put(recent + i, vf{});
    }
  }
}

inline void fused_tile_here(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  const std::size_t panels = (rows + panel - 1) / panel;
  // queries, output^T, largest scores and sums of every panel; scores, open places and factors of one
  float* packed = scratch;
  float* output = packed + tile_queries * head.d;
  float* kept_output = output + tile_queries * head.v;
  float* best = kept_output + tile_queries * head.v;
  float* sum = best + tile_queries;
  float* kept_sum = sum + tile_queries;
  float* kept_base = kept_sum + tile_queries;
  float* factor = kept_base + tile_queries;
  float* before = factor + panel;
  float* scores = before + panel;
  auto* words = reinterpret_cast<std::int32_t*>(scores + run_keys * panel);
  const auto rows_of = [&](std::size_t p) { return rows - p * panel < panel ? rows - p * panel : panel; };

  fetch_rows(head.queries + first * head.query_stride, head.query_stride, rows, head.d);
  PanelSight sights[tile_queries / panel];
  for (std::size_t p = 0; p < panels; ++p) {
    pack_panel(head.queries + (first + p * panel) * head.query_stride, head.query_stride, rows_of(p), head.d, head.scale * log2_e, packed + p * panel * head.d);
    if (mask != nullptr) sights[p].look(*mask, p * panel, rows_of(p), static_cast<std::uint32_t>(head.m));
  }
  for (std::size_t r = 0; r < tile_queries; ++r) {
    best[r] = kept_base[r] = least;
    sum[r] = kept_sum[r] = 0;
  }
  const bool many = head.m > tiles_of_sum * tile_keys;
  for (std::size_t i = 0; i < (many ? 2 : 1) * tile_queries * head.v; i += lanes) put(output + i, vf{});
  const auto keep = [&] {
    for (std::size_t p = 0; p < panels; ++p) {
      const std::size_t at = p * panel;
      for (std::size_t r = 0; r < panel; r += lanes) {
        put(factor + r, exp2(wide(kept_base + at + r) - wide(best + at + r)));
        put(kept_base + at + r, wide(best + at + r));
      }
      keep_sums(kept_output + at * head.v, output + at * head.v, head.v, factor);
      keep_sums(kept_sum + at, sum + at, 1, factor);
    }
  };

  for (std::size_t key = 0; key < head.m; key += run_keys) {
    const auto end = static_cast<std::uint32_t>(head.m - key < run_keys ? head.m : key + run_keys);
    // how many panels see nothing of each tile, and how many everything
    std::size_t none[run_tiles] = {};
    std::size_t all_of[run_tiles] = {};
    for (std::size_t p = 0; p < panels; ++p) {
      const bool in_runs = mask == nullptr || sights[p].simple();
      std::uint32_t next = 0;
      for (auto begin = static_cast<std::uint32_t>(key); begin < end; begin = next) {
        next = in_runs || end - begin < tile_keys ? end : begin + static_cast<std::uint32_t>(tile_keys);
        Sight sight{begin, next};
        if (mask != nullptr) {
          sight = sights[p].of(begin, next, words);
          for (std::uint32_t at = begin; at < next; at += static_cast<std::uint32_t>(tile_keys)) {
            const std::size_t tile = (at - key) / tile_keys;
            const std::uint32_t stop = next - at < tile_keys ? next : at + static_cast<std::uint32_t>(tile_keys);
            const Sees sees = in_runs ? sights[p].sees(at, stop) : sight.sees(at, stop);
            none[tile] += sees == Sees::nothing;
            all_of[tile] += sees == Sees::everything;
          }
          if (sight.begin == sight.end) continue;
        }
        const std::size_t count = sight.end - sight.begin;
        float* const top = best + p * panel;
        put(before, wide(top));
        put(before + lanes, wide(top + lanes));
        const float* const keys = head.keys + sight.begin * head.key_stride;
        if (sight.some) {
          float unused[panel];
          put(unused, all(least));
          put(unused + lanes, all(least));
          score_panel(packed + p * panel * head.d, keys, head.key_stride, head.d, count, scores, unused);
          close_scores(scores, sight, top);
        } else {
          score_panel(packed + p * panel * head.d, keys, head.key_stride, head.d, count, scores, top);
        }
        float peak[panel];
        put(peak, wide(top));
        put(peak + lanes, wide(top + lanes));
        round_base(top);
        put(factor, exp2(wide(before) - wide(top)));
        put(factor + lanes, exp2(wide(before + lanes) - wide(top + lanes)));
        weigh_panel(scores, count, top, factor, sum + p * panel);
        float known[panel];
        for (std::size_t r = 0; r < panel; r += lanes) put(known + r, many ? wide(kept_sum + p * panel + r) * exp2(wide(kept_base + p * panel + r) - wide(top + r)) : vf{});
        const float* const values = head.values + sight.begin * head.value_stride;
        float* const pooled = output + p * panel * head.v;
        Heavy heavy[most_heavy];
        // where nothing is pooled the sum is to be that of the scores as they are
        const std::size_t found = head.v == 0 ? 0 : take_heavy(head, first + p * panel, rows_of(p), sight.begin, count, top, peak, scores, known, sum + p * panel, heavy);
        pool_panel(scores, values, head.value_stride, count, head.v, factor, pooled);
        put_heavy(heavy, found, values, head.value_stride, head.v, scores, pooled);
      }
    }
    const std::size_t tiles = (end - key + tile_keys - 1) / tile_keys;
    for (std::size_t t = 0; t < tiles; ++t) ++(mask == nullptr || all_of[t] == panels ? counts.full : none[t] == panels ? counts.empty : counts.mixed);
    if (many && ((key + run_keys) / tile_keys % tiles_of_sum == 0 || end == head.m)) keep();
  }

  if (many) {
    output = kept_output;
    sum = kept_sum;
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

// The body of weights_tile for one target: one pass over the keys for scores and their largest, kept as scores^T of a panel of queries
// and all keys; then weights, their sum, the output, and the weights transposed into their rows. Micro-tiles as in fused_tile.hpp.
#pragma once

#include "fused_tile.hpp"

namespace attn::kernels {
namespace {

inline void weights_tile_here(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* weights, std::size_t stride, float* scratch, TileCounts& counts) {
  const std::size_t d = head.d;
  const std::size_t v = head.v;
  const std::size_t panels = (rows + panel - 1) / panel;
  const std::size_t tiles = (head.m + tile_keys - 1) / tile_keys;
  float* packed = scratch;
  float* output = packed + panel * d;
  float* kept_output = output + panel * v;
  auto* words = reinterpret_cast<std::int32_t*>(kept_output + panel * v);
  float* scores = kept_output + panel * v + panel * tile_keys;
  // of every tile of keys how many panels see nothing of it, and how many all
  auto* seen = reinterpret_cast<std::uint32_t*>(scores + panel * head.m);
  for (std::size_t t = 0; t < 2 * tiles; ++t) seen[t] = 0;
  float one[panel];
  for (std::size_t r = 0; r < panel; ++r) one[r] = 1;

  for (std::size_t p = 0; p < panels; ++p) {
    const std::size_t at = first + p * panel;
    const std::size_t in_panel = rows - p * panel < panel ? rows - p * panel : panel;
    float* const weight_rows = weights + p * panel * stride;
    float best[panel];
    float peak[panel];
    float sum[panel];
    float kept_sum[panel];
    for (std::size_t r = 0; r < panel; ++r) {
      best[r] = least;
      sum[r] = kept_sum[r] = 0;
    }
    for (std::size_t i = 0; i < 2 * panel * v; ++i) output[i] = 0;
    pack_panel(head.queries + at * head.query_stride, head.query_stride, in_panel, d, head.scale * log2_e, packed);
    PanelSight sights;
    // once for the scores and their largest, once for the weights and what they pool; keys that no query may see are closed to all
    for (int pass = 0; pass < 2; ++pass) {
      const bool scoring = pass == 0;
      if (!scoring) {
        put(peak, wide(best));
        put(peak + lanes, wide(best + lanes));
        round_base(best);
      }
      if (mask != nullptr) sights.look(*mask, p * panel, in_panel, static_cast<std::uint32_t>(head.m));
      for (std::size_t t = 0; t < tiles; ++t) {
        const auto begin = static_cast<std::uint32_t>(t * tile_keys);
        const auto end = static_cast<std::uint32_t>(head.m - begin < tile_keys ? head.m : begin + tile_keys);
        Sight sight{begin, end};
        if (mask != nullptr) sight = sights.of(begin, end, words);
        const std::size_t count = sight.end - sight.begin;
        float* const here = scores + sight.begin * panel;
        const float* const keys = head.keys + sight.begin * head.key_stride;
        if (!scoring) {
          if (count == 0) continue;
          weigh_and_pool(head, {at, in_panel, sight.begin, count, here, best, peak, one, kept_sum, sum, output}, true);
          if (t % tiles_of_sum == tiles_of_sum - 1) {
            keep_sums(kept_output, output, v, one);
            keep_sums(kept_sum, sum, 1, one);
          }
          continue;
        }
        seen[2 * t] += count == 0;
        seen[2 * t + 1] += !sight.some && count == end - begin;
        for (std::size_t i = begin * panel; i < sight.begin * panel; ++i) scores[i] = 0;
        for (std::size_t i = sight.end * panel; i < end * panel; ++i) scores[i] = 0;
        if (count == 0) continue;
        float unused[panel];
        for (std::size_t r = 0; r < panel; ++r) unused[r] = least;
        score_panel(packed, keys, head.key_stride, d, count, here, sight.some ? unused : best);
        if (sight.some) close_scores(here, sight, best);
      }
    }
    keep_sums(kept_output, output, v, one);
    keep_sums(kept_sum, sum, 1, one);
    unpack_panel(kept_output, kept_sum, in_panel, v, head.output + at * head.output_stride, head.output_stride);
    unpack_panel(scores, kept_sum, in_panel, head.m, weight_rows, stride);
    for (std::size_t r = 0; r < in_panel; ++r) {
      if (head.best != nullptr) head.best[at + r] = best[r];
      if (head.sum != nullptr) head.sum[at + r] = kept_sum[r];
    }
  }
  for (std::size_t t = 0; t < tiles; ++t) ++(seen[2 * t] == panels ? counts.empty : seen[2 * t + 1] == panels ? counts.full : counts.mixed);
}

}  // namespace
}  // namespace attn::kernels

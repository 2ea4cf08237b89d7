// The body of fused_tile for one target; see fused.hpp for what it computes. Queries stand in lanes: two vectors of queries are a
// panel, packed once as [d][2 lanes] and multiplied by scale * log2(e). Then scores^T = K Q^T is [keys][panel] by splatting keys,
// the softmax goes lane by lane, and output^T = V^T P^T is [v][panel] by splatting values: fused_panel.hpp.
// What a panel may see of a tile is in fused_sight.hpp: keys that no query of it may see are not computed.
#pragma once

#include "fused_panel.hpp"

namespace attn::kernels {
namespace {

constexpr std::size_t run_keys = run_tiles * tile_keys;

/// Sums of so many tiles of keys are added to the sums before them: one long chain would err in proportion to its length where values are alike.
constexpr std::size_t tiles_of_sum = 33;
static_assert(tiles_of_sum % run_tiles == 0);

/// A tile of queries on their way through the keys.
class QueryTile {
 public:
  /// Packs the queries. `scratch` is cut into queries, output^T, largest scores and sums of every panel, and scores, open places and factors of one.
  QueryTile(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch)
      : head_(head), first_(first), rows_(rows), panels_((rows + panel - 1) / panel), masked_(mask != nullptr), many_(head.m > tiles_of_sum * tile_keys) {
    const auto cut = [&scratch](std::size_t floats) {
      float* const begin = scratch;
      scratch += floats;
      return begin;
    };
    packed_ = cut(tile_queries * head.d);
    output_ = cut(tile_queries * head.v);
    kept_output_ = cut(tile_queries * head.v);
    best_ = cut(tile_queries);
    sum_ = cut(tile_queries);
    kept_sum_ = cut(tile_queries);
    kept_base_ = cut(tile_queries);
    factor_ = cut(panel);
    scores_ = cut(run_keys * panel);
    words_ = reinterpret_cast<std::int32_t*>(scratch);

    fetch_rows(head.queries + first * head.query_stride, head.query_stride, rows, head.d);
    for (std::size_t p = 0; p < panels_; ++p) {
      pack_panel(head.queries + (first + p * panel) * head.query_stride, head.query_stride, rows_of(p), head.d, head.scale * log2_e, packed_ + p * panel * head.d);
      if (masked_) sights_[p].look(*mask, p * panel, rows_of(p), static_cast<std::uint32_t>(head.m));
    }
    for (std::size_t r = 0; r < tile_queries; ++r) {
      best_[r] = kept_base_[r] = least;
      sum_[r] = kept_sum_[r] = 0;
    }
    for (std::size_t i = 0; i < (many_ ? 2 : 1) * tile_queries * head.v; i += lanes) put(output_ + i, vf{});
  }

  /// A run of keys, which is tile by tile for queries that see more than one span.
  void keys(std::size_t key, TileCounts& counts) {
    const auto end = static_cast<std::uint32_t>(head_.m - key < run_keys ? head_.m : key + run_keys);
    // how many panels see nothing of each tile, and how many everything
    std::size_t none[run_tiles] = {};
    std::size_t all_of[run_tiles] = {};
    for (std::size_t p = 0; p < panels_; ++p) {
      const bool in_runs = !masked_ || sights_[p].simple();
      std::uint32_t next = 0;
      for (auto begin = static_cast<std::uint32_t>(key); begin < end; begin = next) {
        next = in_runs || end - begin < tile_keys ? end : begin + static_cast<std::uint32_t>(tile_keys);
        Sight sight{begin, next};
        if (masked_) {
          sight = sights_[p].of(begin, next, words_);
          for (std::uint32_t at = begin; at < next; at += static_cast<std::uint32_t>(tile_keys)) {
            const std::size_t tile = (at - key) / tile_keys;
            const std::uint32_t stop = next - at < tile_keys ? next : at + static_cast<std::uint32_t>(tile_keys);
            const Sees sees = in_runs ? sights_[p].sees(at, stop) : sight.sees(at, stop);
            none[tile] += sees == Sees::nothing;
            all_of[tile] += sees == Sees::everything;
          }
        }
        if (sight.begin < sight.end) attend(p, sight);
      }
    }
    const std::size_t tiles = (end - key + tile_keys - 1) / tile_keys;
    for (std::size_t t = 0; t < tiles; ++t) ++(!masked_ || all_of[t] == panels_ ? counts.full : none[t] == panels_ ? counts.empty : counts.mixed);
    if (many_ && ((key + run_keys) / tile_keys % tiles_of_sum == 0 || end == head_.m)) keep();
  }

  /// The output, and of every query the base and the sum.
  void finish() const {
    const float* const output = many_ ? kept_output_ : output_;
    const float* const sum = many_ ? kept_sum_ : sum_;
    for (std::size_t p = 0; p < panels_; ++p) {
      unpack_panel(output + p * panel * head_.v, sum + p * panel, rows_of(p), head_.v, head_.output + (first_ + p * panel) * head_.output_stride, head_.output_stride);
    }
    for (std::size_t r = 0; r < rows_; ++r) {
      if (head_.best != nullptr) head_.best[first_ + r] = best_[r];
      if (head_.sum != nullptr) head_.sum[first_ + r] = sum[r];
    }
  }

 private:
  [[nodiscard]] std::size_t rows_of(std::size_t p) const { return rows_ - p * panel < panel ? rows_ - p * panel : panel; }

  /// One panel and the keys that it sees of a run.
  [[gnu::noinline]] void attend(std::size_t p, const Sight& sight) {
    float* const top = best_ + p * panel;
    const float* const queries = packed_ + p * panel * head_.d;
    const float* const keys = head_.keys + sight.begin * head_.key_stride;
    const std::size_t count = sight.end - sight.begin;
    float before[panel];
    float peak[panel];
    float known[panel];
    for (std::size_t r = 0; r < panel; r += lanes) put(before + r, wide(top + r));
    if (sight.some) {
      float unused[panel];
      for (std::size_t r = 0; r < panel; r += lanes) put(unused + r, all(least));
      score_panel(queries, keys, head_.key_stride, head_.d, count, scores_, unused);
      close_scores(scores_, sight, top);
    } else {
      score_panel(queries, keys, head_.key_stride, head_.d, count, scores_, top);
    }
    for (std::size_t r = 0; r < panel; r += lanes) put(peak + r, wide(top + r));
    round_base(top);
    for (std::size_t r = 0; r < panel; r += lanes) {
      put(factor_ + r, exp2(wide(before + r) - wide(top + r)));
      put(known + r, many_ ? wide(kept_sum_ + p * panel + r) * exp2(wide(kept_base_ + p * panel + r) - wide(top + r)) : vf{});
    }
    // where nothing is pooled the sum is to be that of the scores as they are
    weigh_and_pool(head_, {first_ + p * panel, rows_of(p), sight.begin, count, scores_, top, peak, factor_, known, sum_ + p * panel, output_ + p * panel * head_.v}, head_.v > 0);
  }

  /// Adds the sums of the last tiles to those before them.
  void keep() {
    for (std::size_t p = 0; p < panels_; ++p) {
      const std::size_t at = p * panel;
      for (std::size_t r = 0; r < panel; r += lanes) {
        put(factor_ + r, exp2(wide(kept_base_ + at + r) - wide(best_ + at + r)));
        put(kept_base_ + at + r, wide(best_ + at + r));
      }
      keep_sums(kept_output_ + at * head_.v, output_ + at * head_.v, head_.v, factor_);
      keep_sums(kept_sum_ + at, sum_ + at, 1, factor_);
    }
  }

  const Head& head_;
  std::size_t first_, rows_, panels_;
  bool masked_;
  bool many_;  ///< more keys than are summed in one chain of tiles
  float *packed_, *output_, *kept_output_, *best_, *sum_, *kept_sum_, *kept_base_, *factor_, *scores_;
  std::int32_t* words_;
  PanelSight sights_[tile_queries / panel];
};

inline void fused_tile_here(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  QueryTile tile(head, first, rows, mask, scratch);
  for (std::size_t key = 0; key < head.m; key += run_keys) tile.keys(key, counts);
  tile.finish();
}

}  // namespace
}  // namespace attn::kernels

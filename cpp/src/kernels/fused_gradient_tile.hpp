// The body of gradient_tile for one target; see fused_gradient.hpp for what it computes. Queries stand in lanes as in fused_tile.hpp,
// whose micro-tiles make three of the five products: scores^T = K Q^T and V dO^T by splatting keys and values, dQ^T = K^T G^T by
// splatting keys' columns. The other two, dV = P^T dO and dK = G^T Q, have columns in lanes and splat weights.
#pragma once

#include "fused_gradient.hpp"
#include "fused_tile.hpp"

namespace attn::kernels {
namespace {

[[gnu::noinline]] void add_some(const float* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

/// Rows of dV or dK: out[j] += sum over the tile's queries of w_j,query rows[query], for `count` <= height keys and the columns of one
/// panel, of which `width` are there. Weights stand as [panel of queries][tile_keys][panel], rows as [query][panel].
template <std::size_t count>
[[gnu::always_inline]] inline void add_rows(const float* weights, std::size_t panels, const float* rows, float* out, std::size_t stride, std::size_t width) {
  vf a[count][2] = {};
  for (std::size_t p = 0; p < panels; ++p, weights += tile_keys * panel) {
    ATTN_ROLLED
    for (std::size_t i = 0; i < panel; ++i, rows += panel) {
      const vf r0 = wide(rows);
      const vf r1 = wide(rows + lanes);
      for (std::size_t j = 0; j < count; ++j) {
        const vf w = all(weights[j * panel + i]);
        a[j][0] = madd(w, r0, a[j][0]);
        a[j][1] = madd(w, r1, a[j][1]);
      }
    }
  }
  for (std::size_t j = 0; j < count; ++j, out += stride) {
    if (width >= panel) {
      put(out, wide(out) + a[j][0]);
      put(out + lanes, wide(out + lanes) + a[j][1]);
    } else {
      float row[panel];
      put(row, a[j][0]);
      put(row + lanes, a[j][1]);
      add_some(row, width, out);
    }
  }
}

[[gnu::noinline]] void add_panel(const float* weights, std::size_t panels, const float* rows, std::size_t keys, float* out, std::size_t stride, std::size_t width) {
  std::size_t j = 0;
  for (; j + height <= keys; j += height) add_rows<height>(weights + j * panel, panels, rows, out + j * stride, stride, width);
  for (; j + 2 <= keys; j += 2) add_rows<2>(weights + j * panel, panels, rows, out + j * stride, stride, width);
  if (j < keys) add_rows<1>(weights + j * panel, panels, rows, out + j * stride, stride, width);
}

/// The same for all columns.
[[gnu::noinline]] void add_columns(const float* weights, std::size_t panels, const float* rows, std::size_t keys, float* out, std::size_t columns) {
  for (std::size_t c = 0; c < columns; c += panel, rows += panels * panel * panel) add_panel(weights, panels, rows, keys, out + c, columns, columns - c);
}

/// What stands beside the queries of a tile.
struct Beside {
  float base[tile_queries], share[tile_queries], along[tile_queries];
};

/// Scores become weights P, and what `slopes` holds of dO . v becomes G. Exactly 0 where a query's share is, whatever stands there.
[[gnu::noinline]] void slope_panel(float* weights, float* slopes, std::size_t count, const Beside& beside, std::size_t first) {
  for (std::size_t half = 0; half < panel; half += lanes) {
    const vf base = wide(beside.base + first + half);
    const vf share = wide(beside.share + first + half);
    const vf along = wide(beside.along + first + half);
    const vi there = share != vf{};
    for (std::size_t j = half; j < count * panel; j += panel) {
      const vf p = bits(bits(exp2(wide(weights + j) - base) * share) & there);
      put(weights + j, p);
      put(slopes + j, bits(bits(p * (wide(slopes + j) - along)) & there));
    }
  }
}

constexpr std::size_t whole_panels(std::size_t columns) { return (columns + panel - 1) / panel * panel; }

/// Rows of the tile by columns, [panel of columns][query][panel]; 0 in rows that weigh nothing and beyond the last.
[[gnu::noinline]] void pack_rows(const float* from, std::size_t columns, const float* share, std::size_t queries, float* to) {
  for (std::size_t c = 0; c < columns; c += panel) {
    const std::size_t width = columns - c < panel ? columns - c : panel;
    for (std::size_t r = 0; r < queries; ++r, to += panel) {
      const std::size_t read = share[r] != 0 ? width : 0;
      for (std::size_t i = 0; i < panel; ++i) to[i] = i < read ? from[r * columns + c + i] : 0.0f;
    }
  }
}

[[gnu::noinline]] void clear(float* from, float* to) {
  for (; from != to; ++from) *from = 0;
}

inline void gradient_tile_here(const GradientHead& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  const std::size_t d = head.d;
  const std::size_t v = head.v;
  const std::size_t panels = (rows + panel - 1) / panel;
  const std::size_t queries = panels * panel;
  float* weights = scratch;  // [panel][key][panel], and so the slopes
  float* slopes = weights + tile_queries * tile_keys;
  auto* words = reinterpret_cast<std::int32_t*>(slopes + tile_queries * tile_keys);
  float* query_lanes = slopes + tile_queries * tile_keys + tile_keys * panel;
  float* upstream_lanes = query_lanes + tile_queries * d;
  float* gradient = upstream_lanes + tile_queries * v;  // dQ^T, as query_lanes
  float* query_rows = gradient + tile_queries * d;
  float* upstream_rows = query_rows + tile_queries * whole_panels(d);
  const auto rows_of = [&](std::size_t p) { return rows - p * panel < panel ? rows - p * panel : panel; };

  Beside beside = {};
  float one[panel];
  for (std::size_t r = 0; r < panel; ++r) one[r] = 1;
  for (std::size_t r = 0; r < rows; ++r) {
    if (head.share[first + r] == 0) continue;
    beside.base[r] = head.base[first + r];
    beside.share[r] = head.share[first + r];
    beside.along[r] = head.along[first + r] * head.scale;
  }
  // the scale of the slopes: of dO . v - D here, so that it is in G once and for all
  PanelSight sights[tile_queries / panel];
  for (std::size_t p = 0; p < panels; ++p) {
    const std::size_t at = first + p * panel;
    pack_panel(head.queries + at * d, d, rows_of(p), d, head.scale * log2_e, query_lanes + p * panel * d);
    pack_panel(head.upstream + at * v, v, rows_of(p), v, head.scale, upstream_lanes + p * panel * v);
    if (mask != nullptr) sights[p].look(*mask, p * panel, rows_of(p), static_cast<std::uint32_t>(head.m));
  }
  pack_rows(head.queries + first * d, d, beside.share, queries, query_rows);
  pack_rows(head.upstream + first * v, v, beside.share, queries, upstream_rows);
  clear(gradient, gradient + queries * d);

  for (std::size_t key = 0; key < head.m; key += tile_keys) {
    const auto begin = static_cast<std::uint32_t>(key);
    const auto end = static_cast<std::uint32_t>(head.m - key < tile_keys ? head.m : key + tile_keys);
    const std::size_t width = end - begin;
    std::size_t none = 0;
    std::size_t all_of = 0;
    for (std::size_t p = 0; p < panels; ++p) {
      Sight sight{begin, end};
      if (mask != nullptr) sight = sights[p].of(begin, end, words);
      none += sight.begin == sight.end;
      all_of += !sight.some && sight.begin == begin && sight.end == end;
      const std::size_t count = sight.end - sight.begin;
      float* const w = weights + (p * tile_keys + sight.begin - begin) * panel;
      float* const g = slopes + (p * tile_keys + sight.begin - begin) * panel;
      if (count < width) {  // keys that no query of this panel may see weigh nothing
        clear(weights + p * tile_keys * panel, w);
        clear(w + count * panel, weights + (p * tile_keys + width) * panel);
        clear(slopes + p * tile_keys * panel, g);
        clear(g + count * panel, slopes + (p * tile_keys + width) * panel);
        if (count == 0) continue;
      }
      float unused[panel] = {};
      score_panel(query_lanes + p * panel * d, head.keys + sight.begin * d, d, d, count, w, unused);
      if (sight.some) close_scores(w, sight, unused);
      score_panel(upstream_lanes + p * panel * v, head.values + sight.begin * v, v, v, count, g, unused);
      slope_panel(w, g, count, beside, p * panel);
      pool_panel(g, head.keys + sight.begin * d, d, count, d, one, gradient + p * panel * d);
    }
    ++(none == panels ? counts.empty : all_of == panels ? counts.full : counts.mixed);
    if (none == panels) continue;
    add_columns(weights, panels, upstream_rows, width, head.value_gradient + key * v, v);
    add_columns(slopes, panels, query_rows, width, head.key_gradient + key * d, d);
  }

  for (std::size_t p = 0; p < panels; ++p) unpack_panel(gradient + p * panel * d, one, rows_of(p), d, head.query_gradient + (first + p * panel) * d, d);
}

}  // namespace
}  // namespace attn::kernels

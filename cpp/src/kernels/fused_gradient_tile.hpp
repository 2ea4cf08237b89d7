// The body of gradient_tile for one target; see fused_gradient.hpp for what it computes. Queries stand in lanes as in fused_tile.hpp,
// whose micro-tiles make three of the five products: scores^T = K Q^T and V dO^T by splatting keys and values, dQ^T = K^T G^T by
// splatting keys' columns. The other two, dV = P^T dO and dK = G^T Q, have columns in lanes and splat weights.
#pragma once

#include "fused_gradient.hpp"
#include "fused_tile.hpp"

namespace attn::kernels {
namespace {

/// Rows of dV or dK: out[j] += sum over the tile's queries of w_j,query rows[query], for `count` <= height keys and the columns of one
/// panel, of which `width` are there. Weights stand as [panel of queries][tile_keys][panel], rows as [query][panel].
template <std::size_t count>
[[gnu::always_inline]] inline void add_rows(const float* weights, std::size_t panels, const float* rows, float* out, std::size_t stride, std::size_t width) {
  vf a[count][2] = {};
  for (std::size_t p = 0; p < panels; ++p, weights += tile_keys * panel) {
    ATTN_NOT_UNROLLED
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
      for (std::size_t c = 0; c < width; ++c) out[c] += row[c];
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
inline void add_columns(const float* weights, std::size_t panels, const float* rows, std::size_t keys, float* out, std::size_t columns) {
  for (std::size_t c = 0; c < columns; c += panel, rows += panels * panel * panel) add_panel(weights, panels, rows, keys, out + c, columns, columns - c);
}

/// What stands beside a panel's queries.
struct Beside {
  float base[panel], share[panel], along[panel];
};

/// Scores become weights P, and what `slopes` holds of dO . v becomes G.
[[gnu::noinline]] void slope_panel(float* weights, float* slopes, std::size_t count, const Beside& beside) {
  for (std::size_t half = 0; half < panel; half += lanes) {
    const vf base = wide(beside.base + half);
    const vf share = wide(beside.share + half);
    const vf along = wide(beside.along + half);
    for (std::size_t j = half; j < count * panel; j += panel) {
      const vf p = exp2(wide(weights + j) - base) * share;
      put(weights + j, p);
      put(slopes + j, p * (wide(slopes + j) - along));
    }
  }
}

/// Closed places weigh exactly 0, whatever stands there.
[[gnu::noinline]] void close_places(float* places, const std::int32_t* open, std::size_t count) {
  for (std::size_t i = 0; i < count * panel; i += lanes) {
    const vi o = __builtin_bit_cast(vi, wide(reinterpret_cast<const float*>(open + i)));
    put(places + i, bits(bits(wide(places + i)) & o));
  }
}

constexpr std::size_t whole_panels(std::size_t columns) { return (columns + panel - 1) / panel * panel; }

/// Rows of the tile by columns, [panel of columns][query][panel], times `factor`; 0 in rows that weigh nothing and beyond the last.
inline void pack_rows(const float* from, std::size_t columns, std::size_t rows, const float* share, std::size_t queries, float factor, float* to) {
  for (std::size_t c = 0; c < columns; c += panel) {
    const std::size_t width = columns - c < panel ? columns - c : panel;
    for (std::size_t r = 0; r < queries; ++r, to += panel) {
      const bool read = r < rows && share[r] != 0;
      for (std::size_t i = 0; i < panel; ++i) to[i] = read && i < width ? from[r * columns + c + i] * factor : 0.0f;
    }
  }
}

/// The same with queries in lanes, [panel of queries][column][panel].
inline void pack_lanes(const float* from, std::size_t columns, std::size_t rows, const float* share, std::size_t queries, float factor, float* to) {
  for (std::size_t r = 0; r < queries; ++r) {
    const bool read = r < rows && share[r] != 0;
    float* lane = to + r / panel * panel * columns + r % panel;
    for (std::size_t i = 0; i < columns; ++i) lane[i * panel] = read ? from[r * columns + i] * factor : 0.0f;
  }
}

inline void gradient_tile_here(const GradientHead& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  const std::size_t d = head.d;
  const std::size_t v = head.v;
  const std::size_t panels = (rows + panel - 1) / panel;
  const std::size_t queries = panels * panel;
  float* weights = scratch;
  float* slopes = weights + tile_queries * tile_keys;
  std::int32_t* open = reinterpret_cast<std::int32_t*>(slopes + tile_queries * tile_keys);
  float* query_lanes = slopes + tile_queries * tile_keys + tile_keys * panel;
  float* upstream_lanes = query_lanes + tile_queries * d;
  float* gradient = upstream_lanes + tile_queries * v;  // dQ^T as query_lanes
  float* query_rows = gradient + tile_queries * d;
  float* upstream_rows = query_rows + tile_queries * whole_panels(d);

  const float* share = head.share + first;
  pack_lanes(head.queries + first * d, d, rows, share, queries, head.scale * log2_e, query_lanes);
  pack_lanes(head.upstream + first * v, v, rows, share, queries, 1, upstream_lanes);
  pack_rows(head.queries + first * d, d, rows, share, queries, head.scale, query_rows);
  pack_rows(head.upstream + first * v, v, rows, share, queries, 1, upstream_rows);
  Beside beside[tile_queries / panel] = {};
  for (std::size_t r = 0; r < rows; ++r) {
    if (share[r] == 0) continue;
    beside[r / panel].base[r % panel] = head.base[first + r];
    beside[r / panel].share[r % panel] = share[r];
    beside[r / panel].along[r % panel] = head.along[first + r];
  }
  for (std::size_t i = 0; i < queries * d; ++i) gradient[i] = 0;
  const vf one[2] = {all(1.0f), all(1.0f)};

  for (std::size_t key = 0; key < head.m; key += tile_keys) {
    const std::size_t count = head.m - key < tile_keys ? head.m - key : tile_keys;
    const auto begin = static_cast<std::uint32_t>(key);
    const auto end = static_cast<std::uint32_t>(key + count);
    const Sight whole = mask == nullptr ? Sight::everything : sight(*mask, 0, rows, begin, end, nullptr);
    ++(whole == Sight::nothing ? counts.empty : whole == Sight::everything ? counts.full : counts.mixed);
    if (whole == Sight::nothing) continue;
    const float* keys = head.keys + key * d;
    for (std::size_t p = 0; p < panels; ++p) {
      float* w = weights + p * tile_keys * panel;
      float* g = slopes + p * tile_keys * panel;
      const std::size_t in_panel = rows - p * panel < panel ? rows - p * panel : panel;
      const Sight sees = whole == Sight::everything ? whole : sight(*mask, p * panel, in_panel, begin, end, open);
      if (sees == Sight::nothing) {
        for (std::size_t i = 0; i < count * panel; ++i) w[i] = g[i] = 0;
        continue;
      }
      vf unused[2] = {};
      score_panel(query_lanes + p * panel * d, keys, d, d, count, w, unused);
      score_panel(upstream_lanes + p * panel * v, head.values + key * v, v, v, count, g, unused);
      slope_panel(w, g, count, beside[p]);
      if (sees == Sight::some) {
        close_places(w, open, count);
        close_places(g, open, count);
      }
      pool_panel(g, keys, d, count, d, one, gradient + p * panel * d);
    }
    add_columns(weights, panels, upstream_rows, count, head.value_gradient + key * v, v);
    add_columns(slopes, panels, query_rows, count, head.key_gradient + key * d, d);
  }

  for (std::size_t r = 0; r < rows; ++r) {
    const float* from = gradient + r / panel * panel * d + r % panel;
    for (std::size_t i = 0; i < d; ++i) head.query_gradient[(first + r) * d + i] = from[i * panel] * head.scale;
  }
}

}  // namespace
}  // namespace attn::kernels

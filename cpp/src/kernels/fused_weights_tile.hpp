// The body of weights_tile for one target: one pass over the keys for scores and their largest, kept as scores^T of a panel of queries
// and all keys; then weights, their sum, the output, and the weights transposed into their rows. Micro-tiles as in fused_tile.hpp.
#pragma once

#include "fused_tile.hpp"

namespace attn::kernels {
namespace {

/// Weights [key][panel] into rows of the result, times the rows' shares.
[[gnu::noinline]] void write_weights(const float* weights, std::size_t count, const float* share, std::size_t rows, float* to, std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r, to += stride) {
    for (std::size_t j = 0; j < count; ++j) to[j] = weights[j * panel + r] * share[r];
  }
}

inline void weights_panel(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, std::size_t row_of_mask, float* weights, std::size_t stride, float* scratch) {
  const std::size_t d = head.d;
  const std::size_t v = head.v;
  float* packed = scratch;
  float* output = packed + panel * d;
  std::int32_t* open = reinterpret_cast<std::int32_t*>(output + panel * v);
  float* scores = output + panel * v + panel * tile_keys;
  const float scale = head.scale * log2_e;
  for (std::size_t r = 0; r < panel; ++r) {
    const float* from = head.queries + (first + r) * head.query_stride;
    for (std::size_t i = 0; i < d; ++i) packed[i * panel + r] = r < rows ? from[i] * scale : 0.0f;
  }
  for (std::size_t i = 0; i < panel * v; ++i) output[i] = 0;
  const auto sees = [&](std::size_t key, std::size_t count, std::int32_t* cells) {
    return mask == nullptr ? Sight::everything : sight(*mask, row_of_mask, rows, static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key + count), cells);
  };

  vf best[2] = {all(lowest), all(lowest)};
  for (std::size_t key = 0; key < head.m; key += tile_keys) {
    const std::size_t count = head.m - key < tile_keys ? head.m - key : tile_keys;
    const Sight here = sees(key, count, open);
    if (here == Sight::nothing) continue;
    vf unused[2] = {all(lowest), all(lowest)};
    score_panel(packed, head.keys + key * head.key_stride, head.key_stride, d, count, scores + key * panel, here == Sight::everything ? best : unused);
    if (here == Sight::some) close_scores(scores + key * panel, open, count, best);
  }

  // a closed score lies so far below any open one that 2^ it is 0; in a row without keys all are 2^0, and the share is 0
  vf sum[2] = {};
  const vf one[2] = {all(1.0f), all(1.0f)};
  for (std::size_t key = 0; key < head.m; key += tile_keys) {
    const std::size_t count = head.m - key < tile_keys ? head.m - key : tile_keys;
    if (sees(key, count, nullptr) == Sight::nothing) continue;
    weigh_panel(scores + key * panel, count, best, one, sum);
    pool_panel(scores + key * panel, head.values + key * head.value_stride, head.value_stride, count, v, one, output);
  }
  float largest[panel];
  float share[panel];
  put(largest, best[0]);
  put(largest + lanes, best[1]);
  put(share, sum[0]);
  put(share + lanes, sum[1]);
  for (std::size_t r = 0; r < rows; ++r) {
    const float total = largest[r] > lowest ? share[r] : 0.0f;
    if (head.best != nullptr) head.best[first + r] = largest[r];
    if (head.sum != nullptr) head.sum[first + r] = total;
    share[r] = total > 0 ? 1.0f / total : 0.0f;
    float* to = head.output + (first + r) * head.output_stride;
    for (std::size_t c = 0; c < v; ++c) to[c] = output[c * panel + r] * share[r];
  }
  for (std::size_t key = 0; key < head.m; key += tile_keys) {
    const std::size_t count = head.m - key < tile_keys ? head.m - key : tile_keys;
    if (sees(key, count, nullptr) != Sight::nothing) {
      write_weights(scores + key * panel, count, share, rows, weights + key, stride);
      continue;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < count; ++j) weights[r * stride + key + j] = 0;
    }
  }
}

inline void weights_tile_here(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* weights, std::size_t stride, float* scratch, TileCounts& counts) {
  for (std::size_t key = 0; key < head.m; key += tile_keys) {
    const std::size_t end = head.m - key < tile_keys ? head.m : key + tile_keys;
    const Sight whole = mask == nullptr ? Sight::everything : sight(*mask, 0, rows, static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(end), nullptr);
    ++(whole == Sight::nothing ? counts.empty : whole == Sight::everything ? counts.full : counts.mixed);
  }
  for (std::size_t row = 0; row < rows; row += panel) {
    weights_panel(head, first + row, rows - row < panel ? rows - row : panel, mask, row, weights + row * stride, stride, scratch);
  }
}

}  // namespace
}  // namespace attn::kernels

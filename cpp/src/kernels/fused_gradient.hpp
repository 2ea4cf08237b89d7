// Backward pass of attention for one head over the tiles of kernels/fused.hpp, without a matrix of queries x keys: scores and weights
// are made again, tile by tile, from what the forward pass left of every row.
//   P_ij = share_i 2^(scale log2(e) q_i . k_j - base_i), G_ij = P_ij (dO_i . v_j - along_i), along_i = dO_i . O_i
//   dV_j += sum_i P_ij dO_i, dK_j += scale sum_i G_ij q_i, dQ_i = scale sum_j G_ij k_j
// For numbers of ordinary size alone; who calls it deals with others apart.
// Source: Dao et al. 2022 (FlashAttention), appendix B.4 and algorithm 4.
#pragma once

#include "fused.hpp"

namespace attn::kernels {

/// Entries up to 2^30 in size: products of three rows still fit a float, for up to 2^36 keys times columns.
constexpr float ordinary_gradient = 0x1p30f;

/// One head, its rows without gaps.
struct GradientHead {
  const float* queries;
  const float* keys;
  const float* values;
  const float* upstream;
  const float* base;   ///< one a query, in units of log2(e)
  const float* share;  ///< one a query; a row of share 0 is not read, weighs nothing, and its own gradient is 0
  const float* along;  ///< one a query
  float* query_gradient;  ///< written
  float* key_gradient;    ///< added to
  float* value_gradient;  ///< added to
  std::size_t n, m, d, v;
  float scale;
};

/// Floats of scratch that a tile needs.
[[nodiscard]] std::size_t gradient_scratch(std::size_t d, std::size_t v);

/// What the queries [first, first + rows) of a head give, rows <= tile_queries; `mask` null: all keys. One tile of queries after the
/// other: two must not add to the same keys at once.
void gradient_tile(const GradientHead& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts);

}  // namespace attn::kernels

// Attention forward of one head over tiles of 32 queries and 96 keys, without a matrix of queries x keys: online softmax.
//   out_i = sum_j w_ij v_j, w_i = softmax of scale * q_i . k_j over the allowed j; ln sum_j exp(scale * q_i . k_j) = (best_i + log2 sum_i) ln 2
// For numbers of ordinary size alone (see ordinary below): who calls it deals with NaN, infinities and giants apart.
// Float32, but for keys that weigh more than an eighth of their row's sum. Sums are of one to three tiles, of 33 tiles, and of these, so
// that an error hardly grows with the number of keys.
// Sources: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax"; Dao et al. 2022, section 3.1; Rabe and Staats 2021.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attn/key_span.hpp"

namespace attn::kernels {

constexpr std::size_t tile_queries = 32;
constexpr std::size_t tile_keys = 96;

/// Tiles that a panel of queries goes through at once where each of them sees one run of keys: loops are longer, and there are fewer of them.
constexpr std::size_t run_tiles = 3;

/// Entries up to 2^40 in size: no product of two rows overflows a float, whatever the width up to 2^40.
constexpr float ordinary = 0x1p40f;

/// Values up to 2^90 in size: weights of a running sum are at most 2^(1/2), and sums of 2^32 products fit a float.
constexpr float ordinary_value = 0x1p90f;

/// What a tile of queries may see: for each of its rows ascending spans of keys.
struct TileRows {
  const KeySpan* spans[tile_queries];
  std::uint32_t counts[tile_queries];
};

struct TileCounts {
  std::uint64_t full = 0;   ///< every query of the tile may see every key of it: run without a mask
  std::uint64_t mixed = 0;  ///< run with a mask
  std::uint64_t empty = 0;  ///< not run
};

/// One head: row-major operands whose rows may stand apart.
struct Head {
  const float* queries;
  const float* keys;
  const float* values;
  float* output;
  float* best;  ///< one a query, may be null: the largest allowed score times log2(e), to the nearest whole number
  float* sum;   ///< one a query, may be null: the sum of 2^(score log2(e) - best); 0 where no key is allowed
  std::size_t n, m, d, v;
  std::size_t query_stride, key_stride, value_stride, output_stride;
  float scale;
};

/// Floats of scratch that a tile needs.
[[nodiscard]] std::size_t fused_scratch(std::size_t d, std::size_t v);

/// The queries [first, first + rows) of a head, rows <= tile_queries; `mask` null: all keys.
void fused_tile(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts);

/// odd[i] = 1 where a row holds NaN or a number beyond `limit` in size, as it was otherwise. Whether there is one.
bool mark_odd_rows(const float* rows, std::size_t stride, std::size_t count, std::size_t width, float limit, std::uint8_t* odd);

/// The form that also returns the weights: their rows, `stride` apart, are written whole, with exact zeros for closed places. Scores of
/// all keys of a panel of queries stand in scratch.
void weights_tile(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* weights, std::size_t stride, float* scratch, TileCounts& counts);
[[nodiscard]] std::size_t weights_scratch(std::size_t m, std::size_t d, std::size_t v);

struct GradientHead;

/// The three of one instruction set (targets.hpp): fused_tile, weights_tile, and gradient_tile of fused_gradient.hpp.
struct FusedKernels {
  void (*tile)(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts);
  void (*weights)(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* weights, std::size_t stride, float* scratch, TileCounts& counts);
  void (*gradient)(const GradientHead& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts);
};

extern const FusedKernels fused_kernels_base;
#if defined(__x86_64__) && !defined(ATTN_SCALAR)
extern const FusedKernels fused_kernels_avx2;
extern const FusedKernels fused_kernels_avx512;
#endif

}  // namespace attn::kernels

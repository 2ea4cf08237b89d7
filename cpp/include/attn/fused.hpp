// Attention forward that never holds a matrix of queries x keys: scaled dot products, masked softmax and the weighted sum in one
// pass over tiles of 32 queries and 96 keys, in float32. The same meanings as pooling.hpp, which computes in double and returns the
// weights too; memory grows with queries plus keys.
// Masks save work: tiles in which no query may see a key are skipped, tiles in which every query may see every key run without a
// mask. `tiles` counts them.
// Exactness: a fused multiply-add where the processor has one, so results differ between machines. From double an output is at most
// 2^-22 (1 + s) max |v| away and a log normaliser 2^-21 (1 + s + ln m), where s is the largest sum_c |q_c k_jc| / sqrt(d) of the query's keys:
// the more a score is summed of, the more it is off. So for operands as they come (tests/cpp/fused_bound_test.cpp compares normal ones of
// 1 to 256 columns). Where scores are alike, and a column's values too, their roundings go one way along up to 288 keys, and it is at
// most 2^-22 (50 + s + m / 2^13) max |v|: a sum of n equal terms is off by up to (n + 1) / 2 roundings (2e-6 to 5e-6 of a value were measured).
// Rows that meet infinities, queries or keys beyond 2^40, values that are NaN or beyond 2^90 are computed apart, in double and slowly, so that
// they mean what they mean everywhere else; where a query, or a key that it sees, has a NaN, all its row is NaN, and nothing is computed.
// Sources: Milakov and Gimelshein 2018; Dao et al. 2022 (FlashAttention), section 3.1.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "attn/error.hpp"
#include "attn/pooling.hpp"
#include "attn/tensor.hpp"
#include "attn/view.hpp"

namespace attn {

/// Which queries of a larger attention the given ones are, so that several callers can share one: the mask speaks of all `total`, and the
/// queries given are first, first + 1, ... of them. total = 0: the queries given are all.
/// So can whole heads: with heads > 0 the mask is one of (batch, heads), and what is given, batch x heads in order, is slice, slice + 1, ... of these.
struct FusedRows {
  std::size_t first = 0;
  std::size_t total = 0;
  std::size_t slice = 0;
  std::size_t batch = 0;
  std::size_t heads = 0;
};

struct FusedTiles {
  std::uint64_t full = 0;   ///< run without a mask
  std::uint64_t mixed = 0;  ///< run with a mask
  std::uint64_t empty = 0;  ///< skipped
};

struct FusedAttention {
  Tensor<float, 4> output;          ///< (batch, heads, n, v); zeros where a query has no key
  Tensor<float, 3> log_normalizer;  ///< (batch, heads, n): ln sum exp(score) over the allowed keys, nats; -infinity where there is none
  FusedTiles tiles;                 ///< of all heads together
};

/// Scaled dot-product attention.
/// @param queries  (batch, heads, n, d)
/// @param keys     (batch, heads, m, d)
/// @param values   (batch, heads, m, v)
/// @param mask     none, valid lengths, a boolean mask (the same for all heads), an expression bound to (batch, heads, n, m), or KeySpans of your own;
///                 where `rows` are some of many, n is their total
/// @param rows     which queries of all these are
/// d = 0 gives scores 0; no keys, queries, heads or batch give zeros or tensors without elements.
/// Errors: wrong_shape naming both shapes and the axis ("keys", "values", "mask"), out_of_range ("rows"), those of ValidLens::check, too_large.
[[nodiscard]] Result<FusedAttention> fused_attention(const Tensor<float, 4>& queries, const Tensor<float, 4>& keys, const Tensor<float, 4>& values,
                                                     const MaskView& mask = {}, FusedRows rows = {});

/// The same into memory of the caller's, none of which may overlap: output (batch, heads, n, v) and, unless it is null, log_normalizer
/// (batch, heads, n). Memory beyond these: fused_forward_bytes of fused_count.hpp.
/// Errors: as above, and wrong_shape on "output".
[[nodiscard]] Result<FusedTiles> fused_attention_into(const View<const float, 4>& queries, const View<const float, 4>& keys, const View<const float, 4>& values,
                                                      const MaskView& mask, FusedRows rows, const View<float, 4>& output, float* log_normalizer);

/// Queries and keys of a tile. Cut at multiples of the first, an attention gives the same bits as in one piece.
inline constexpr std::size_t fused_tile_queries = 32;
inline constexpr std::size_t fused_tile_keys = 96;

/// Tiles that the attention of such a mask will visit (full and mixed), without any arithmetic: one number for each block of queries of each head
/// of (batch, heads, queries, keys). For sharing out its work.
/// Errors: those of the mask, too_large.
[[nodiscard]] Result<std::vector<std::uint32_t>> fused_visits(const std::array<std::size_t, 4>& sizes, const MaskView& mask);

/// The instructions that run here: "scalar", "sse2", "avx2", "avx512", "neon", "simd128" or "relaxed".
[[nodiscard]] std::string_view fused_instructions();

}  // namespace attn

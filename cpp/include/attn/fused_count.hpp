// What fused attention will do and need, without doing it: the tiles that a mask leaves, and the memory beyond operands and results.
// Counts, no estimates: the forward pass (fused.hpp) and the backward pass (fused_gradient.hpp) visit these very tiles.
#pragma once

#include <array>
#include <cstdint>

#include "attn/error.hpp"
#include "attn/fused.hpp"

namespace attn {

/// The tiles of queries (batch, heads, n) on `keys` keys, all heads together.
/// Errors: as those of fused_attention on "mask" and "rows"; too_large on "keys" and "queries".
[[nodiscard]] Result<FusedTiles> count_fused_tiles(const std::array<std::size_t, 3>& queries, std::size_t keys, const MaskView& mask = {}, FusedRows rows = {});

/// Bytes that a pass over heads of n queries and m keys takes at most beside its operands and results, where every entry is ordinary:
/// what one tile needs, whatever n and m are, and a few bytes a query and a key. Masks of more than one span a query add those of 32
/// queries. Where one is not, a key of its head takes up to 4 (d + v) + 20 bytes more, and 12 (d + v) + 28 in the backward pass.
[[nodiscard]] std::uint64_t fused_forward_bytes(std::size_t n, std::size_t m, std::size_t d, std::size_t v);
[[nodiscard]] std::uint64_t fused_gradient_bytes(std::size_t n, std::size_t m, std::size_t d, std::size_t v);

}  // namespace attn

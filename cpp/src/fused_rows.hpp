// The rows of any mask for the queries that a call computes, block by block, and whether mask and shapes fit: what fused attention, its gradient and the
// fast softmax read masks by. Not a mask: nothing of queries x keys is written out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "attn/fused.hpp"
#include "attn/mask_view.hpp"
#include "kernels/fused.hpp"
#include "room.hpp"

namespace attn {

/// Whether so many rows ("queries" or "keys") can be numbered and marked.
std::optional<Error> check_fused_rows(std::string_view name, std::size_t rows);

/// Whether queries, keys and values (batch, heads, rows, width) fit each other.
std::optional<Error> check_fused_shapes(const std::array<std::size_t, 4>& q, const std::array<std::size_t, 4>& k, const std::array<std::size_t, 4>& v);

/// The tiles of queries (batch, heads, n) on so many keys where there is no mask. Error: too_large on "queries".
Result<FusedTiles> all_tiles(const std::array<std::size_t, 3>& queries, std::size_t keys);
/// The same where they can be counted.
constexpr std::uint64_t tiles_without_mask(const std::array<std::size_t, 3>& queries, std::size_t keys) {
  const std::uint64_t of_head = std::uint64_t{(queries[2] + kernels::tile_queries - 1) / kernels::tile_queries} * ((keys + kernels::tile_keys - 1) / kernels::tile_keys);
  return std::uint64_t{queries[0]} * queries[1] * of_head;
}

/// Whether a mask fits the queries of a call and the keys.
/// Errors: out_of_range on "rows", those of the mask, too_large on "queries".
std::optional<Error> check_mask(const MaskView& mask, const std::array<std::size_t, 4>& q, FusedRows which, std::size_t keys);

/// A mask laid on the queries (batch, heads, n) of one call, which it fits. What `mask` was made from outlives it.
class KeyRows {
 public:
  KeyRows(const MaskView& mask, const std::array<std::size_t, 4>& q, FusedRows which, std::size_t keys);

  [[nodiscard]] bool any() const noexcept { return mask_.any(); }
  /// Whether the rows of a slice are the same for all queries.
  [[nodiscard]] bool same_for_queries() const noexcept { return serve_all_; }

  /// The rows of `count` of the queries given, from `first` on, or more; `slice` counts batch x heads of the call. They live until the next call. Without a mask all keys.
  const SpanBlock& read(std::size_t slice, std::size_t first, std::size_t count);

  /// The same for a kernel.
  void tile(std::size_t slice, std::size_t first, std::size_t count, kernels::TileRows& tile);

  /// From the first key that one of the first so many queries sees to the last; their rows are read for it.
  KeySpan seen(std::size_t slice, std::size_t queries);
  [[nodiscard]] const SpanBlock& rows() const noexcept { return rows_; }

 private:
  void forget();

  const MaskView mask_;
  const std::size_t keys_;
  const std::size_t first_;
  const std::size_t slice_;
  const std::size_t heads_;
  SpanBlock rows_;
  /// Whether these serve every query of a slice, and of which they are.
  bool serve_all_ = false;
  std::size_t rows_of_ = static_cast<std::size_t>(-1);
  /// Rows of one span or none, read once for all heads, and for all sequences where they are the same.
  Room<KeySpan> kept_;
  std::size_t kept_of_ = 0;
  bool kept_batch_ = false;
};

}  // namespace attn

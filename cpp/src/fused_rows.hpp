// The rows of any mask for the queries that a call computes, block by block, and whether mask and shapes fit: what fused attention, its gradient and the
// fast softmax read masks by. Not a mask: nothing of queries x keys is written out.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "attn/fused.hpp"
#include "attn/mask_view.hpp"
#include "kernels/fused.hpp"

namespace attn {

/// Whether so many rows ("queries" or "keys") can be numbered and marked.
std::optional<Error> check_fused_rows(std::string_view name, std::size_t rows);

/// Whether queries, keys and values (batch, heads, rows, width) fit each other.
std::optional<Error> check_fused_shapes(const std::array<std::size_t, 4>& q, const std::array<std::size_t, 4>& k, const std::array<std::size_t, 4>& v);

/// The tiles of queries (batch, heads, n) on so many keys where there is no mask. Error: too_large on "queries".
Result<FusedTiles> all_tiles(const std::array<std::size_t, 3>& queries, std::size_t keys);

/// A mask laid on the queries (batch, heads, n) of one call. What `mask` was made from outlives it.
class KeyRows {
 public:
  /// Says whether the mask fits; asked before anything else.
  /// Errors: out_of_range on "rows", those of the mask, too_large on "queries".
  std::optional<Error> bind(const MaskView& mask, const std::array<std::size_t, 4>& q, FusedRows which, std::size_t keys);

  [[nodiscard]] bool any() const noexcept { return mask_.any(); }
  /// Whether the rows of a slice are the same for all queries.
  [[nodiscard]] bool same_for_queries() const { return mask_.any() && mask_.same().queries; }

  /// The rows of `count` of the queries given, from `first` on; `slice` counts batch x heads of the call. They live until the next call. Without a mask all keys.
  const SpanRows& read(std::size_t slice, std::size_t first, std::size_t count);

  /// The same for a kernel.
  void tile(std::size_t slice, std::size_t first, std::size_t count, kernels::TileRows& tile);
  [[nodiscard]] const SpanRows& rows() const noexcept { return rows_; }

 private:
  MaskView mask_;
  std::size_t keys_ = 0;
  std::size_t first_ = 0;
  std::size_t slice_ = 0;
  std::size_t heads_ = 1;
  SpanRows rows_;
  /// Rows of one span or none, read once for all heads, and for all sequences where they are the same.
  std::vector<KeySpan> kept_;
  std::size_t kept_of_ = 0;
  bool kept_batch_ = false;
};

}  // namespace attn

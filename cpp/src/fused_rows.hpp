// Any mask as rows of spans of keys, and whether it fits: what fused attention, its gradient and their kernels read masks by. Not a
// mask: nothing of queries x keys is written out.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attn/fused.hpp"
#include "kernels/fused.hpp"

namespace attn {

/// Whether so many rows ("queries" or "keys") can be numbered and marked.
std::optional<Error> check_fused_rows(std::string_view name, std::size_t rows);

/// Whether queries, keys and values (batch, heads, rows, width) fit each other.
std::optional<Error> check_fused_shapes(const std::array<std::size_t, 4>& q, const std::array<std::size_t, 4>& k, const std::array<std::size_t, 4>& v);

/// The rows of any mask as spans.
class KeyRows {
 public:
  /// Errors: wrong_shape on "mask", out_of_range on "rows", those of ValidLens::check, too_large on "queries".
  static Result<KeyRows> of(const MaskView& mask, const std::array<std::size_t, 4>& q, FusedRows which, std::size_t keys) {
    if (q[1] != 0 && q[0] > std::numeric_limits<std::size_t>::max() / q[1]) {
      return Error{ErrorCode::too_large, "queries", "queries: " + std::to_string(q[0]) + " examples of " + std::to_string(q[1]) + " heads are more than can be counted"};
    }
    KeyRows rows;
    rows.keys_ = keys;
    rows.first_ = which.first;
    const std::size_t queries = which.total == 0 ? q[2] : which.total;
    if (which.first > queries || q[2] > queries - which.first) {
      return Error{ErrorCode::out_of_range, "rows", "rows: " + std::to_string(q[2]) + " queries from " + std::to_string(which.first) + " on; there are " + std::to_string(queries)};
    }
    const std::size_t batch = which.heads == 0 ? q[0] : which.batch;
    const std::size_t heads = which.heads == 0 ? q[1] : which.heads;
    rows.slice_ = which.slice;
    rows.own_heads_ = q[1];
    rows.heads_ = heads;
    if (which.slice > batch * heads || q[0] * q[1] > batch * heads - which.slice) {
      return Error{ErrorCode::out_of_range, "rows", "rows: " + std::to_string(q[0] * q[1]) + " slices from " + std::to_string(which.slice) + " on; there are " + std::to_string(batch * heads)};
    }
    if (const auto* lens = std::get_if<const ValidLens*>(&mask.source())) {
      if (auto error = (*lens)->check(batch, queries, keys)) return *std::move(error);
      rows.lens_ = *lens;
    } else if (const auto* cells = std::get_if<const Mask*>(&mask.source())) {
      const std::array<std::size_t, 3> wanted{batch, queries, keys};
      const auto own = shape_of(**cells);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (own[axis] != wanted[axis] && own[axis] != 1) {
          return Error{ErrorCode::wrong_shape, "mask", "mask: shape " + shape_text(own) + " does not broadcast to " + shape_text(wanted) + "; axis " + std::to_string(axis)};
        }
      }
      rows.cells_ = *cells;
    } else if (const auto* expression = std::get_if<const BoundMask*>(&mask.source())) {
      const MaskSizes& sizes = (*expression)->sizes();
      if (sizes.batch != batch || sizes.heads != heads || sizes.queries != queries || sizes.keys != keys) {
        return Error{ErrorCode::wrong_shape, "mask",
                     "mask is bound to " + shape_text(std::array<std::size_t, 4>{sizes.batch, sizes.heads, sizes.queries, sizes.keys}) + "; the scores are " + shape_text(std::array<std::size_t, 4>{batch, heads, queries, keys})};
      }
      rows.expression_ = *expression;
      const MaskSizes& own = (*expression)->own();
      rows.kept_batch_ = own.batch == 1;
      // worth its memory where heads or sequences share the rows
      if (q[0] > 0 && own.heads == 1 && (q[1] > 1 || (own.batch == 1 && q[0] > 1))) rows.kept_.assign(q[2], unknown);
    }
    return rows;
  }

  [[nodiscard]] bool any() const noexcept { return lens_ != nullptr || cells_ != nullptr || expression_ != nullptr; }

  /// The spans of one of the queries given; without a mask all keys.
  void row(std::size_t batch, std::size_t head, std::size_t query, std::vector<kernels::KeySpan>& out) {
    out.clear();
    query += first_;
    const std::size_t slice = slice_ + batch * own_heads_ + head;
    batch = slice / heads_;
    head = slice % heads_;
    const auto all = static_cast<std::uint32_t>(keys_);
    if (lens_ != nullptr) {
      if (const auto length = static_cast<std::uint32_t>(lens_->at(batch, query)); length > 0) out.push_back({0, length});
    } else if (cells_ != nullptr) {
      const auto own = shape_of(*cells_);
      const bool* cell = cells_->data() + ((own[0] == 1 ? 0 : batch) * own[1] + (own[1] == 1 ? 0 : query)) * own[2];
      for (std::uint32_t key = 0; key < all; ++key) {
        if (!cell[own[2] == 1 ? 0 : key]) continue;
        const std::uint32_t first = key;
        while (key < all && cell[own[2] == 1 ? 0 : key]) ++key;
        out.push_back({first, key});
      }
    } else if (expression_ != nullptr) {
      if (!kept_.empty() && !kept_batch_ && batch != kept_of_) {
        kept_.assign(kept_.size(), unknown);
        kept_of_ = batch;
      }
      kernels::KeySpan* const kept = kept_.empty() ? nullptr : &kept_[query - first_];
      if (kept != nullptr && kept->begin <= kept->end) {
        if (kept->begin < kept->end) out.push_back(*kept);
        return;
      }
      expression_->row(batch, head, query, intervals_, scratch_);
      for (const Interval& interval : intervals_) out.push_back({interval.begin, interval.end});
      if (kept != nullptr && out.size() <= 1) *kept = out.empty() ? kernels::KeySpan{0, 0} : out.front();
    } else if (all > 0) {
      out.push_back({0, all});
    }
  }

 private:
  std::size_t keys_ = 0;
  std::size_t first_ = 0;
  std::size_t slice_ = 0;
  std::size_t own_heads_ = 0;
  std::size_t heads_ = 1;
  const ValidLens* lens_ = nullptr;
  const Mask* cells_ = nullptr;
  const BoundMask* expression_ = nullptr;
  Intervals intervals_;
  RowScratch scratch_;
  static constexpr kernels::KeySpan unknown{1, 0};
  /// Rows of one span or none, read once for all heads, and for all sequences where they are the same.
  std::vector<kernels::KeySpan> kept_;
  std::size_t kept_of_ = 0;
  bool kept_batch_ = false;
};

}  // namespace attn

// A mask as rows of spans: for a head and a query the ascending spans [begin, end) of keys that the query may attend to. That is all the fused
// and the fast kernels ask of a mask, block by block of queries, so whoever implements KeySpans brings a mask of their own: a page table, a
// tree of guesses, rows that another process keeps. Not a matrix: nothing of queries x keys is held, and no key is asked for by itself.
//
//   class EveryOther final : public attn::KeySpans {  // key 0, 2, 4, ...
//    public:
//     std::optional<attn::Error> check(const attn::MaskSizes&) const override { return std::nullopt; }
//     void rows(std::size_t, std::size_t, std::size_t, std::size_t queries, attn::SpanRows& out) const override {
//       for (std::size_t query = 0; query < queries; ++query, out.end_row()) {
//         for (std::size_t key = 0; key < out.keys(); key += 2) out.add(key, key + 1);
//       }
//     }
//   };
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "attn/error.hpp"
#include "attn/key_span.hpp"

namespace attn {

/// Sizes of what a mask is laid on: scores (batch, heads, queries, keys).
struct MaskSizes {
  std::size_t batch = 1;
  std::size_t heads = 1;
  std::size_t queries = 0;
  std::size_t keys = 0;
  bool operator==(const MaskSizes&) const = default;
};

/// Where the rows of a block of queries are written, one behind the other. What is put in is cut to the keys, sorted and joined, so that whole
/// rows are always ascending spans that neither touch nor leave the keys.
class SpanRows {
 public:
  /// The most rows of a block: the queries of a tile.
  static constexpr std::size_t most = 32;

  SpanRows(const SpanRows&) = delete;
  SpanRows& operator=(const SpanRows&) = delete;

  /// Adds the keys [begin, end) to the row at hand; what spans share counts once. Fastest where `begin` is not before that of the row's last
  /// span: otherwise the row is sorted at its end.
  void add(std::size_t begin, std::size_t end) {
    if (end > keys_) end = keys_;
    if (begin >= end || rows_ == most) return;
    if (size_ > ends_[rows_] && begin <= spans_[size_ - 1].end) {
      if (begin >= spans_[size_ - 1].begin) {
        if (end > spans_[size_ - 1].end) spans_[size_ - 1].end = static_cast<std::uint32_t>(end);
        return;
      }
      ascending_ = false;
    }
    if (size_ == room_) grow(size_ + 1);
    spans_[size_++] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  /// The same for all spans of a row, and ends it. Fastest where they neither touch nor leave the keys already.
  void add_row(std::span<const KeySpan> spans);
  /// The row at hand is whole; the next one begins.
  void end_row() noexcept {
    if (!ascending_) sort_row();
    if (rows_ < most) ends_[++rows_] = size_;
  }

  [[nodiscard]] std::size_t keys() const noexcept { return keys_; }

 private:
  friend class SpanBlock;
  SpanRows() = default;
  ~SpanRows() = default;

  void grow(std::size_t least);
  /// Makes the row at hand ascend, its spans apart.
  void sort_row() noexcept;

  std::unique_ptr<KeySpan[]> spans_;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
  std::array<std::size_t, most + 1> ends_{};  ///< row r is spans ends_[r] to ends_[r + 1]
  std::size_t rows_ = 0;
  std::size_t keys_ = 0;
  bool ascending_ = true;  ///< the row at hand
};

/// The block itself, for who asks a mask for its rows. Memory grows with the spans of one block and is kept for the next.
class SpanBlock final : public SpanRows {
 public:
  /// Begins a block of no rows over so many keys.
  void clear(std::size_t keys) noexcept {
    keys_ = keys;
    rows_ = 0;
    size_ = 0;
    ascending_ = true;
  }
  /// How many rows are whole.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::span<const KeySpan> row(std::size_t row) const noexcept { return {spans_.get() + ends_[row], ends_[row + 1] - ends_[row]}; }
  /// The spans of all whole rows, one row behind the other.
  [[nodiscard]] std::span<const KeySpan> all() const noexcept { return {spans_.get(), ends_[rows_]}; }
};

/// Axes along which the rows of a mask are the same: read once, they serve all.
struct SameRows {
  bool batch = false;
  bool heads = false;
  bool queries = false;
};

/// A mask of any kind. Its functions may be called from several threads at once.
class KeySpans {
 public:
  /// An Error where this is no mask of such scores. Sizes are those of all the mask speaks of, also where a caller computes a part of them.
  [[nodiscard]] virtual std::optional<Error> check(const MaskSizes& sizes) const = 0;
  [[nodiscard]] virtual SameRows same() const { return {}; }
  /// The rows of `queries` queries from `first` on, at most SpanRows::most: for each its spans, then `out.end_row()`. Rows that are not given are empty.
  virtual void rows(std::size_t batch, std::size_t head, std::size_t first, std::size_t queries, SpanRows& out) const = 0;

 protected:
  /// Not deleted through this: a MaskView does not own its mask.
  ~KeySpans() = default;
};

}  // namespace attn

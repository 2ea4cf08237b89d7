// Any mask as an argument: none, valid lengths, a boolean mask, an expression bound to sizes, or KeySpans of the caller's own. A view: what it
// was made from must outlive it, as an argument outlives a call. It holds where its mask is and how rows are read from that kind, and each
// kind's reader is linked only where a view of that kind is made: who never reads expressions carries none of their language.
#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "attn/error.hpp"
#include "attn/key_spans.hpp"
#include "attn/mask.hpp"

namespace attn {

class BoundMask;

/// KeySpans' functions for one kind of mask, which is the first argument of each.
struct SpanReader {
  std::optional<Error> (*check)(const void* mask, const MaskSizes& sizes);
  SameRows (*same)(const void* mask);
  void (*rows)(const void* mask, std::size_t batch, std::size_t head, std::size_t first, std::size_t queries, SpanRows& out);
};

extern const SpanReader lens_reader;        ///< of ValidLens: the same for all heads
extern const SpanReader cells_reader;       ///< of Mask, which broadcasts: the same for all heads
extern const SpanReader expression_reader;  ///< of BoundMask
extern const SpanReader own_reader;         ///< of KeySpans

/// Which keys a query may attend to.
class MaskView {
 public:
  MaskView() = default;
  MaskView(const ValidLens& valid_lens) : source_(&valid_lens), mask_(&valid_lens), reader_(&lens_reader) {}
  MaskView(const Mask& mask) : source_(&mask), mask_(&mask), reader_(&cells_reader) {}
  MaskView(const BoundMask& mask) : source_(&mask), mask_(&mask), reader_(&expression_reader) {}
  MaskView(const KeySpans& mask) : source_(&mask), mask_(&mask), reader_(&own_reader) {}
  MaskView(ValidLens&&) = delete;
  MaskView(Mask&&) = delete;
  MaskView(BoundMask&&) = delete;
  MaskView(KeySpans&&) = delete;

  using Source = std::variant<std::monostate, const ValidLens*, const Mask*, const BoundMask*, const KeySpans*>;
  [[nodiscard]] const Source& source() const noexcept { return source_; }

  /// Whether there is a mask; without one every key is allowed, and the functions below are not called.
  [[nodiscard]] bool any() const noexcept { return reader_ != nullptr; }
  [[nodiscard]] std::optional<Error> check(const MaskSizes& sizes) const { return reader_->check(mask_, sizes); }
  [[nodiscard]] SameRows same() const { return reader_->same(mask_); }
  void rows(std::size_t batch, std::size_t head, std::size_t first, std::size_t queries, SpanRows& out) const { reader_->rows(mask_, batch, head, first, queries, out); }

 private:
  Source source_;
  const void* mask_ = nullptr;
  const SpanReader* reader_ = nullptr;
};

}  // namespace attn

// The growing of a list of spans, and whole rows at once; see attn/key_spans.hpp.
#include "attn/key_spans.hpp"

#include <algorithm>

namespace attn {

void SpanRows::grow(std::size_t least) {
  const std::size_t room = std::max({most, 2 * room_, least});
  std::unique_ptr<KeySpan[]> larger(new KeySpan[room]);
  std::copy_n(spans_.get(), size_, larger.get());
  spans_ = std::move(larger);
  room_ = room;
}

void SpanRows::add_row(std::span<const KeySpan> spans) {
  // of a row without spans the first may begin at 0
  std::uint64_t next = 0;
  bool apart = size_ == ends_[rows_] && rows_ < most;
  for (const KeySpan& span : spans) {
    apart = apart && span.begin >= next && span.begin < span.end;
    next = std::uint64_t{span.end} + 1;
  }
  if (apart && next <= std::uint64_t{keys_} + 1) {
    if (spans.size() > room_ - size_) grow(size_ + spans.size());
    std::copy_n(spans.data(), spans.size(), spans_.get() + size_);
    size_ += spans.size();
  } else {
    for (const KeySpan& span : spans) add(span.begin, span.end);
  }
  end_row();
}

}  // namespace attn

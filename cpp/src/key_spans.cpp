// The growing of a list of spans, whole rows at once, and rows that came in any order; see attn/key_spans.hpp.
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

void SpanRows::sort_row() noexcept {
  KeySpan* const row = spans_.get() + ends_[rows_];
  const std::size_t count = size_ - ends_[rows_];
  // Shell's sort: no memory, and little code
  for (std::size_t gap = count; gap > 1;) {
    gap = gap < 4 ? 1 : gap / 9 * 4 + gap % 9 * 4 / 9;
    for (std::size_t at = gap; at < count; ++at) {
      const KeySpan span = row[at];
      std::size_t to = at;
      for (; to >= gap && row[to - gap].begin > span.begin; to -= gap) row[to] = row[to - gap];
      row[to] = span;
    }
  }
  std::size_t last = 0;
  for (std::size_t next = 1; next < count; ++next) {
    if (row[next].begin > row[last].end) row[++last] = row[next];
    else row[last].end = std::max(row[last].end, row[next].end);
  }
  size_ = ends_[rows_] + last + 1;
  ascending_ = true;
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

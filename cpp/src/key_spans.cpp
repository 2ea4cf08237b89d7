// The growing of a list of spans; see attn/key_spans.hpp.
#include "attn/key_spans.hpp"

#include <algorithm>

namespace attn {

void SpanRows::grow() {
  const std::size_t room = std::max(most, 2 * room_);
  std::unique_ptr<KeySpan[]> larger(new KeySpan[room]);
  std::copy_n(spans_.get(), size_, larger.get());
  spans_ = std::move(larger);
  room_ = room;
}

}  // namespace attn

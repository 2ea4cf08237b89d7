// See host_mask.hpp.
#include "host_mask.hpp"

/// Writes the rows of a block of queries, for each how many spans it has and then all spans, and says how many words that are; where these are more than
/// `room`, nothing is written.
ATTN_HOST(mask_rows) std::size_t attn_host_mask_rows(std::size_t batch, std::size_t head, std::size_t first, std::size_t queries, std::uint32_t* to, std::size_t room);

namespace attn::bindings {

void HostMask::rows(std::size_t batch, std::size_t head, std::size_t first, std::size_t queries, SpanRows& out) const {
  std::size_t needed = 0;
  while ((needed = attn_host_mask_rows(batch, head, first, queries, block_.data(), block_.size())) > block_.size()) block_.reset(needed + needed / 4);
  const auto* spans = reinterpret_cast<const KeySpan*>(block_.data() + queries);
  for (std::size_t row = 0; row < queries; ++row) {
    out.add_row({spans, block_[row]});
    spans += block_[row];
  }
}

}  // namespace attn::bindings

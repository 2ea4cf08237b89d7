// What of a mask an attention will visit, for JavaScript to share out its work before any tensor is sent.
#include "attn/fused.hpp"
#include "bridge.hpp"

namespace attn::bindings {

/// Words: sizes (batch, heads, queries, keys) 0, mask 4. Numbers left: the address of the words counted, which live until the next call, how many they
/// are, queries and keys of a tile.
ATTN_FAST(attn_visits)
const char* attn_visits() {
  static std::vector<std::uint32_t> visits;
  const std::array<std::size_t, 4> sizes{words()[0], words()[1], words()[2], words()[3]};
  const auto mask = FastMask::read(4, {sizes[0], sizes[1], sizes[2], sizes[3]});
  if (!mask) return refused(mask.error());
  auto counted = fused_visits(sizes, mask.value().view());
  if (!counted) return refused(counted.error());
  visits = std::move(counted).value();
  numbers()[0] = static_cast<double>(reinterpret_cast<std::uintptr_t>(visits.data()));
  numbers()[1] = static_cast<double>(visits.size());
  numbers()[2] = static_cast<double>(fused_tile_queries);
  numbers()[3] = static_cast<double>(fused_tile_keys);
  return nullptr;
}

}  // namespace attn::bindings

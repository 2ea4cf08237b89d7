// Which tiles of queries and keys fused attention will visit, counted from the rows of the mask alone; see attn/fused.hpp. No arithmetic on tensors.
//   a tile is visited when a span of one of its 32 rows reaches into its 96 keys
#include <algorithm>
#include <vector>

#include "attn/fused.hpp"
#include "fused_rows.hpp"
#include "kernels/fused.hpp"

namespace attn {

static_assert(fused_tile_queries == kernels::tile_queries && fused_tile_keys == kernels::tile_keys);

Result<std::vector<std::uint32_t>> fused_visits(const std::array<std::size_t, 4>& sizes, const MaskView& mask) {
  using kernels::tile_keys;
  using kernels::tile_queries;
  const auto [batch, heads, queries, keys] = sizes;
  if (auto error = check_fused_rows("keys", keys)) return *std::move(error);
  if (auto error = check_mask(mask, sizes, {}, keys)) return *std::move(error);
  KeyRows rows(mask, sizes, {}, keys);
  const std::size_t blocks = queries / tile_queries + (queries % tile_queries == 0 ? 0 : 1);
  if (const auto elements = checked_elements("mask", std::array<std::size_t, 3>{batch, heads, blocks}, sizeof(std::uint32_t)); !elements) return elements.error();
  const std::size_t tiles = keys / tile_keys + (keys % tile_keys == 0 ? 0 : 1);

  std::vector<std::uint32_t> visits;
  if (blocks == 0) return visits;
  visits.reserve(batch * heads * blocks);
  std::vector<std::uint8_t> visited(tiles);
  for (std::size_t slice = 0; slice < batch * heads; ++slice) {
    for (std::size_t first = 0; first < queries; first += tile_queries) {
      if (!rows.any()) {
        visits.push_back(static_cast<std::uint32_t>(tiles));
        continue;
      }
      std::fill(visited.begin(), visited.end(), std::uint8_t{0});
      const SpanBlock& block = rows.read(slice, first, std::min(queries - first, tile_queries));
      for (std::size_t row = 0; row < block.rows(); ++row) {
        for (const KeySpan& span : block.row(row)) {
          for (std::size_t tile = span.begin / tile_keys; tile * tile_keys < span.end; ++tile) visited[tile] = 1;
        }
      }
      visits.push_back(static_cast<std::uint32_t>(std::count(visited.begin(), visited.end(), std::uint8_t{1})));
    }
  }
  return visits;
}

}  // namespace attn

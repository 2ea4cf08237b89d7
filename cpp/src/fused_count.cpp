// See attn/fused_count.hpp. Each query's spans are laid over the tiles of its keys; nothing is multiplied.
#include "attn/fused_count.hpp"

#include <algorithm>
#include <vector>

#include "fused_rows.hpp"
#include "kernels/fused_gradient.hpp"

namespace attn {

Result<FusedTiles> count_fused_tiles(const std::array<std::size_t, 3>& queries, std::size_t keys, const MaskView& mask, FusedRows which) {
  if (auto error = check_fused_rows("keys", keys)) return *std::move(error);
  if (auto error = check_fused_rows("queries", queries[2])) return *std::move(error);
  if (auto error = check_mask(mask, {queries[0], queries[1], queries[2], 0}, which, keys)) return *std::move(error);
  KeyRows rows(mask, {queries[0], queries[1], queries[2], 0}, which, keys);
  constexpr std::size_t width = kernels::tile_keys;
  const std::size_t tiles = (keys + width - 1) / width;
  FusedTiles counts;
  if (keys == 0 || queries[2] == 0) return counts;
  if (!rows.any()) return all_tiles(queries, keys);
  std::vector<std::uint32_t> touched(tiles), whole(tiles);  // by how many of the tile's queries
  for (std::size_t at = 0; at < queries[0] * queries[1]; ++at) {
    for (std::size_t first = 0; first < queries[2]; first += kernels::tile_queries) {
      const std::size_t count = std::min(kernels::tile_queries, queries[2] - first);
      std::fill(touched.begin(), touched.end(), 0U);
      std::fill(whole.begin(), whole.end(), 0U);
      const SpanBlock& block = rows.read(at, first, count);
      for (std::size_t r = 0; r < count; ++r) {
        for (const KeySpan& span : block.row(r)) {
          for (std::size_t tile = span.begin / width; tile * width < span.end; ++tile) {
            ++touched[tile];
            whole[tile] += span.begin <= tile * width && span.end >= std::min(keys, (tile + 1) * width) ? 1 : 0;
          }
        }
      }
      for (std::size_t tile = 0; tile < tiles; ++tile) ++(touched[tile] == 0 ? counts.empty : whole[tile] == count ? counts.full : counts.mixed);
    }
  }
  return counts;
}

namespace {

/// Spans of a tile's queries, one each, in a list that has grown by doubling; a span for every query, where heads share them; a mark for every query and key.
std::uint64_t always(std::size_t n, std::size_t m) {
  return sizeof(SpanBlock) + 2 * kernels::tile_queries * sizeof(KeySpan) + n * sizeof(KeySpan) + n + m;
}

}  // namespace

std::uint64_t fused_forward_bytes(std::size_t n, std::size_t m, std::size_t d, std::size_t v) {
  // the largest score and the sum of every query of a head
  return sizeof(float) * (kernels::fused_scratch(d, v) + std::uint64_t{2} * n) + always(n, m);
}

std::uint64_t fused_gradient_bytes(std::size_t n, std::size_t m, std::size_t d, std::size_t v) {
  // of every query of a head base, share and slope along the output, and score and sum where they are made again
  return sizeof(float) * (std::max(kernels::gradient_scratch(d, v), kernels::fused_scratch(d, 0)) + std::uint64_t{5} * n) + always(n, m);
}

}  // namespace attn

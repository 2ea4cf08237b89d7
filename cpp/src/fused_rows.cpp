// Which rows of a mask a call needs, and those of one span kept where heads share them; see fused_rows.hpp.
#include "fused_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "attn/text.hpp"

namespace attn {
namespace {

static_assert(SpanRows::most == kernels::tile_queries);

constexpr KeySpan unknown{1, 0};

/// Most queries or keys of a head: as many as there may be floats in a tensor, since one without a width takes no memory of its own.
constexpr std::uint64_t most_rows = std::min<std::uint64_t>(0xFFFFFFFFU, max_tensor_bytes / sizeof(float));

}  // namespace

std::optional<Error> check_fused_rows(std::string_view name, std::size_t rows) {
  if (rows <= most_rows) return std::nullopt;
  return refusal(ErrorCode::too_large, name, std::string(name).append(": # ").append(name).append("; allowed are at most #"), {rows, static_cast<std::size_t>(most_rows)});
}

Result<FusedTiles> all_tiles(const std::array<std::size_t, 3>& queries, std::size_t keys) {
  const std::uint64_t of_head = tiles_without_mask({1, 1, queries[2]}, keys);
  const std::uint64_t heads = std::uint64_t{queries[0]} * queries[1];
  if (of_head > 0 && heads > std::numeric_limits<std::uint64_t>::max() / of_head) return refusal(ErrorCode::too_large, "queries", "queries: more tiles than can be counted", {});
  return FusedTiles{.full = heads * of_head};
}

std::optional<Error> check_mask(const MaskView& mask, const std::array<std::size_t, 4>& q, FusedRows which, std::size_t keys) {
  if (q[1] != 0 && q[0] > std::numeric_limits<std::size_t>::max() / q[1]) {
    return refusal(ErrorCode::too_large, "queries", "queries: # examples of # heads are more than can be counted", {q[0], q[1]});
  }
  const std::size_t queries = which.total == 0 ? q[2] : which.total;
  if (which.first > queries || q[2] > queries - which.first) {
    return refusal(ErrorCode::out_of_range, "rows", "rows: # queries from # on; there are #", {q[2], which.first, queries});
  }
  if (which.heads == 0 && which.batch != 0) return refusal(ErrorCode::out_of_range, "rows", "rows: batch is # and heads is 0; give both, or neither", {which.batch});
  const std::size_t batch = which.heads == 0 ? q[0] : which.batch;
  const std::size_t heads = which.heads == 0 ? q[1] : which.heads;
  if (heads != 0 && batch > std::numeric_limits<std::size_t>::max() / heads) {
    return refusal(ErrorCode::out_of_range, "rows", "rows: # examples of # heads are more than can be counted", {batch, heads});
  }
  if (which.slice > batch * heads || q[0] * q[1] > batch * heads - which.slice) {
    return refusal(ErrorCode::out_of_range, "rows", "rows: # slices from # on; there are #", {q[0] * q[1], which.slice, batch * heads});
  }
  if (!mask.any()) return std::nullopt;
  return mask.check({batch, heads, queries, keys});
}

KeyRows::KeyRows(const MaskView& mask, const std::array<std::size_t, 4>& q, FusedRows which, std::size_t keys)
    : mask_(mask), keys_(keys), first_(which.first), slice_(which.slice), heads_(which.heads == 0 ? q[1] : which.heads) {
  const SameRows same = mask.any() ? mask.same() : SameRows{.batch = true, .heads = false, .queries = true};
  serve_all_ = same.queries;
  kept_batch_ = same.batch;
  // worth its memory where heads or sequences share the rows
  if (q[0] == 0 || !same.heads || (q[1] <= 1 && (!same.batch || q[0] <= 1))) return;
  kept_.reset(q[2]);
  forget();
}

void KeyRows::forget() { std::fill(kept_.begin(), kept_.end(), unknown); }

const SpanBlock& KeyRows::read(std::size_t slice, std::size_t first, std::size_t count) {
  slice += slice_;
  if (serve_all_ && slice == rows_of_ && rows_.rows() >= count) return rows_;
  rows_of_ = slice;
  const std::size_t batch = slice / heads_;
  KeySpan* const kept = kept_.size() == 0 ? nullptr : kept_.data() + first;
  if (kept != nullptr && !kept_batch_ && batch != kept_of_) {
    forget();
    kept_of_ = batch;
  }
  rows_.clear(keys_);
  const bool known = kept != nullptr && std::all_of(kept, kept + count, [](const KeySpan& span) { return span.begin <= span.end; });
  if (mask_.any() && !known) mask_.rows(batch, slice % heads_, first_ + first, count, rows_);
  for (std::size_t r = rows_.rows(); r < count; ++r) {
    if (!mask_.any()) rows_.add(0, keys_);
    if (known) rows_.add(kept[r].begin, kept[r].end);
    rows_.end_row();
  }
  for (std::size_t r = 0; r < count && kept != nullptr && !known; ++r) {
    const auto row = rows_.row(r);
    if (row.size() <= 1) kept[r] = row.empty() ? KeySpan{0, 0} : row.front();
  }
  return rows_;
}

KeySpan KeyRows::seen(std::size_t slice, std::size_t queries) {
  KeySpan all{static_cast<std::uint32_t>(keys_), 0};
  for (std::size_t first = 0; first < queries; first += kernels::tile_queries) {
    const std::size_t count = std::min(kernels::tile_queries, queries - first);
    read(slice, first, count);
    for (std::size_t r = 0; r < count; ++r) {
      const auto row = rows_.row(r);
      if (row.empty()) continue;
      all.begin = std::min(all.begin, row.front().begin);
      all.end = std::max(all.end, row.back().end);
    }
  }
  return all.begin < all.end ? all : KeySpan{0, 0};
}

void KeyRows::tile(std::size_t slice, std::size_t first, std::size_t count, kernels::TileRows& tile) {
  read(slice, first, count);
  for (std::size_t r = 0; r < count; ++r) {
    const auto row = rows_.row(r);
    tile.spans[r] = row.data();
    tile.counts[r] = static_cast<std::uint32_t>(row.size());
  }
}

}  // namespace attn

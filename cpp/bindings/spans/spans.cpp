// Masks for the modules for speed: reads expressions and valid lengths, binds them to sizes, and gives rows of spans, block by block of queries. Nothing of
// queries x keys is held. One mask at a time, from attn_bind to attn_release.
#include <array>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "attn/fused.hpp"
#include "attn/mask_expr.hpp"
#include "attn/mask_view.hpp"
#include "bound.hpp"
#include "../plain/bridge.hpp"

namespace attn::bindings {
namespace {

struct Bound {
  std::optional<BoundMask> expression;
  std::optional<ValidLens> lens;
  std::size_t keys = 0;
  SpanBlock rows;
  std::vector<std::uint32_t> visits;
};

Bound bound;

std::optional<Error> bind(const std::uint32_t* at, const MaskSizes& sizes) {
  if (at[0] == 1) {
    auto parsed = parse_mask(std::string_view(reinterpret_cast<const char*>(at[1]), at[2]));
    if (!parsed) return parsed.error();
    auto made = BoundMask::make(std::move(parsed).value(), sizes);
    if (!made) return made.error();
    bound.expression = std::move(made).value();
  } else if (at[0] == 2) {
    const std::array<std::size_t, 2> shape{at[4], at[5]};
    auto made = ValidLens::make(std::span(reinterpret_cast<const double*>(at[1]), at[2]), std::span(shape).first(at[3]), {.name = "validLens", .keys = sizes.keys});
    if (!made) return made.error();
    if (auto error = made.value().check(sizes.batch, sizes.queries, sizes.keys)) return error;
    bound.lens = std::move(made).value();
  }
  return std::nullopt;
}

}  // namespace

MaskView bound_mask() {
  if (bound.expression) return *bound.expression;
  if (bound.lens) return *bound.lens;
  return {};
}

void forget_call() { new (&bound) Bound(); }

/// Words, from 40 on: kind (0 none, 1 expression, 2 lengths), address, count, axes, two sizes; batch, heads, queries and keys. Numbers left: whether rows are the same for all the batch, all heads, all queries.
ATTN_EXPORT(attn_bind)
const char* attn_bind() {
  const std::uint32_t* at = words() + 40;
  bound.keys = at[9];
  if (auto error = bind(at, {at[6], at[7], at[8], at[9]})) return refused(*error);
  const SameRows same = bound_mask().any() ? bound_mask().same() : SameRows{};
  numbers()[0] = same.batch ? 1 : 0;
  numbers()[1] = same.heads ? 1 : 0;
  numbers()[2] = same.queries ? 1 : 0;
  return nullptr;
}

/// The rows of at most 32 queries of the mask that is bound: the address of all spans [begin, end), how many there are, and for each query how many are its own.
/// They live until the next call.
ATTN_EXPORT(attn_rows)
const std::uint32_t* attn_rows(std::size_t batch, std::size_t head, std::size_t first, std::size_t queries) {
  static std::uint32_t found[2 + SpanRows::most];
  bound.rows.clear(bound.keys);
  bound_mask().rows(batch, head, first, queries, bound.rows);
  found[0] = reinterpret_cast<std::uintptr_t>(bound.rows.all().data());
  found[1] = static_cast<std::uint32_t>(bound.rows.all().size());
  for (std::size_t row = 0; row < queries; ++row) found[2 + row] = static_cast<std::uint32_t>(bound.rows.row(row).size());
  return found;
}

/// What of the mask an attention will visit, to share out its work before any tensor is sent. Words as those of attn_bind, which comes before.
/// Numbers left: the address of the words counted, which live until the next call, how many they are, queries and keys of a tile.
ATTN_EXPORT(attn_visits)
const char* attn_visits() {
  const std::uint32_t* at = words() + 46;
  auto counted = fused_visits({at[0], at[1], at[2], at[3]}, bound_mask());
  if (!counted) return refused(counted.error());
  bound.visits = std::move(counted).value();
  numbers()[0] = static_cast<double>(reinterpret_cast<std::uintptr_t>(bound.visits.data()));
  numbers()[1] = static_cast<double>(bound.visits.size());
  numbers()[2] = static_cast<double>(fused_tile_queries);
  numbers()[3] = static_cast<double>(fused_tile_keys);
  return nullptr;
}

/// The mask is not needed any more.
ATTN_EXPORT(attn_release) void attn_release() {
  bound.~Bound();
  forget_call();
}

}  // namespace attn::bindings

// How rows of spans are read from a bound expression; see attn/mask_view.hpp. What its terms mean: mask_rows.cpp.
#include <algorithm>
#include <array>

#include "attn/mask_expr.hpp"
#include "attn/mask_view.hpp"

namespace attn {
namespace {

const BoundMask& bound(const void* mask) { return *static_cast<const BoundMask*>(mask); }

/// Whether all queries of an example and head may see the same keys, as under lengths of sequences.
bool same_for_queries(const MaskExpr& expr) {
  const MaskNode& node = expr.node();
  if (node.kind == MaskKind::both || node.kind == MaskKind::either || node.kind == MaskKind::inverse) return std::all_of(node.operands.begin(), node.operands.end(), same_for_queries);
  return node.kind == MaskKind::all || node.kind == MaskKind::none || node.kind == MaskKind::left_padding || (node.kind == MaskKind::padding && !node.per_query);
}

}  // namespace

const SpanReader expression_reader{
    [](const void* mask, const MaskSizes& sizes) -> std::optional<Error> {
      const MaskSizes& own = bound(mask).sizes();
      if (own == sizes) return std::nullopt;
      return Error{ErrorCode::wrong_shape, "mask",
                   "mask is bound to " + shape_text(std::array{own.batch, own.heads, own.queries, own.keys}) + "; the scores are " + shape_text(std::array{sizes.batch, sizes.heads, sizes.queries, sizes.keys})};
    },
    [](const void* mask) {
      const MaskSizes& own = bound(mask).own();
      return SameRows{.batch = own.batch == 1, .heads = own.heads == 1, .queries = same_for_queries(bound(mask).expr())};
    },
    [](const void* mask, std::size_t batch, std::size_t head, std::size_t first, std::size_t queries, SpanRows& out) {
      Intervals row;
      RowScratch scratch;
      for (std::size_t query = first; query < first + queries; ++query) {
        bound(mask).row(batch, head, query, row, scratch);
        out.add_row(row);
      }
    }};

}  // namespace attn

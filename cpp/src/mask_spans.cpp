// How rows of spans are read from valid lengths, from a boolean mask, and from KeySpans of the caller's own; see attn/mask_view.hpp.
// Expressions: mask_expr_spans.cpp.
#include "attn/mask_view.hpp"

namespace attn {
namespace {

const ValidLens& lens(const void* mask) { return *static_cast<const ValidLens*>(mask); }
const Mask& cells(const void* mask) { return *static_cast<const Mask*>(mask); }
const KeySpans& own(const void* mask) { return *static_cast<const KeySpans*>(mask); }

void rows_of_cells(const void* mask, std::size_t batch, std::size_t, std::size_t first, std::size_t queries, SpanRows& out) {
  const auto shape = shape_of(cells(mask));
  const std::size_t step = shape[2] == 1 ? 0 : 1;
  for (std::size_t query = first; query < first + queries; ++query, out.end_row()) {
    const bool* cell = cells(mask).data() + ((shape[0] == 1 ? 0 : batch) * shape[1] + (shape[1] == 1 ? 0 : query)) * shape[2];
    for (std::size_t key = 0; key < out.keys(); ++key) {
      const std::size_t begin = key;
      while (key < out.keys() && cell[key * step]) ++key;
      out.add(begin, key);
    }
  }
}

}  // namespace

const SpanReader lens_reader{
    [](const void* mask, const MaskSizes& sizes) { return lens(mask).check(sizes.batch, sizes.queries, sizes.keys); },
    [](const void* mask) { return SameRows{.heads = true, .queries = !lens(mask).per_query()}; },
    [](const void* mask, std::size_t batch, std::size_t, std::size_t first, std::size_t queries, SpanRows& out) {
      for (std::size_t query = first; query < first + queries; ++query, out.end_row()) out.add(0, lens(mask).at(batch, query));
    }};

const SpanReader cells_reader{
    [](const void* mask, const MaskSizes& sizes) { return check_broadcast(cells(mask), sizes.batch, sizes.queries, sizes.keys); },
    [](const void* mask) {
      const auto shape = shape_of(cells(mask));
      return SameRows{.batch = shape[0] == 1, .heads = true, .queries = shape[1] == 1};
    },
    rows_of_cells};

const SpanReader own_reader{
    [](const void* mask, const MaskSizes& sizes) { return own(mask).check(sizes); },
    [](const void* mask) { return own(mask).same(); },
    [](const void* mask, std::size_t batch, std::size_t head, std::size_t first, std::size_t queries, SpanRows& out) { own(mask).rows(batch, head, first, queries, out); }};

}  // namespace attn

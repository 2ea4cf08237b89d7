// What every kind of mask term means, stated twice: as a predicate on one query and one key, and as intervals of keys for a
// whole row. The tests hold the two together. Compositions are set operations on either form.
#include <algorithm>

#include "attn/mask_expr.hpp"
#include "mask_terms.hpp"

namespace attn {
namespace {

using masks::TermTable;
using Signed = std::int64_t;

/// One place of the mask, with everything a term needs to know about it.
struct Place {
  const MaskSizes& sizes;
  const MaskTables& tables;
  std::size_t batch, head, query;

  [[nodiscard]] Signed position(const MaskNode& node) const {
    const auto shift = node.alignment == Alignment::top_left ? Signed{0} : static_cast<Signed>(sizes.keys) - static_cast<Signed>(sizes.queries);
    return static_cast<Signed>(query) + shift;
  }
  /// The row of a list that has one row a sequence, or one for all.
  template <class List>
  [[nodiscard]] const auto& sequence(const List& list) const {
    return list[list.size() == 1 ? 0 : batch];
  }
  [[nodiscard]] const TermTable& table(const MaskNode& node) const {
    const TermTable* found = tables.terms.data();
    while (found->node != &node) ++found;
    return *found;
  }
  [[nodiscard]] std::uint32_t length(const MaskNode& node) const {
    return node.per_query ? (node.arguments[node.arguments.size() == 1 ? 0 : batch])[node.arguments.front().size() == 1 ? 0 : query] : sequence(node.arguments.front());
  }
};

Signed floor_div(Signed a, Signed b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

bool cell(const Mask4& cells, const Place& at, std::size_t key) {
  const auto& shape = cells.shape();
  return cells(shape[0] == 1 ? 0 : at.batch, shape[1] == 1 ? 0 : at.head, shape[2] == 1 ? 0 : at.query, shape[3] == 1 ? 0 : key);
}

// ---- the predicate ------------------------------------------------------------------------------------------------------

bool allowed(const MaskNode& node, const Place& at, std::size_t key) {
  const auto k = static_cast<Signed>(key);
  const Signed p = at.position(node);
  const auto argument = [&](std::size_t i) { return static_cast<Signed>(node.arguments.front()[i]); };
  switch (node.kind) {
    case MaskKind::all: return true;
    case MaskKind::none: return false;
    case MaskKind::causal: return k <= p;
    case MaskKind::window:
      if (node.arguments.front().size() == 1) return p - argument(0) < k && k <= p;
      return p - argument(0) <= k && k <= p + argument(1);
    case MaskKind::padding: return k < at.length(node);
    case MaskKind::left_padding: return k >= static_cast<Signed>(at.sizes.keys) - at.length(node);
    case MaskKind::prefix: return k < at.length(node) || k <= p;
    case MaskKind::documents: {
      Signed end = 0;
      for (const Signed length : at.sequence(node.arguments)) {
        end += length;
        if (p < end || k < end) return p < end && k < end;
      }
      return false;
    }
    case MaskKind::document_ids: {
      const auto& ids = at.sequence(node.arguments);
      return ids[static_cast<std::size_t>(p)] == ids[key];
    }
    case MaskKind::chunks: return floor_div(p, argument(0)) == floor_div(k, argument(0));
    case MaskKind::global:
      return std::any_of(node.arguments.front().begin(), node.arguments.front().end(), [&](Signed position) { return position == k || position == p; });
    case MaskKind::dilated: return k <= p && (p - k) % argument(1) == 0 && (p - k) / argument(1) < argument(0);
    case MaskKind::rows: return cell(*node.cells, at, key);
    case MaskKind::both: return std::all_of(node.operands.begin(), node.operands.end(), [&](const MaskExpr& e) { return allowed(e.node(), at, key); });
    case MaskKind::either: return std::any_of(node.operands.begin(), node.operands.end(), [&](const MaskExpr& e) { return allowed(e.node(), at, key); });
    case MaskKind::inverse: return !allowed(node.operands.front().node(), at, key);
    case MaskKind::too_large: break;  // not bound
  }
  return false;
}

// ---- the row form -------------------------------------------------------------------------------------------------------

/// Appends [begin, end) cut to the keys; joins it to the last one when they touch.
void add(Intervals& out, Signed begin, Signed end, std::size_t keys) {
  begin = std::max<Signed>(begin, 0);
  end = std::min<Signed>(end, static_cast<Signed>(keys));
  if (begin >= end) return;
  if (!out.empty() && static_cast<Signed>(out.back().end) == begin) {
    out.back().end = static_cast<std::uint32_t>(end);
  } else {
    out.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  }
}

void term_row(const MaskNode& node, const Place& at, Intervals& out) {
  const std::size_t keys = at.sizes.keys;
  const auto all = static_cast<Signed>(keys);
  const Signed p = at.position(node);
  const auto argument = [&](std::size_t i) { return static_cast<Signed>(node.arguments.front()[i]); };
  switch (node.kind) {
    case MaskKind::all: return add(out, 0, all, keys);
    case MaskKind::causal: return add(out, 0, p + 1, keys);
    case MaskKind::window:
      if (node.arguments.front().size() == 1) return add(out, p - argument(0) + 1, p + 1, keys);
      return add(out, p - argument(0), p + argument(1) + 1, keys);
    case MaskKind::padding: return add(out, 0, at.length(node), keys);
    case MaskKind::left_padding: return add(out, all - at.length(node), all, keys);
    case MaskKind::prefix: return add(out, 0, std::max<Signed>(at.length(node), p + 1), keys);
    case MaskKind::documents: {
      const auto& starts = at.sequence(at.table(node).starts);
      const auto next = std::upper_bound(starts.begin(), starts.end(), p, [](Signed position, std::uint32_t start) { return position < start; });
      return add(out, *(next - 1), *next, keys);
    }
    case MaskKind::document_ids: {
      const auto& ids = at.sequence(node.arguments);
      const std::uint32_t id = ids[static_cast<std::size_t>(p)];
      const auto& runs = at.sequence(at.table(node).runs);
      auto run = std::lower_bound(runs.begin(), runs.end(), id, [&](const Interval& r, std::uint32_t value) { return ids[r.begin] < value; });
      for (; run != runs.end() && ids[run->begin] == id; ++run) out.push_back(*run);
      return;
    }
    case MaskKind::chunks: {
      const Signed first = floor_div(p, argument(0)) * argument(0);
      return add(out, first, first + argument(0), keys);
    }
    case MaskKind::global: {
      const auto& positions = node.arguments.front();
      if (p >= 0 && std::binary_search(positions.begin(), positions.end(), static_cast<std::uint32_t>(p))) return add(out, 0, all, keys);
      for (const Signed position : positions) add(out, position, position + 1, keys);
      return;
    }
    case MaskKind::dilated: {
      const Signed step = argument(1);
      // The first key that is not before the keys' start, and the last that is not beyond their end.
      Signed first = std::min(argument(0) - 1, p < 0 ? Signed{-1} : p / step);
      Signed last = p < all ? 0 : (p - all) / step + 1;
      for (Signed i = first; i >= last; --i) add(out, p - i * step, p - i * step + 1, keys);
      return;
    }
    case MaskKind::rows:
      for (std::size_t begin = 0, end = 0; begin < keys; begin = end + 1) {
        end = begin;
        while (end < keys && cell(*node.cells, at, end)) ++end;
        add(out, static_cast<Signed>(begin), static_cast<Signed>(end), keys);
      }
      return;
    default: return;
  }
}

/// A list of the scratch, given back when it goes out of scope.
class Borrowed {
 public:
  explicit Borrowed(RowScratch& scratch) : scratch_(scratch), index_(scratch.used++) {
    if (scratch.lists.size() <= index_) scratch.lists.resize(index_ + 1);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() { --scratch_.used; }
  /// Not kept across another Borrowed: the lists may move.
  [[nodiscard]] Intervals& list() const { return scratch_.lists[index_]; }

 private:
  RowScratch& scratch_;
  std::size_t index_;
};

/// `into` becomes the row of `node`.
void node_row(const MaskNode& node, const Place& at, Intervals& into, RowScratch& scratch) {
  into.clear();
  switch (node.kind) {
    case MaskKind::both:
    case MaskKind::either: {
      const Borrowed one(scratch);
      const Borrowed two(scratch);
      Intervals sum = std::move(one.list());
      Intervals operand = std::move(two.list());
      node_row(node.operands.front().node(), at, into, scratch);
      for (std::size_t i = 1; i < node.operands.size(); ++i) {
        if (node.kind == MaskKind::both && into.empty()) break;
        node_row(node.operands[i].node(), at, operand, scratch);
        node.kind == MaskKind::both ? intersect(into, operand, sum) : unite(into, operand, sum);
        std::swap(into, sum);
      }
      one.list() = std::move(sum);
      two.list() = std::move(operand);
      return;
    }
    case MaskKind::inverse: {
      const Borrowed one(scratch);
      Intervals operand = std::move(one.list());
      node_row(node.operands.front().node(), at, operand, scratch);
      complement(operand, static_cast<std::uint32_t>(at.sizes.keys), into);
      one.list() = std::move(operand);
      return;
    }
    default: return term_row(node, at, into);
  }
}

}  // namespace

void intersect(std::span<const Interval> a, std::span<const Interval> b, Intervals& out) {
  out.clear();
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint32_t begin = std::max(a[i].begin, b[j].begin);
    const std::uint32_t end = std::min(a[i].end, b[j].end);
    if (begin < end) out.push_back({begin, end});
    a[i].end < b[j].end ? ++i : ++j;
  }
}

void unite(std::span<const Interval> a, std::span<const Interval> b, Intervals& out) {
  out.clear();
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool from_a = j == b.size() || (i < a.size() && a[i].begin <= b[j].begin);
    const Interval next = from_a ? a[i++] : b[j++];
    if (!out.empty() && next.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, next.end);
    } else {
      out.push_back(next);
    }
  }
}

void complement(std::span<const Interval> a, std::uint32_t keys, Intervals& out) {
  out.clear();
  std::uint32_t begin = 0;
  for (const Interval& interval : a) {
    if (begin < interval.begin) out.push_back({begin, interval.begin});
    begin = interval.end;
  }
  if (begin < keys) out.push_back({begin, keys});
}

std::size_t count(std::span<const Interval> row) noexcept {
  std::size_t keys = 0;
  for (const Interval& interval : row) keys += interval.end - interval.begin;
  return keys;
}

bool BoundMask::allows(std::size_t batch, std::size_t head, std::size_t query, std::size_t key) const {
  return allowed(expr_.node(), Place{sizes_, *tables_, batch, head, query}, key);
}

void BoundMask::row(std::size_t batch, std::size_t head, std::size_t query, Intervals& out, RowScratch& scratch) const {
  node_row(expr_.node(), Place{sizes_, *tables_, batch, head, query}, out, scratch);
}

void BoundMask::row(std::size_t batch, std::size_t head, std::size_t query, Intervals& out) const {
  RowScratch scratch;
  row(batch, head, query, out, scratch);
}

Result<Mask4> cells_of(const BoundMask& mask) {
  const auto [batch, heads, queries, keys] = mask.own();
  const std::array<std::size_t, 4> shape{batch, heads, queries, keys};
  if (const auto size = checked_elements("mask", shape, sizeof(bool)); !size) return size.error();
  Mask4 cells = Mask4::from_shape({batch, heads, queries, keys});
  std::fill(cells.begin(), cells.end(), false);
  Intervals row;
  RowScratch scratch;
  bool* first = cells.data();
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t q = 0; q < queries; ++q, first += keys) {
        mask.row(b, h, q, row, scratch);
        for (const Interval& interval : row) std::fill(first + interval.begin, first + interval.end, true);
      }
    }
  }
  return cells;
}

}  // namespace attn

// Building expressions and binding them to sizes: every check of a term's arguments is here. What a term means stands in
// mask_rows.cpp, how it is written in mask_text.cpp.
#include "attn/mask_expr.hpp"

#include <algorithm>
#include <cmath>

#include "attn/text.hpp"
#include "mask_terms.hpp"

namespace attn {
namespace masks {
namespace {

constexpr TermKind kinds[] = {
    {MaskKind::causal, "causal", 0, 0, false, true, 0, "nothing, or bottom_right"},
    {MaskKind::padding, "padding", 1, any_number, true, false, 0, "one length a sequence, or one a query with ';' between sequences"},
    {MaskKind::left_padding, "left_padding", 1, any_number, false, false, 0, "one length a sequence"},
    {MaskKind::window, "window", 1, 2, false, true, 1, "a width, or the numbers of keys before and after"},
    {MaskKind::documents, "documents", 1, any_number, true, true, 1, "lengths of documents, with ';' between sequences"},
    {MaskKind::document_ids, "document_ids", 1, any_number, true, true, 0, "one document id a key, with ';' between sequences"},
    {MaskKind::prefix, "prefix", 1, any_number, false, true, 0, "one length a sequence"},
    {MaskKind::chunks, "chunks", 1, 1, false, true, 1, "the size of a block"},
    {MaskKind::global, "global", 1, any_number, false, true, 0, "positions"},
    {MaskKind::dilated, "dilated", 2, 2, false, true, 1, "the number of keys and the step between them"},
    {MaskKind::rows, "rows", 1, any_number, true, false, 0, "a word of 0 and 1 a query"},
    {MaskKind::all, "all", 0, 0, false, false, 0, "nothing"},
    {MaskKind::none, "none", 0, 0, false, false, 0, "nothing"},
};

}  // namespace

std::span<const TermKind> term_kinds() noexcept { return kinds; }

const TermKind* find_kind(std::string_view name) noexcept {
  for (const TermKind& kind : kinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

const TermKind* find_kind(MaskKind wanted) noexcept {
  for (const TermKind& kind : kinds) {
    if (kind.kind == wanted) return &kind;
  }
  return nullptr;
}

Error mask_error(ErrorCode code, std::string_view sentence) { return {code, "mask", std::string("mask: ").append(sentence)}; }

std::optional<Error> check_size(const MaskExpr& expr) {
  const MaskNode& node = expr.node();
  if (node.kind != MaskKind::too_large) return std::nullopt;
  return mask_error(ErrorCode::too_large, node.depth > deepest ? "is nested deeper than 200 levels" : "has more than 10000 terms and compositions");
}

std::string shown(const MaskExpr& expr) {
  constexpr std::size_t longest = 60;
  std::string text = mask_text(expr);
  if (text.size() > longest) text.resize(longest), text.append("…");
  return text;
}

std::uint32_t smallest_of(const TermKind& kind, std::size_t arguments) noexcept {
  return kind.kind == MaskKind::window && arguments == 2 ? 0 : kind.smallest;
}

namespace {

MaskNode node_of(MaskKind kind) {
  MaskNode node;
  node.kind = kind;
  return node;
}

std::string pair_text(std::size_t a, std::size_t b) { return std::to_string(a).append(" and ").append(std::to_string(b)); }

constexpr std::string_view axis_names[] = {"batch", "heads", "queries", "keys"};

std::array<std::size_t, 4> array_of(const MaskSizes& s) { return {s.batch, s.heads, s.queries, s.keys}; }

/// What one term asks for; 1 where any size fits.
MaskSizes term_sizes(const MaskNode& node) {
  MaskSizes sizes{1, 1, 1, 1};
  switch (node.kind) {
    case MaskKind::padding:
      sizes.batch = node.per_query ? node.arguments.size() : node.arguments.front().size();
      if (node.per_query) sizes.queries = node.arguments.front().size();
      break;
    case MaskKind::left_padding:
    case MaskKind::prefix: sizes.batch = node.arguments.front().size(); break;
    case MaskKind::documents:
    case MaskKind::document_ids: sizes.batch = node.arguments.size(); break;
    case MaskKind::rows: {
      const auto& shape = node.cells->shape();
      sizes = {shape[0], shape[1], shape[2], shape[3]};
      break;
    }
    default: break;
  }
  return sizes;
}

using Seen = std::vector<const MaskNode*>;

/// Calls `visit` with every term below that is not `seen`, from left to right; stops at the first error. What is shared is walked once.
template <class Visit>
std::optional<Error> each_term(const MaskExpr& expr, Seen& seen, const Visit& visit) {
  const MaskNode& node = expr.node();
  if (std::find(seen.begin(), seen.end(), &node) != seen.end()) return std::nullopt;
  seen.push_back(&node);
  if (node.operands.empty()) return visit(expr);
  for (const MaskExpr& operand : node.operands) {
    if (auto error = each_term(operand, seen, visit)) return error;
  }
  return std::nullopt;
}

/// Documents: starts from 0 to keys. Error: lengths that do not sum to the keys.
std::optional<Error> tabulate_documents(const MaskExpr& expr, std::size_t keys, TermTable& table) {
  for (std::size_t row = 0; row < expr.node().arguments.size(); ++row) {
    auto& starts = table.starts.emplace_back(1, 0u);
    std::uint64_t end = 0;
    for (const std::uint32_t length : expr.node().arguments[row]) {
      end += length;
      if (end > keys) break;
      starts.push_back(static_cast<std::uint32_t>(end));
    }
    if (end == keys) continue;
    std::uint64_t sum = 0;
    for (const std::uint32_t length : expr.node().arguments[row]) sum += length;
    return mask_error(ErrorCode::wrong_shape, shown(expr).append(": the lengths of sequence ").append(std::to_string(row)).append(" sum to ")
        .append(std::to_string(sum)).append(", but there are ").append(std::to_string(keys)).append(" keys; allowed are lengths that sum to the keys"));
  }
  return std::nullopt;
}

/// Ids: runs of keys of one id, sorted by id, so that a row finds its document by bisection.
std::optional<Error> tabulate_ids(const MaskExpr& expr, std::size_t keys, TermTable& table) {
  for (const auto& ids : expr.node().arguments) {
    if (ids.size() != keys) {
      return mask_error(ErrorCode::wrong_shape, shown(expr).append(" has ").append(std::to_string(ids.size())).append(" ids, but there are ")
          .append(std::to_string(keys)).append(" keys; give one id a key"));
    }
    auto& runs = table.runs.emplace_back();
    for (std::uint32_t begin = 0, end = 0; begin < keys; begin = end) {
      while (end < keys && ids[end] == ids[begin]) ++end;
      runs.push_back({begin, end});
    }
    std::sort(runs.begin(), runs.end(), [&](const Interval& a, const Interval& b) { return ids[a.begin] != ids[b.begin] ? ids[a.begin] < ids[b.begin] : a.begin < b.begin; });
  }
  return std::nullopt;
}

/// Checks a term against the sizes and makes its table.
std::optional<Error> bind_term(const MaskExpr& expr, const MaskSizes& sizes, MaskTables& tables) {
  const MaskNode& node = expr.node();
  const auto own = array_of(term_sizes(node));
  const auto all = array_of(sizes);
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (own[axis] == 1 || own[axis] == all[axis]) continue;
    std::array<std::size_t, 4> shape = all;
    for (std::size_t i = 0; i < 4; ++i) shape[i] = own[i] == 1 && node.kind != MaskKind::rows ? (i < 2 ? 1 : all[i]) : own[i];
    return mask_error(ErrorCode::wrong_shape, shown(expr).append(" has shape ").append(shape_text(shape)).append(" and does not broadcast to ")
        .append(shape_text(all)).append(": axis ").append(std::to_string(axis)).append(" (").append(axis_names[axis]).append(") has ")
        .append(std::to_string(own[axis])).append(", allowed are 1 and ").append(std::to_string(all[axis])));
  }
  TermTable table{&node, {}, {}};
  switch (node.kind) {
    case MaskKind::padding:
    case MaskKind::left_padding:
    case MaskKind::prefix:
      for (std::size_t row = 0; row < node.arguments.size(); ++row) {
        for (std::size_t i = 0; i < node.arguments[row].size(); ++i) {
          if (node.arguments[row][i] <= sizes.keys) continue;
          const std::string entry = node.per_query ? std::string("sequence ").append(std::to_string(row)).append(", query ").append(std::to_string(i)) : std::string("sequence ").append(std::to_string(i));
          return mask_error(ErrorCode::out_of_range, shown(expr).append(": the length of ").append(entry).append(" is ")
              .append(std::to_string(node.arguments[row][i])).append("; allowed are 0 to ").append(std::to_string(sizes.keys)).append(", the number of keys"));
        }
      }
      return std::nullopt;
    case MaskKind::global:
      if (node.arguments.front().back() >= std::max(sizes.queries, sizes.keys)) {
        return mask_error(ErrorCode::out_of_range, shown(expr).append(": position ").append(std::to_string(node.arguments.front().back()))
            .append(" is beyond ").append(pair_text(sizes.queries, sizes.keys)).append(", the queries and keys"));
      }
      return std::nullopt;
    case MaskKind::documents:
    case MaskKind::document_ids:
      if (sizes.queries > sizes.keys) {
        return mask_error(ErrorCode::wrong_shape, shown(expr).append(": there are ").append(std::to_string(sizes.queries)).append(" queries and ")
            .append(std::to_string(sizes.keys)).append(" keys; documents lie on the keys, so there may not be more queries than keys"));
      }
      if (auto error = node.kind == MaskKind::documents ? tabulate_documents(expr, sizes.keys, table) : tabulate_ids(expr, sizes.keys, table)) return error;
      tables.terms.push_back(std::move(table));
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace
}  // namespace masks

using masks::mask_error;

namespace {

/// A node over operands, or without them where it would be too large: so nobody walks deeper or longer than the limits, who destroys it included.
MaskNode composed(MaskKind kind, std::vector<MaskExpr> operands) {
  MaskNode node = masks::node_of(kind);
  for (const MaskExpr& operand : operands) {
    node.depth = std::max(node.depth, operand.node().depth + 1);
    node.parts = std::min(node.parts + operand.node().parts, masks::most_parts + 1);
  }
  if (node.depth > masks::deepest || node.parts > masks::most_parts) node.kind = MaskKind::too_large;
  else node.operands = std::move(operands);
  return node;
}

}  // namespace

MaskExpr MaskExpr::both(std::vector<MaskExpr> operands) {
  if (operands.empty()) return all();
  if (operands.size() == 1) return operands.front();
  return MaskExpr(std::make_shared<const MaskNode>(composed(MaskKind::both, std::move(operands))));
}

MaskExpr MaskExpr::either(std::vector<MaskExpr> operands) {
  if (operands.empty()) return none();
  if (operands.size() == 1) return operands.front();
  return MaskExpr(std::make_shared<const MaskNode>(composed(MaskKind::either, std::move(operands))));
}

MaskExpr MaskExpr::inverse(const MaskExpr& operand) {
  return MaskExpr(std::make_shared<const MaskNode>(composed(MaskKind::inverse, {operand})));
}

MaskExpr MaskExpr::all() { return MaskExpr(std::make_shared<const MaskNode>(masks::node_of(MaskKind::all))); }
MaskExpr MaskExpr::none() { return MaskExpr(std::make_shared<const MaskNode>(masks::node_of(MaskKind::none))); }

MaskExpr MaskExpr::causal(Alignment alignment) {
  MaskNode node = masks::node_of(MaskKind::causal);
  node.alignment = alignment;
  return MaskExpr(std::make_shared<const MaskNode>(std::move(node)));
}

Result<MaskExpr> MaskExpr::window(double width, Alignment alignment) { return term(MaskKind::window, {{width}}, alignment); }

MaskExpr MaskExpr::padding(const ValidLens& valid_lens) {
  MaskNode node = masks::node_of(MaskKind::padding);
  node.per_query = valid_lens.per_query();
  const std::size_t queries = node.per_query ? valid_lens.shape()[1] : 1;
  for (std::size_t b = 0; b < valid_lens.batch(); ++b) {
    if (node.per_query || b == 0) node.arguments.emplace_back();
    for (std::size_t q = 0; q < queries; ++q) node.arguments.back().push_back(static_cast<std::uint32_t>(valid_lens.at(b, q)));
  }
  return MaskExpr(std::make_shared<const MaskNode>(std::move(node)));
}

Result<MaskExpr> MaskExpr::term(MaskKind kind, std::vector<std::vector<double>> arguments, Alignment alignment) {
  const masks::TermKind* info = masks::find_kind(kind);
  if (info == nullptr || kind == MaskKind::rows) return mask_error(ErrorCode::wrong_type, "this kind is not made of numbers; use both, either, inverse or cells");
  const std::string name(info->name);
  const auto refuse = [&](ErrorCode code, std::string_view rest) { return mask_error(code, std::string(name).append(" ").append(rest)); };
  if (alignment != Alignment::top_left && !info->aligned) return refuse(ErrorCode::wrong_type, "has no alignment");
  MaskNode node = masks::node_of(kind);
  node.alignment = alignment;
  // "1,3;" is one row that stands for queries: an empty row behind it says so.
  if (arguments.size() == 2 && arguments.back().empty() && kind == MaskKind::padding) {
    node.per_query = true;
    arguments.pop_back();
  }
  if (arguments.empty()) arguments.emplace_back();
  node.per_query = node.per_query || (kind == MaskKind::padding && arguments.size() > 1);
  if (arguments.size() > 1 && !info->sequences) return refuse(ErrorCode::wrong_shape, std::string("takes ").append(info->takes).append("; ';' is not allowed in it"));
  for (const auto& row : arguments) {
    if (row.size() < info->least || row.size() > info->most) {
      return refuse(ErrorCode::wrong_shape, std::string("has ").append(std::to_string(row.size())).append(row.size() == 1 ? " argument" : " arguments").append("; it takes ").append(info->takes));
    }
    if (row.size() != arguments.front().size() && kind != MaskKind::documents) {
      return refuse(ErrorCode::wrong_shape, std::string("has rows of ").append(masks::pair_text(arguments.front().size(), row.size())).append(" arguments; give every sequence as many"));
    }
    auto& kept = node.arguments.emplace_back();
    for (const double value : row) {
      const std::uint32_t smallest = masks::smallest_of(*info, row.size());
      const std::string range = std::string("; allowed are whole numbers from ").append(std::to_string(smallest)).append(" to 2147483647");
      if (!(std::floor(value) == value)) return refuse(ErrorCode::not_an_integer, std::string("has the argument ").append(number_text(value)).append(range));
      if (value < smallest || value > masks::largest_argument) return refuse(ErrorCode::out_of_range, std::string("has the argument ").append(number_text(value)).append(range));
      kept.push_back(static_cast<std::uint32_t>(value));
    }
  }
  if (kind == MaskKind::global) {
    auto& positions = node.arguments.front();
    std::sort(positions.begin(), positions.end());
    const auto twice = std::adjacent_find(positions.begin(), positions.end());
    if (twice != positions.end()) return refuse(ErrorCode::wrong_shape, std::string("has position ").append(std::to_string(*twice)).append(" twice"));
  }
  if (info->most == 0) node.arguments.clear();
  return MaskExpr(std::make_shared<const MaskNode>(std::move(node)));
}

Result<MaskExpr> MaskExpr::cells(Mask4 cells) {
  const auto shape = shape_of(cells);
  if (std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end()) {
    return mask_error(ErrorCode::wrong_shape, std::string("the cells have shape ").append(shape_text(shape)).append("; no axis may be 0"));
  }
  MaskNode node = masks::node_of(MaskKind::rows);
  node.cells = std::move(cells);
  return MaskExpr(std::make_shared<const MaskNode>(std::move(node)));
}

Result<MaskExpr> MaskExpr::cells(const Mask& mask) {
  const auto [batch, queries, keys] = shape_of(mask);
  Mask4 cells = Mask4::from_shape({batch, 1, queries, keys});
  std::copy(mask.begin(), mask.end(), cells.begin());
  return MaskExpr::cells(std::move(cells));
}

bool operator==(const MaskExpr& a, const MaskExpr& b) {
  const MaskNode& x = a.node();
  const MaskNode& y = b.node();
  if (&x == &y) return true;
  if (x.kind == MaskKind::too_large) return false;  // of what, is not kept
  if (x.kind != y.kind || x.alignment != y.alignment || x.per_query != y.per_query || x.arguments != y.arguments || x.operands != y.operands) return false;
  if (!x.cells) return true;
  return shape_of(*x.cells) == shape_of(*y.cells) && std::equal(x.cells->begin(), x.cells->end(), y.cells->begin());
}

Result<MaskSizes> own_sizes(const MaskExpr& expr) {
  if (auto error = masks::check_size(expr)) return *std::move(error);
  std::array<std::size_t, 4> own{1, 1, 1, 1};
  std::array<std::optional<MaskExpr>, 4> by;  // the term that asked for it
  masks::Seen seen;
  auto error = masks::each_term(expr, seen, [&](const MaskExpr& term) -> std::optional<Error> {
    const auto asked = masks::array_of(masks::term_sizes(term.node()));
    for (std::size_t axis = 0; axis < 4; ++axis) {
      if (asked[axis] == 1 || asked[axis] == own[axis]) continue;
      if (own[axis] != 1) {
        return mask_error(ErrorCode::wrong_shape, masks::shown(*by[axis]).append(" and ").append(masks::shown(term)).append(" do not broadcast: axis ")
            .append(std::to_string(axis)).append(" (").append(masks::axis_names[axis]).append(") has ").append(masks::pair_text(own[axis], asked[axis])));
      }
      own[axis] = asked[axis];
      by[axis] = term;
    }
    return std::nullopt;
  });
  if (error) return *std::move(error);
  return MaskSizes{own[0], own[1], own[2], own[3]};
}

Result<BoundMask> BoundMask::make(MaskExpr expr, MaskSizes sizes) {
  if (auto error = masks::check_size(expr)) return *std::move(error);
  double cells = 1;
  const auto all = masks::array_of(sizes);
  for (std::size_t axis = 0; axis < 4; ++axis) {
    cells *= static_cast<double>(all[axis]);
    if (static_cast<double>(all[axis]) > masks::largest_argument) {
      return mask_error(ErrorCode::too_large, std::string(masks::axis_names[axis]).append(" is ").append(std::to_string(all[axis])).append("; allowed are 0 to 2147483647"));
    }
  }
  if (cells > 9007199254740992.0) return mask_error(ErrorCode::too_large, std::string("shape ").append(shape_text(all)).append(" has more than 2^53 cells"));
  MaskTables tables;
  MaskSizes own{1, 1, sizes.queries, sizes.keys};
  masks::Seen seen;
  auto error = masks::each_term(expr, seen, [&](const MaskExpr& term) {
    const MaskSizes asked = masks::term_sizes(term.node());
    if (asked.batch != 1) own.batch = sizes.batch;
    if (asked.heads != 1) own.heads = sizes.heads;
    return masks::bind_term(term, sizes, tables);
  });
  if (error) return *std::move(error);
  BoundMask bound(std::move(expr), sizes, own);
  bound.tables_ = std::make_shared<const MaskTables>(std::move(tables));
  return bound;
}

std::vector<BoundMask> BoundMask::sheets() const {
  const MaskNode& node = expr_.node();
  std::vector<BoundMask> sheets;
  const auto add = [&](const MaskExpr& expr) {
    BoundMask sheet(expr, sizes_, own_);
    sheet.tables_ = tables_;  // tables are found by node, and the nodes are shared
    sheets.push_back(std::move(sheet));
  };
  if (node.kind != MaskKind::both) {
    add(expr_);
  } else {
    for (const MaskExpr& operand : node.operands) add(operand);
  }
  return sheets;
}

}  // namespace attn

// Reading, checking and mending the parameters of Sheets of masks. See masks_state.hpp.
#include "masks_state.hpp"

#include <algorithm>

namespace attn::studies {
namespace {

/// An error of the mask, told of the parameter it came from.
Error renamed(Error error, const std::string& param) {
  if (error.message.starts_with("mask: ")) error.message = std::string(param).append(error.message.substr(4));
  error.param = param;
  return error;
}

Error beyond(const std::string& param, std::size_t value, std::size_t most, std::string_view what) {
  return {ErrorCode::out_of_range, param, std::string(param).append(" is ").append(std::to_string(value)).append("; allowed are 1 to ").append(std::to_string(most)).append(", the number of ").append(what)};
}

std::optional<MaskExpr> meant_of(const Params& params) {
  if (params.text("meant").empty()) return std::nullopt;
  return parse_mask(params.text("meant"), "meant").value();  // validated already
}

MaskExpr mask_of(const Params& params) { return parse_mask(params.text("mask")).value(); }

/// A list that had one number a key or query, cut or drawn out by its last number.
void resize_list(std::vector<double>& list, std::size_t size) {
  const double last = list.empty() ? 0 : list.back();
  list.resize(size, last);
}

/// Documents that sum to the keys again: cut at the end, or the last one drawn out.
void resize_documents(std::vector<double>& lengths, double keys) {
  double sum = 0;
  std::size_t kept = 0;
  for (; kept < lengths.size() && sum < keys; ++kept) {
    lengths[kept] = std::min(lengths[kept], keys - sum);
    sum += lengths[kept];
  }
  lengths.resize(kept);
  if (!lengths.empty()) lengths.back() += keys - sum;
}

Mask4 resized(const Mask4& cells, std::size_t queries, std::size_t keys) {
  const auto [batch, heads, old_queries, old_keys] = shape_of(cells);
  const std::size_t new_queries = old_queries == 1 ? 1 : queries;
  const std::size_t new_keys = old_keys == 1 ? 1 : keys;
  Mask4 out = Mask4::from_shape({batch, heads, new_queries, new_keys});
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t q = 0; q < new_queries; ++q) {
        for (std::size_t k = 0; k < new_keys; ++k) out(b, h, q, k) = q >= old_queries || k >= old_keys || cells(b, h, q, k);
      }
    }
  }
  return out;
}

/// The expression with every term fitted to queries and keys. Terms that fit stay as they are.
MaskExpr fitted(const MaskExpr& expr, std::size_t queries, std::size_t keys) {
  const MaskNode& node = expr.node();
  if (!node.operands.empty()) {
    std::vector<MaskExpr> operands;
    for (const MaskExpr& operand : node.operands) operands.push_back(fitted(operand, queries, keys));
    if (node.kind == MaskKind::inverse) return MaskExpr::inverse(operands.front());
    return node.kind == MaskKind::both ? MaskExpr::both(std::move(operands)) : MaskExpr::either(std::move(operands));
  }
  if (node.cells) return MaskExpr::cells(resized(*node.cells, queries, keys)).value();
  std::vector<std::vector<double>> arguments;
  for (const auto& row : node.arguments) arguments.emplace_back(row.begin(), row.end());
  const auto limit = static_cast<double>(keys);
  for (auto& row : arguments) {
    switch (node.kind) {
      case MaskKind::padding:
      case MaskKind::left_padding:
      case MaskKind::prefix:
        for (double& length : row) length = std::min(length, limit);
        if (node.per_query && row.size() > 1) resize_list(row, queries);
        break;
      case MaskKind::documents: resize_documents(row, limit); break;
      case MaskKind::document_ids: resize_list(row, keys); break;
      case MaskKind::global:
        std::erase_if(row, [&](double position) { return position >= static_cast<double>(std::max(queries, keys)); });
        if (row.empty()) row.push_back(0);
        break;
      default: break;
    }
  }
  if (node.per_query && arguments.size() == 1) arguments.emplace_back();
  auto made = MaskExpr::term(node.kind, std::move(arguments), node.alignment);
  return made ? std::move(made).value() : expr;
}

bool lies_on_keys(const MaskExpr& expr) {
  const MaskNode& node = expr.node();
  if (node.kind == MaskKind::documents || node.kind == MaskKind::document_ids) return true;
  return std::any_of(node.operands.begin(), node.operands.end(), lies_on_keys);
}

/// The first error that concerns the expressions themselves.
std::optional<Error> wrong_masks(const Params& params) {
  const auto state = masks_state(params);
  if (state || (state.error().param != "mask" && state.error().param != "meant")) return std::nullopt;
  return state.error();
}

}  // namespace

std::vector<MaskExpr> sheets_of(const MaskExpr& expr) {
  return expr.node().kind == MaskKind::both ? expr.node().operands : std::vector<MaskExpr>{expr};
}

Result<MasksState> masks_state(const Params& params) {
  const MaskExpr mask = mask_of(params);
  const auto meant = meant_of(params);
  auto own = own_sizes(mask);
  if (!own) return renamed(own.error(), "mask");
  if (meant) {
    own = own_sizes(mask & *meant);
    if (!own) return renamed(own.error(), "meant");
  }
  MaskSizes sizes = own.value();
  if (sizes.batch > most_sequences) return Error{ErrorCode::too_large, "mask", "mask: has " + std::to_string(sizes.batch) + " sequences; a plate shows at most 64"};
  if (sizes.heads > most_heads) return Error{ErrorCode::too_large, "mask", "mask: has " + std::to_string(sizes.heads) + " heads; a plate shows at most 16"};
  sizes.queries = params.integer("queries");
  sizes.keys = params.integer("keys");
  std::vector<MaskExpr> sheets = sheets_of(mask);
  if (sheets.size() > most_sheets) return Error{ErrorCode::too_large, "mask", "mask: has " + std::to_string(sheets.size()) + " sheets; a plate shows at most 16"};
  if (const auto whole = BoundMask::make(mask, sizes); !whole) return renamed(whole.error(), "mask");
  std::optional<BoundMask> bound_meant;
  if (meant) {
    auto bound = BoundMask::make(*meant, sizes);
    if (!bound) return renamed(bound.error(), "meant");
    bound_meant = std::move(bound).value();
  }
  std::vector<bool> on(sheets.size(), true);
  const std::vector<std::size_t> off = parse_list("off", params.text("off")).value();
  for (const std::size_t number : off) {
    if (number > sheets.size()) return beyond("off", number, sheets.size(), "sheets");
    on[number - 1] = false;
  }
  if (params.integer("sequence") > sizes.batch) return beyond("sequence", params.integer("sequence"), sizes.batch, "sequences");
  if (params.integer("head") > sizes.heads) return beyond("head", params.integer("head"), sizes.heads, "heads");
  std::vector<MaskExpr> laid;
  for (std::size_t i = 0; i < sheets.size(); ++i) {
    if (on[i]) laid.push_back(sheets[i]);
  }
  // One sheet alone that is an AND in parentheses must stay one sheet.
  if (laid.size() == 1 && laid.front().node().kind == MaskKind::both) laid.push_back(MaskExpr::all());
  return MasksState{sizes, std::move(sheets), std::move(on), BoundMask::make(MaskExpr::both(std::move(laid)), sizes).value(), std::move(bound_meant),
                    params.integer("sequence") - 1, params.integer("head") - 1};
}

void mend_masks(Params& params, std::vector<Notice>& notices) {
  if (wrong_masks(params)) {
    const MaskExpr mask = mask_of(params);
    const auto meant = meant_of(params);
    if ((lies_on_keys(mask) || (meant && lies_on_keys(*meant))) && params.integer("queries") > params.integer("keys")) {
      params.set("queries", static_cast<double>(params.integer("keys")));
      notices.push_back({"queries", "documents lie on the keys, so there are no more queries than keys; " + std::to_string(params.integer("keys")) + " is used"});
    }
    const std::size_t queries = params.integer("queries"), keys = params.integer("keys");
    for (const char* key : {"mask", "meant"}) {
      if (params.text(key).empty()) continue;
      const std::string text = mask_text(fitted(parse_mask(params.text(key)).value(), queries, keys));
      if (text == params.text(key)) continue;
      // in the words of the field, where it is this one that they are about
      const auto wrong = wrong_masks(params);
      std::string message = wrong && wrong->param == key ? wrong->message
                                                         : std::string(key).append(" did not fit ").append(std::to_string(queries)).append(" queries and ").append(std::to_string(keys)).append(" keys");
      params.set(key, text);
      notices.push_back({key, message.append("; ").append(text).append(" is used")});
    }
    if (const auto still = wrong_masks(params)) {
      // Two terms, or the mask and what was meant, ask for different batches: nothing is near.
      notices.push_back({still->param, still->message + "; " + (still->param == "mask" ? "causal" : "none") + " is used"});
      params.set(still->param, still->param == "mask" ? std::string("causal") : std::string());
      if (wrong_masks(params)) params.set("meant", std::string());
    }
  }
  const std::size_t count = sheets_of(mask_of(params)).size();
  auto off = parse_list("off", params.text("off")).value();
  if (!off.empty() && off.back() > count) {
    std::erase_if(off, [&](std::size_t number) { return number > count; });
    params.set("off", list_text(off));
    notices.push_back({"off", std::string("there are ").append(std::to_string(count)).append(count == 1 ? " sheet" : " sheets").append("; numbers beyond are left out")});
  }
  for (const char* key : {"sequence", "head"}) {
    const auto state = masks_state(params);
    if (state || state.error().param != key) continue;
    const auto meant = meant_of(params);
    const auto own = own_sizes(meant ? mask_of(params) & *meant : mask_of(params)).value();
    const std::size_t most = std::string_view(key) == "sequence" ? own.batch : own.heads;
    params.set(key, static_cast<double>(most));
    notices.push_back({key, state.error().message + "; " + std::to_string(most) + " is used"});
  }
}

}  // namespace attn::studies

// Proofs of the claims of Sheets of masks: each property is tried on every pair or triple of a list of masks, at several sizes.
#include "masks_claims.hpp"

#include <algorithm>

#include "attn/mask_report.hpp"
#include "attn/random/jax.hpp"
#include "attn/softmax.hpp"
#include "evidence.hpp"

namespace attn::studies {
namespace {

constexpr const char* terms[] = {"causal", "window(1)", "window(2)", "window(1,1)", "padding(3)", "padding(0)", "left_padding(2)", "documents(2,4)", "document_ids(0,1,0,1,2,2)",
                                 "prefix(2)", "chunks(4)", "global(1)", "dilated(2,2)", "~causal", "all", "none", "causal & padding(3)", "window(2) | global(0)", "rows(011011)"};
constexpr std::size_t n = 6;

BoundMask bound(const MaskExpr& expr, MaskSizes sizes = {1, 1, n, n}) { return BoundMask::make(expr, sizes).value(); }
BoundMask bound(const std::string& text, MaskSizes sizes = {1, 1, n, n}) { return bound(parse_mask(text).value(), sizes); }
MaskReport told(const std::string& text, MaskSizes sizes = {1, 1, n, n}) { return report_mask(bound(text, sizes)).value(); }
std::string square(std::size_t size) { return std::to_string(size) + " x " + std::to_string(size); }

/// Whether `property` holds at every cell of these masks, as a predicate on what each of them says there.
template <class Property>
bool everywhere(const std::vector<BoundMask>& masks, const Property& property) {
  const MaskSizes& sizes = masks.front().sizes();
  std::vector<bool> open(masks.size());
  for (std::size_t b = 0; b < sizes.batch; ++b) {
    for (std::size_t q = 0; q < sizes.queries; ++q) {
      for (std::size_t k = 0; k < sizes.keys; ++k) {
        for (std::size_t i = 0; i < masks.size(); ++i) open[i] = masks[i].allows(b, 0, q, k);
        if (!property(open)) return false;
      }
    }
  }
  return true;
}

/// A property of the cells of a, b and their composition, for every pair of terms.
template <class Compose, class Property>
Finding for_pairs(const Compose& compose, const Property& property, const std::string& what) {
  bool holds = true;
  std::size_t pairs = 0;
  for (const char* first : terms) {
    for (const char* second : terms) {
      const MaskExpr a = parse_mask(first).value(), b = parse_mask(second).value();
      holds = holds && everywhere({bound(a), bound(b), bound(compose(a, b))}, property);
      ++pairs;
    }
  }
  Proof summary;
  summary.require(holds, what + " at every cell of " + std::to_string(pairs) + " pairs of masks");
  return summary.finding();
}

Finding and_closes() {
  return for_pairs([](const MaskExpr& a, const MaskExpr& b) { return a & b; }, [](const auto& open) { return open[2] == (open[0] && open[1]); }, "the AND is open where both are");
}

Finding or_opens() {
  return for_pairs([](const MaskExpr& a, const MaskExpr& b) { return a | b; }, [](const auto& open) { return open[2] == (open[0] || open[1]); }, "the OR is open where one is");
}

Finding opposite_swaps() {
  return for_pairs([](const MaskExpr& a, const MaskExpr&) { return ~a; }, [](const auto& open) { return open[2] != open[0]; }, "NOT swaps open and closed");
}

Finding removing() {
  return for_pairs([](const MaskExpr& a, const MaskExpr& b) { return a & b; }, [](const auto& open) { return !open[2] || (open[0] && open[1]); }, "what the AND allows each sheet allows alone");
}

Finding self_key() {
  Proof proof;
  std::size_t kept = 0, triples = 0;
  bool holds = true;
  for (const char* first : terms) {
    for (const char* second : terms) {
      for (const char* third : terms) {
        const auto report = told(std::string("(") + first + ") & (" + second + ") & (" + third + ")");
        ++triples;
        if (!std::all_of(report.sheets.begin(), report.sheets.end(), [](const auto& sheet) { return sheet.keeps_self == true; })) continue;
        ++kept;
        holds = holds && report.empty_rows == 0 && report.keeps_self == true;
      }
    }
  }
  proof.require(holds, "no row of the AND is empty");
  proof.require(kept > 100, std::to_string(kept) + " of " + std::to_string(triples) + " triples leave every query its own key");
  return proof.finding();
}

Finding which_keep_self() {
  Proof proof;
  for (const char* text : {"causal", "window(2)", "causal & documents(4,2)", "documents(4,2)"}) proof.require(told(text).keeps_self == true, std::string(text) + " keeps it");
  const auto padding = told("padding(3)");
  proof.require(padding.keeps_self == false && padding.loses_self->query == 3, "padding(3) takes it from query 4 on");
  return proof.finding();
}

Finding exercise_rows() {
  Proof proof;
  const auto report = told("window(2) & padding(3)");
  proof.require(report.empty_rows == 2 && report.empty_runs.front().first == 4 && report.empty_runs.front().last == 5, "queries 5 and 6 are empty");
  proof.require(told("window(2)").empty_rows == 0, "the window alone leaves no row empty");
  proof.require(told("padding(3)").empty_rows == 0, "nor does the padding");
  return proof.finding();
}

Finding window_width() {
  Proof proof;
  Intervals row;
  for (std::size_t width = 1; width <= 8; ++width) {
    const auto mask = bound("window(" + std::to_string(width) + ")", {1, 1, 12, 12});
    bool holds = true;
    for (std::size_t q = 0; q < 12; ++q) {
      mask.row(0, 0, q, row);
      holds = holds && count(row) == std::min(width, q + 1) && mask.allows(0, 0, q, q);
    }
    proof.require(holds, "width " + std::to_string(width) + ": min(width, position) keys, the last of them the query's own");
  }
  return proof.finding();
}

Tensor<double, 3> weights_of(const std::string& text, const Tensor<double, 3>& scores) {
  const MaskSizes sizes{1, 1, scores.shape()[1], scores.shape()[2]};
  const Mask4 cells = cells_of(bound(text, sizes)).value();
  Mask mask = Mask::from_shape({1, sizes.queries, sizes.keys});
  std::copy(cells.begin(), cells.end(), mask.begin());
  return masked_softmax(scores, mask).value();
}

Finding documents_apart() {
  Proof proof;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<float> drawn(36);
    random::jax::normal(random::jax::key(seed), 0, drawn);
    Tensor<double, 3> scores = Tensor<double, 3>::from_shape({1, 6, 6});
    std::copy(drawn.begin(), drawn.end(), scores.begin());
    const auto packed = weights_of("causal & documents(4,2)", scores);
    bool same = true;
    for (const auto& [first, length] : {std::pair<std::size_t, std::size_t>{0, 4}, {4, 2}}) {
      Tensor<double, 3> own = Tensor<double, 3>::from_shape({1, length, length});
      for (std::size_t q = 0; q < length; ++q) {
        for (std::size_t k = 0; k < length; ++k) own(0, q, k) = scores(0, first + q, first + k);
      }
      const auto alone = weights_of("causal", own);
      for (std::size_t q = 0; q < length; ++q) {
        for (std::size_t k = 0; k < 6; ++k) {
          const bool inside = k >= first && k < first + length;
          same = same && packed(0, first + q, k) == (inside ? alone(0, q, k - first) : 0.0);
        }
      }
    }
    proof.require(same, "seed " + std::to_string(seed) + ": the same bits");
  }
  return proof.finding();
}

Finding alignment_same() {
  Proof proof;
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}}) {
    proof.require(everywhere({bound("causal", {1, 1, size, size}), bound("causal(bottom_right)", {1, 1, size, size})}, [](const auto& open) { return open[0] == open[1]; }), square(size));
  }
  return proof.finding();
}

Finding alignment_cache() {
  Proof proof;
  Intervals row;
  for (std::size_t queries = 1; queries <= 5; ++queries) {
    const auto bottom = bound("causal(bottom_right)", {1, 1, queries, 5});
    bottom.row(0, 0, queries - 1, row);
    proof.require(count(row) == 5, std::to_string(queries) + " queries and 5 keys: the last query sees 5");
    const auto top = bound("causal", {1, 1, queries, 5});
    top.row(0, 0, queries - 1, row);
    proof.require(count(row) == queries, "aligned at the top left it sees " + std::to_string(queries));
  }
  return proof.finding();
}

Finding prefix_only() {
  Proof proof;
  for (const char* text : {"padding(3)", "causal", "causal & padding(3)"}) proof.require(told(text).prefix, std::string(text) + " is a prefix");
  for (const char* text : {"window(2)", "causal & documents(4,2)"}) proof.require(!told(text).prefix, std::string(text) + " is not");
  return proof.finding();
}

Finding lengths_cost() {
  Proof proof;
  for (const std::size_t size : {std::size_t{6}, std::size_t{512}, std::size_t{4096}}) {
    const auto bytes = told("causal & padding(3)", {1, 1, size, size}).bytes;
    proof.require(bytes.boolean == size * size && bytes.lengths == 4 * size, square(size) + ": " + std::to_string(bytes.boolean) + " bytes against " + std::to_string(*bytes.lengths));
  }
  return proof.finding();
}

Finding inverted() {
  Proof proof;
  const auto mask = bound("~causal");
  bool future = true;
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t k = 0; k < n; ++k) future = future && mask.allows(0, 0, q, k) == (k > q);
  }
  proof.require(future, "query t sees keys t + 1 to 6");
  const auto report = told("~causal");
  proof.require(report.empty_rows == 1 && report.empty_runs.front().first == 5, "the last query sees nothing");
  return proof.finding();
}

Finding left_padding() {
  Proof proof;
  for (std::size_t length = 1; length < n; ++length) {
    const auto report = told("causal & left_padding(" + std::to_string(length) + ")");
    proof.require(report.empty_rows == n - length && report.empty_runs.front().first == 0 && report.empty_runs.front().last == n - length - 1,
                  std::to_string(length) + " keys at the right: the first " + std::to_string(n - length) + " rows are empty");
  }
  return proof.finding();
}

Finding documents_leak() {
  Proof proof;
  const auto causal = bound("causal"), packed = bound("causal & documents(4,2)");
  std::size_t leaks = 0;
  bool second_reads_first = true;
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t k = 0; k < n; ++k) {
      if (causal.allows(0, 0, q, k) == packed.allows(0, 0, q, k)) continue;
      ++leaks;
      second_reads_first = second_reads_first && q >= 4 && k < 4;
    }
  }
  proof.within("pairs that leak", static_cast<double>(leaks), 8, 8);
  proof.require(second_reads_first, "each is a query of the second document and a key of the first");
  return proof.finding();
}

Finding rows_from_intervals() {
  Proof proof;
  const auto report = told("causal & window(512) & documents(8192,8192) & padding(12000)", {1, 1, 16384, 16384});
  proof.require(report.rows == 16384 && report.intervals <= report.rows, std::to_string(report.intervals) + " intervals for " + std::to_string(report.rows) + " rows of 16384 keys");
  return proof.finding();
}

}  // namespace

std::vector<Claim> masks_claims() {
  return {
      {"and-closes", "Where sheets are laid on each other, a query sees a key only where every sheet is open.", proof(and_closes)},
      {"or-opens", "Joined by OR, a key is seen where either mask is open.", proof(or_opens)},
      {"opposite", "The opposite convention is the same mask with every cell swapped.", proof(opposite_swaps)},
      {"removing", "Laying a sheet aside never closes a cell.", proof(removing)},
      {"self-key", "If every sheet leaves each query its own key, no row of their AND is empty.", proof(self_key)},
      {"which-keep-self", "Causal, sliding-window and document masks leave every query its own key; padding does not.", proof(which_keep_self)},
      {"exercise-rows", "Padding to 3 and a causal window of 2 over six positions leave queries 5 and 6 without a key, though each alone leaves every query one.", proof(exercise_rows)},
      {"window-width", "A causal window of width w shows a query w keys, its own included, once w keys are there.", proof(window_width)},
      {"documents-apart", "Packed documents under a causal and a document mask get the weights they get alone.", proof(documents_apart)},
      {"documents-leak", "Without the document mask every query of the second document sees every key of the first.", proof(documents_leak)},
      {"alignment-same", "With as many queries as keys both alignments are the same mask.", proof(alignment_same)},
      {"alignment-cache", "Aligned bottom-right, the last query sees every key.", proof(alignment_cache)},
      {"prefix-only", "Padding, causality and both together are prefixes; a window and packed documents are not.", proof(prefix_only)},
      {"lengths-cost", "A boolean mask takes a byte a pair where a prefix takes four bytes a query.", proof(lengths_cost)},
      {"inverted", "A causal mask read with the opposite convention shows each query only its future.", proof(inverted)},
      {"left-padding", "Left padding with a causal mask empties the first rows.", proof(left_padding)},
      {"rows-from-intervals", "A causal window over packed, padded documents is at most one run of keys a query, at any length.", proof(rows_from_intervals)},
  };
}

}  // namespace attn::studies

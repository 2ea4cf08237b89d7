// Mask expressions: masks as values that are composed by AND, OR and NOT and never written out until somebody asks for them.
// A term says once, as a predicate, whether query q may attend to key k, and once, as intervals, which keys a whole row may
// attend to; the two are held together by the tests. An expression knows no sizes; bound to (batch, heads, queries, keys) it
// becomes a BoundMask that answers cells, rows, or the whole tensor. Positions count from 0 here, as in code.
// Sources: Dive into Deep Learning, section 10.2.2.3 and exercise 6 (composition, causal window); Beltagy et al. 2020, section
// 3.1 (window, dilation, global tokens); Raffel et al. 2020, section 3.1.1 (prefix).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attn/error.hpp"
#include "attn/key_spans.hpp"
#include "attn/mask.hpp"
#include "attn/tensor.hpp"

namespace attn {

/// Boolean mask with a heads axis, (batch, heads, queries, keys), axes of size 1 broadcast.
using Mask4 = Tensor<bool, 4>;

/// Where query 0 stands among the keys when their numbers differ. top_left: query q stands at position q.
/// bottom_right: at position q + keys - queries, so that the last query stands at the last key, as with a cache of earlier keys.
enum class Alignment { top_left, bottom_right };

/// The kinds of terms. p is the position of query q by the term's alignment, k the key.
enum class MaskKind {
  all,           ///< every key
  none,          ///< no key
  causal,        ///< k <= p
  window,        ///< window(w): p - w < k <= p, w keys that end with the query's own. window(before, after): p - before <= k <= p + after
  padding,       ///< padding(n, ...): k < n, one length a sequence; "1,3;2,4": one a query, ';' between sequences ("1,3;" for one sequence)
  left_padding,  ///< left_padding(n, ...): k >= keys - n, one length a sequence
  documents,     ///< documents(n, ...): p and k in the same of consecutive documents of these lengths; ';' between sequences
  document_ids,  ///< document_ids(i, ...): the ids at p and k are equal, one id a key; ';' between sequences
  prefix,        ///< prefix(n, ...): k < n or k <= p: the first n keys are seen by all, the rest causally; one n a sequence
  chunks,        ///< chunks(c): p and k in the same block of c positions
  global,        ///< global(i, ...): k is one of these positions, or p is
  dilated,       ///< dilated(w, s): k = p, p - s, ..., p - (w - 1) s
  rows,          ///< rows(1000, 1100, ...): the cells themselves, a word of 0 and 1 a query; ';' between sequences, '/' between heads
  both,          ///< AND of two or more expressions
  either,        ///< OR of two or more
  inverse,       ///< NOT of one
  too_large,     ///< what would be nested deeper than 200 or have more than 10000 parts: nothing of it is kept, and it cannot be bound
};

/// One term or composition. Immutable and shared: copying an expression copies a pointer.
struct MaskNode;

/// However it is composed, its parts (terms and compositions, one that is shared counted wherever it stands) are at most 10000 and nested at most 200
/// deep, so that whoever walks over it comes to an end. A composition beyond is of kind too_large, and so is what is made of it; it equals none but
/// its own copies. Moving copies: what was moved from is still whole.
class MaskExpr {
 public:
  MaskExpr(const MaskExpr&) = default;
  MaskExpr& operator=(const MaskExpr&) = default;
  ~MaskExpr() = default;

  /// Keys that pass every operand, or any; nested ANDs (ORs) are kept as given. One operand alone is itself; the AND of none is
  /// `all`, the OR of none `none`.
  [[nodiscard]] static MaskExpr both(std::vector<MaskExpr> operands);
  [[nodiscard]] static MaskExpr either(std::vector<MaskExpr> operands);
  [[nodiscard]] static MaskExpr inverse(const MaskExpr& operand);

  [[nodiscard]] static MaskExpr all();
  [[nodiscard]] static MaskExpr none();
  [[nodiscard]] static MaskExpr causal(Alignment alignment = Alignment::top_left);
  /// A term with arguments as in the text form: rows of numbers, ';' between rows. For `rows` use `cells`.
  /// Errors: out_of_range, wrong_shape (how many arguments or rows the kind takes); `param` is "mask".
  [[nodiscard]] static Result<MaskExpr> term(MaskKind kind, std::vector<std::vector<double>> arguments,
                                             Alignment alignment = Alignment::top_left);
  [[nodiscard]] static Result<MaskExpr> window(double width, Alignment alignment = Alignment::top_left);
  [[nodiscard]] static MaskExpr padding(const ValidLens& valid_lens);
  /// Explicit cells; axes of size 1 broadcast. Error: wrong_shape (an axis of size 0).
  [[nodiscard]] static Result<MaskExpr> cells(Mask4 cells);
  [[nodiscard]] static Result<MaskExpr> cells(const Mask& cells);

  [[nodiscard]] const MaskNode& node() const noexcept { return *node_; }

  friend MaskExpr operator&(const MaskExpr& a, const MaskExpr& b) { return both({a, b}); }
  friend MaskExpr operator|(const MaskExpr& a, const MaskExpr& b) { return either({a, b}); }
  friend MaskExpr operator~(const MaskExpr& a) { return inverse(a); }
  /// The same terms in the same places.
  friend bool operator==(const MaskExpr& a, const MaskExpr& b);

 private:
  explicit MaskExpr(std::shared_ptr<const MaskNode> node) : node_(std::move(node)) {}
  std::shared_ptr<const MaskNode> node_;
};

struct MaskNode {
  MaskKind kind = MaskKind::all;
  Alignment alignment = Alignment::top_left;
  std::vector<std::vector<std::uint32_t>> arguments;  ///< a row a sequence where the kind has one, else one row
  bool per_query = false;                             ///< padding: a row holds one length a query, not the term one a sequence
  std::optional<Mask4> cells;                         ///< of kind rows
  std::vector<MaskExpr> operands;                     ///< of both, either, inverse
  std::size_t depth = 1;                              ///< of nesting
  std::size_t parts = 1;                              ///< terms and compositions, from 10001 on not counted further
};

/// The sizes that an expression itself asks for: 1 where it would fit any number.
/// Errors: wrong_shape (two terms that do not broadcast, with both and the axis), too_large (kind too_large).
[[nodiscard]] Result<MaskSizes> own_sizes(const MaskExpr& expr);

/// Keys [begin, end) of one row. Rows are lists of intervals, ascending, disjoint and not touching.
using Interval = KeySpan;
using Intervals = std::vector<Interval>;

/// Memory that rows lend to each other.
struct RowScratch {
  std::vector<Intervals> lists;
  std::size_t used = 0;
};

void intersect(std::span<const Interval> a, std::span<const Interval> b, Intervals& out);
void unite(std::span<const Interval> a, std::span<const Interval> b, Intervals& out);
void complement(std::span<const Interval> a, std::uint32_t keys, Intervals& out);
[[nodiscard]] std::size_t count(std::span<const Interval> row) noexcept;

/// An expression on sizes that it fits. It holds the terms' arguments and nothing of size queries x keys. Copies share them, and moving copies.
class BoundMask {
 public:
  BoundMask(const BoundMask&) = default;
  BoundMask& operator=(const BoundMask&) = default;
  ~BoundMask() = default;

  /// Errors, all on `param` "mask" and naming the term: wrong_shape (batch, heads, queries or keys that do not broadcast, with
  /// both shapes and the axis; ids of another number than keys; documents that do not sum to the keys), out_of_range (a length
  /// beyond the keys), too_large (a size beyond 2^31 - 1, more than 2^53 cells, an expression
  /// of kind too_large).
  static Result<BoundMask> make(MaskExpr expr, MaskSizes sizes);

  [[nodiscard]] const MaskExpr& expr() const noexcept { return expr_; }
  [[nodiscard]] const MaskSizes& sizes() const noexcept { return sizes_; }
  /// (batch, heads, queries, keys) with 1 on the batch and heads axes the expression does not depend on.
  [[nodiscard]] const MaskSizes& own() const noexcept { return own_; }

  /// The predicate: may this query attend to this key?
  [[nodiscard]] bool allows(std::size_t batch, std::size_t head, std::size_t query, std::size_t key) const;
  /// The row form: the keys of one query, into `out`. The scratch saves allocations when many rows are read.
  void row(std::size_t batch, std::size_t head, std::size_t query, Intervals& out, RowScratch& scratch) const;
  void row(std::size_t batch, std::size_t head, std::size_t query, Intervals& out) const;
  /// The operands of a top-level AND, or the expression itself: the sheets that are laid on each other. Each bound to the same sizes.
  [[nodiscard]] std::vector<BoundMask> sheets() const;

 private:
  BoundMask(MaskExpr expr, MaskSizes sizes, MaskSizes own) : expr_(std::move(expr)), sizes_(sizes), own_(own) {}
  MaskExpr expr_;
  MaskSizes sizes_;
  MaskSizes own_;
  /// Starts of documents and positions of each id, made once: 8 bytes a key at most.
  std::shared_ptr<const struct MaskTables> tables_;
};

/// The cells of a bound mask, (own batch, own heads, queries, keys). Error: too_large.
[[nodiscard]] Result<Mask4> cells_of(const BoundMask& mask);

// ---- text ---------------------------------------------------------------------------------------------------------------
// or := and {"|" and}; and := not {"&" not}; not := "~" not | "(" or ")" | term; term := name ["(" arguments ")"].
// Arguments are whole numbers separated by ',', rows of them by ';'; the last of a term that has an alignment may be
// bottom_right (top_left is the default). Blanks are free. A number may be spelled as parse_number of text.hpp reads it, with a sign, a point or an
// exponent, as long as it is whole: +3, 3.0 and 0.3e1 are 3.

/// Reads an expression. Errors, each with the character (counted from 1, in code points; `at` of the Error counts from 0): syntax, with what was
/// expected there; out_of_range, not_an_integer and wrong_shape of the term at fault; too_large where more than 100 '~' and '(' stand in each other, or
/// where the expression is of kind too_large.
[[nodiscard]] Result<MaskExpr> parse_mask(std::string_view text, std::string_view param = "mask");

/// The canonical text. parse_mask gives back an equal expression where no more than 100 '~' and '(' stand in each other; for one of kind too_large it is
/// "too_large", which is no term.
[[nodiscard]] std::string mask_text(const MaskExpr& expr);

}  // namespace attn

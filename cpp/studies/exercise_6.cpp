// Exercise 6, composite masks: two masks and their AND filled in, which masks keep a query's own key, and what adding biases does.
// The answers come from mask expressions and from the rows of Number formats. Source: Dive into Deep Learning, section 10.2, exercise 6.
#include <cmath>

#include "exercises_cells.hpp"
#include "precision_row.hpp"

namespace attn::studies {
namespace {

using namespace precision_row;

constexpr std::size_t side = 6;
MaskExpr both() { return term(MaskKind::window, {2}) & term(MaskKind::padding, {3}); }

constexpr Slip paddings[] = {
    {[] { return transposed(cells_answer(term(MaskKind::padding, {3}), side, side)); }, "You have closed queries. Padding closes keys: columns, the same in every row."},
    {[] { return cells_answer(MaskExpr::inverse(term(MaskKind::padding, {3})), side, side); }, "You have marked the keys that are hidden. Here 1 is a key that may be seen."},
    {[] { return cells_answer(term(MaskKind::padding, {3}) & MaskExpr::causal(), side, side); }, "That is padding and causality at once. Padding alone does not care who asks."},
};
constexpr Slip windows[] = {
    {[] { return cells_answer(term(MaskKind::window, {3}), side, side); }, "That is one key too many: a width of 2 counts the query’s own key."},
    {[] { return cells_answer(term(MaskKind::window, {1, 1}), side, side); }, "A causal window looks back only."},
    {[] { return transposed(cells_answer(term(MaskKind::window, {2}), side, side)); }, "Rows are queries here: row 2 says what query 2 sees, and that is keys 1 and 2."},
    {[] { return cells_answer(MaskExpr::causal(), side, side); }, "That is causality without a window: each query sees two keys at most."},
};

constexpr Choice queries[] = {
    {"1", "query 1", "Query 1 sees itself."},
    {"2", "query 2", "Query 2 sees keys 1 and 2."},
    {"3", "query 3", "Query 3 sees keys 2 and 3."},
    {"4", "query 4", "Query 4 looks at keys 3 and 4, and key 3 is still in the sequence."},
    {"5", "query 5", "Query 5 looks at keys 4 and 5, and both are padding."},
    {"6", "query 6", "Query 6 looks at keys 5 and 6, and both are padding."},
};

constexpr Choice masks[] = {
    {"padding", "padding", "Padding to length 3 hides key 5 from everyone, query 5 included."},
    {"causal", "causal", "A causal mask ends at the query’s own key."},
    {"window", "sliding window", "A causal window of any width from 1 on ends at the query’s own key."},
    {"packed", "packed sequences", "Every position lies in its own document."},
};
Answer keeping_self() {
  Answer answer;
  for (const MaskExpr& mask : {term(MaskKind::padding, {3}), MaskExpr::causal(), term(MaskKind::window, {2}), term(MaskKind::documents, {4, 2})}) answer.push_back(keeps_self(mask, side) ? 1 : 0);
  return answer;
}

constexpr Choice places[] = {
    {"padded", "Only queries past the end of their sequence can lose every key."},
    {"first", "Only the first queries can, whose window is cut off.", "The first query keeps its own key under every one of these masks."},
    {"any", "Any query can, once masks are combined.", "A query inside the sequence keeps its own key under each of these masks, so under all of them."},
};
/// Windows of every width on sequences of every length: where do rows run empty?
Answer emptied() {
  bool inside = false, first = false;
  for (std::size_t length = 1; length <= side; ++length) {
    for (std::size_t width = 1; width <= side; ++width) {
      const auto real = [](std::size_t value) { return static_cast<double>(value); };
      const Answer empty = empty_queries(MaskExpr::causal() & term(MaskKind::window, {real(width)}) & term(MaskKind::padding, {real(length)}), side);
      first = first || empty[0] != 0;
      for (std::size_t q = 0; q < length; ++q) inside = inside || empty[q] != 0;
    }
  }
  return {first ? 1.0 : inside ? 2.0 : 0.0};
}

double two_lowest() { return rounded(Dtype::float32, lowest(Dtype::float32) + lowest(Dtype::float32)); }
constexpr Slip sums[] = {
    {[] { return Answer{2 * lowest(Dtype::float32)}; }, "On paper, yes; but that is twice as low as single precision reaches."},
    {[] { return Answer{lowest(Dtype::float32)}; }, "Nothing stops at the lowest value: what lies beyond it becomes infinite."},
};

Trace added(const char* row) { return trace(case_named(row), fill_named("lowest"), {Dtype::float32, Dtype::float32, true, false}); }

constexpr Choice twice_fates[] = {
    {"even", "the same weight for every key", "That is what one bias gives. Two of them overflow, for every key."},
    {"zeros", "zeros", "A softmax divides by the sum of its exponentials; it never gives zeros throughout."},
    {"nan", "NaN for every key"},
};
Answer fate_twice() {
  const double weight = added("twice").weights[0];
  return {std::isnan(weight) ? 2.0 : weight == 0 ? 1.0 : 0.0};
}

constexpr Choice mixed_fates[] = {
    {"even", "the same weight for every key", "Keys that both masks exclude have minus infinity, the others the lowest finite value."},
    {"once", "an even share for the keys excluded once, zero for those excluded twice"},
    {"twice", "an even share for the keys excluded twice, zero for those excluded once", "Minus infinity lies below the lowest finite value."},
    {"nan", "NaN for every key", "The maximum is finite here, the lowest value; minus infinity minus that is minus infinity."},
};
/// Keys 3 and 4 of the row are excluded by both masks, the others by one.
Answer fate_mixed() {
  const Trace found = added("by-each");
  if (std::isnan(found.weights[0])) return {3};
  if (found.weights[0] == found.weights[2]) return {0};
  return {found.weights[0] > found.weights[2] ? 1.0 : 2.0};
}

constexpr Part parts[] = {
    mask_cells({.id = "6.1a",
                .ask = "Write the padding mask of a sequence of length 6 with valid length 3.",
                .key = [] { return cells_answer(term(MaskKind::padding, {3}), side, side); },
                .slips = paddings,
                .right = "Every query sees keys 1 to 3, so none is left without."},
               side, side),
    mask_cells({.id = "6.1b",
                .ask = "Write the causal sliding window of width 2 for a sequence of length 6.",
                .key = [] { return cells_answer(term(MaskKind::window, {2}), side, side); },
                .slips = windows,
                .right = "Every query sees its own key, and all but the first one more."},
               side, side),
    {.id = "6.1c",
     .ask = "Which queries keep no key under both masks together?",
     .kind = AnswerKind::several,
     .choices = queries,
     .key = [] { return empty_queries(both(), side); },
     .right = "The window leaves each of them its latest two keys, and the padding hides both."},
    {.id = "6.2a",
     .ask = "Which of these masks let every query attend to its own position?",
     .kind = AnswerKind::several,
     .choices = masks,
     .key = keeping_self,
     .right = "All but padding; an AND of masks that do so never has an empty row, for the own key passes them all."},
    {.id = "6.2b",
     .ask = "Padding is combined with causal masks and windows of any width. What does that say about empty rows?",
     .kind = AnswerKind::choice,
     .choices = places,
     .key = emptied,
     .right = "Inside the sequence the padding too leaves a query its own key. So the empty rows are of padding, and zeros do no harm there."},
    {.id = "6.3a",
     .ask = "Two biases of the lowest finite float32, about -3.4e38, are added in single precision. What is the sum?",
     .digits = 2,
     .key = [] { return Answer{two_lowest()}; },
     .slips = sums,
     .right = "The sum is out of range and becomes minus infinity."},
    {.id = "6.3b",
     .ask = "Both masks exclude every key of a row, and their biases are added to the scores. What does the softmax return?",
     .kind = AnswerKind::choice,
     .choices = twice_fates,
     .key = fate_twice,
     .right = "Every score is minus infinity, and so is the maximum."},
    {.id = "6.3c",
     .ask = "Every key of a row is excluded, some keys by one mask and some by both. What does the softmax return?",
     .kind = AnswerKind::choice,
     .choices = mixed_fates,
     .key = fate_mixed,
     .right = "The lowest finite value is the maximum; what lies at minus infinity vanishes beside it. Combine masks before you make numbers of them."},
};

constexpr Exercise exercise{"6", "Masks on masks", "masks", parts};

}  // namespace

const Exercise& exercise_6() { return exercise; }

}  // namespace attn::studies

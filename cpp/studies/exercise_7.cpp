// Exercise 7, two conventions: lengths turned into cells and back, packed documents, which masks a length a query can express, and
// what the two cost. Answers come from mask expressions and the masked softmax. Source: Dive into Deep Learning,
// section 10.2, exercise 7 (adapted there from Stanford CS336, assignment 1).
#include <cmath>

#include "attn/random/jax.hpp"
#include "attn/softmax.hpp"
#include "exercises_cells.hpp"

namespace attn::studies {
namespace {

constexpr std::size_t queries = 4, keys = 5;
MaskExpr lens() { return query_padding({1, 3, 0, 5}); }
MaskExpr packed() { return MaskExpr::causal() & term(MaskKind::documents, {4, 2}); }
constexpr std::size_t side = 6;
constexpr std::size_t length = 1024;

constexpr Slip lengths[] = {
    {[] { return cells_answer(query_padding({2, 4, 1, 5}), queries, keys); }, "One key too many: a length of 3 leaves keys 1 to 3."},
    {[] { return cells_answer(MaskExpr::inverse(lens()), queries, keys); }, "You have marked the keys that are hidden. Here 1 is a key that may be seen."},
};

/// The sum of a row that keeps `kept` of five keys, under equal scores.
double row_sum(std::size_t kept) {
  const Tensor<double, 3> scores = xt::zeros<double>({std::size_t{1}, std::size_t{1}, keys});
  const auto weights = masked_softmax(scores, ValidLens::per_sequence({static_cast<double>(kept)}).value()).value();
  double sum = 0;
  for (std::size_t k = 0; k < keys; ++k) sum += weights(0, 0, k);
  return sum;
}
constexpr Slip sums[] = {
    {[] { return Answer{row_sum(3)}; }, "Every other row sums to 1. This one has seen nothing, and the last step makes it say so."},
};

constexpr Slip packings[] = {
    {[] { return cells_answer(MaskExpr::causal(), side, side); }, "The second document still sees the first: queries 5 and 6 may see keys 5 and 6 alone."},
    {[] { return cells_answer(term(MaskKind::documents, {4, 2}), side, side); }, "The documents are apart, but queries see the keys after them too."},
    {[] { return cells_answer(MaskExpr::causal() & term(MaskKind::documents, {2, 4}), side, side); }, "The document of length 4 comes first."},
};

constexpr Choice masks[] = {
    {"padding", "padding", "Padding shows each query the first keys: its length says it all."},
    {"causal", "causal", "Query 3 sees keys 1 to 3: its length is 3."},
    {"both", "padding combined with causal", "The shorter of two prefixes is a prefix."},
    {"packed", "the packed mask", "Query 5 starts at key 5; a length always starts at key 1."},
    {"window", "a causal sliding window", "Query 3 of a window of 2 does not see key 1; a length always starts there."},
};
Answer prefixes() {
  Answer answer;
  const MaskExpr padding = term(MaskKind::padding, {3});
  for (const MaskExpr& mask : {padding, MaskExpr::causal(), MaskExpr::causal() & padding, packed(), term(MaskKind::window, {2})}) answer.push_back(lengths_needed(mask, side) > 0 ? 1 : 0);
  return answer;
}

/// Bytes of a boolean a pair over bytes of a 32-bit length, one a query or one a sequence, for two padded sequences.
double ratio(MaskExpr mask) { return 2.0 * length * length / (4.0 * static_cast<double>(lengths_needed(std::move(mask), length, 2))); }
MaskExpr a_sequence() { return term(MaskKind::padding, {1000, 700}); }
MaskExpr a_query() { return MaskExpr::causal() & a_sequence(); }
constexpr Slip ratios[] = {
    {[] { return Answer{static_cast<double>(length)}; }, "So many more entries; but a length takes four bytes and a truth value one."},
    {[] { return Answer{ratio(a_sequence())}; }, "That is with one length a sequence."},
};
constexpr Slip padding_ratios[] = {
    {[] { return Answer{ratio(a_query())}; }, "That is with one length a query; padding needs one a sequence."},
    {[] { return Answer{static_cast<double>(length * length)}; }, "So many more entries; but a length takes four bytes and a truth value one."},
};

/// The greatest difference between the weights of packed documents and those that each gets alone, on one draw of scores.
double packed_difference() {
  Tensor<double, 3> scores = Tensor<double, 3>::from_shape({1, side, side});
  std::vector<float> draws(side * side);
  random::jax::normal(random::jax::key(0), 0, draws);
  for (std::size_t i = 0; i < draws.size(); ++i) scores(0, i / side, i % side) = static_cast<double>(draws[i]);
  const auto together = masked_softmax(scores, bound(packed(), side, side)).value();
  double most = 0;
  for (const auto& [first, size] : {std::pair<std::size_t, std::size_t>{0, 4}, {4, 2}}) {
    Tensor<double, 3> own = Tensor<double, 3>::from_shape({1, size, size});
    for (std::size_t q = 0; q < size; ++q) {
      for (std::size_t k = 0; k < size; ++k) own(0, q, k) = scores(0, first + q, first + k);
    }
    const auto alone = masked_softmax(own, bound(MaskExpr::causal(), size, size)).value();
    for (std::size_t q = 0; q < size; ++q) {
      for (std::size_t k = 0; k < size; ++k) most = std::fmax(most, std::fabs(alone(0, q, k) - together(0, first + q, first + k)));
    }
  }
  return most;
}

constexpr Part parts[] = {
    mask_cells({.id = "7.1",
                .ask = "Four queries have the valid lengths 1, 3, 0 and 5 over five keys. Write the mask.",
                .key = [] { return cells_answer(lens(), queries, keys); },
                .slips = lengths,
                .right = "Key k is seen where it is at most the length: one comparison, broadcast over queries and keys."},
               queries, keys),
    {.id = "7.2",
     .ask = "What do the weights of a query with valid length 0 sum to, by either route?",
     .key = [] { return Answer{row_sum(0)}; },
     .slips = sums,
     .right = "A row without a key is all zeros, whichever way the mask was written."},
    mask_cells({.id = "7.3a",
                .ask = "Two documents of lengths 4 and 2 are packed into one row. Write the causal mask that keeps them apart.",
                .key = [] { return cells_answer(packed(), side, side); },
                .slips = packings,
                .right = "Two triangles along the diagonal, one a document."},
               side, side),
    {.id = "7.3b",
     .ask = "By how much do the weights of the packed documents differ at most from those that each gets alone?",
     .key = [] { return Answer{packed_difference()}; },
     .right = "Not at all: hidden keys weigh exactly zero, and the rest is the same softmax."},
    {.id = "7.4a",
     .ask = "Which of these masks can be expressed by one prefix length a query?",
     .kind = AnswerKind::several,
     .choices = masks,
     .key = prefixes,
     .right = "A length can say where the keys end, never where they begin."},
    {.id = "7.4b",
     .ask = "Sequences have 1,024 queries and keys. How many times the memory of 32-bit lengths, one a query, do booleans of one byte a pair take?",
     .unit = "times",
     .key = [] { return Answer{ratio(a_query())}; },
     .slips = ratios,
     .right = "A quarter of the length; it grows with the length, and the number of sequences cancels."},
    {.id = "7.4c",
     .ask = "And how many times the memory of one 32-bit length a sequence, where padding is all there is?",
     .unit = "times",
     .key = [] { return Answer{ratio(a_sequence())}; },
     .slips = padding_ratios,
     .right = "A quarter of the square of the length."},
};

constexpr Exercise exercise{"7", "Lengths or booleans", "masks", parts};

}  // namespace

const Exercise& exercise_7() { return exercise; }

}  // namespace attn::studies

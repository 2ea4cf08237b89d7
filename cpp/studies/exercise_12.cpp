// Exercise 12, additive against dot-product cost: parameters, operations and intermediates at given sizes, and whether a batch
// changes anything. Counts come from additive_counts.hpp. Source: Dive into Deep Learning, section 10.2, exercise 12.
#include <algorithm>
#include <array>
#include <cmath>

#include "additive_counts.hpp"
#include "additive_model.hpp"
#include "attn/softmax.hpp"
#include "exercises.hpp"

namespace attn::studies {
namespace {

using namespace additive_counts;

/// 512 queries and keys, every width 64.
constexpr Widths wide{512, 512, 64, 64, 64, 64, 1};

Cost of_additive() { return costs(wide)[0]; }
Cost of_dot() { return costs(wide)[1]; }

constexpr double pairs = 512.0 * 512.0;
/// Each hidden unit of each pair: its sum and its tanh.
constexpr double bends = 2 * pairs * 64;

constexpr Slip parameter_slips[] = {
    {[] { return Answer{costs({})[0].parameters - 8}; }, "The vector w_v is learned as well."},
    {[] { return Answer{costs({})[2].parameters}; }, "That is the bilinear matrix."},
};
constexpr Slip operation_slips[] = {
    {[] { return Answer{4 * pairs * 64}; }, "The two projections are missing."},
    {[] { return Answer{of_additive().operations - bends}; }, "Each hidden unit of each pair also takes a sum and a tanh."},
    {[] { return Answer{2.0 * 64 * (64 + 64) * pairs + 4 * pairs * 64}; }, "You project every query again for every key. Once is enough."},
    {[] { return Answer{of_dot().operations}; }, "That is the dot product."},
};
constexpr Slip dot_slips[] = {
    {[] { return Answer{of_dot().operations / 2}; }, "Those are the multiplications. Every product is also added."},
    {[] { return Answer{of_additive().operations}; }, "That is the additive rule."},
};
constexpr Slip largest_slips[] = {
    {[] { return Answer{pairs}; }, "Those are the scores. Before them each pair has its hidden units."},
    {[] { return Answer{4 * of_additive().largest}; }, "Those are bytes in single precision. Count entries."},
    {[] { return Answer{512.0 * 64}; }, "That is one projection. The sum of two projections has an entry for every pair and unit."},
};
constexpr Slip dot_largest_slips[] = {
    {[] { return Answer{of_additive().largest}; }, "The dot product sums over its width within the matrix product; nothing of width d is kept for each pair."},
    {[] { return Answer{512.0 * 64}; }, "That is the size of the queries. The scores are more."},
};

constexpr Choice differences[] = {
    {"rounding", "none, or a few units in the last digit"},
    {"seen", "a few units in the fourth decimal", "That is a thousand times what rounding explains: look for a batch axis on the wrong side."},
    {"batch", "as much as the other examples of the batch weigh", "Examples do not see one another: the softmax runs over the keys of one example."},
};

/// Two examples in a batch against the same two alone.
Answer difference() {
  const auto first = additive_model::draw({}, false, 0), second = additive_model::draw({}, false, 1);
  Tensor<double, 3> queries = Tensor<double, 3>::from_shape({2, 3, 20}), keys = Tensor<double, 3>::from_shape({2, 6, 2});
  double* q = std::copy(first.queries.begin(), first.queries.end(), queries.data());
  double* k = std::copy(first.keys.begin(), first.keys.end(), keys.data());
  std::copy(second.queries.begin(), second.queries.end(), q);
  std::copy(second.keys.begin(), second.keys.end(), k);
  const ScoreRule rule{first.rule};
  const auto weigh = [&](const Tensor<double, 3>& of_queries, const Tensor<double, 3>& of_keys) { return attn::masked_softmax(scores(rule, of_queries, of_keys).value()).value(); };
  const auto together = weigh(queries, keys);
  double most = 0;
  std::size_t at = 0;
  for (const auto* example : {&first, &second}) {
    for (const double alone : weigh(example->queries, example->keys)) most = std::fmax(most, std::fabs(together.data()[at++] - alone));
  }
  return {most < 1e-6 ? 0.0 : most < 1e-2 ? 1.0 : 2.0};
}

/// Megabytes, 10^6 bytes, of a hidden layer in single precision for four examples.
double megabytes() { return 4 * of_additive().largest * 4 / 1e6; }

constexpr Slip memory_slips[] = {
    {[] { return Answer{megabytes() * 1e6 / 1024 / 1024}; }, "Those are mebibytes, of 1024 times 1024 bytes."},
    {[] { return Answer{megabytes() / 4}; }, "A factor of 4 is missing: four examples, four bytes a number."},
    {[] { return Answer{megabytes() * 2}; }, "Single precision has four bytes a number, not eight."},
};

constexpr Part parts[] = {
    {.id = "12.1a", .ask = "How many parameters has the additive rule at widths 20 and 2 with 8 hidden units?", .key = [] { return Answer{costs({})[0].parameters}; },
     .slips = parameter_slips, .right = "h(d_q + d_k + 1). The scaled dot product has none."},
    {.id = "12.1b",
     .ask = "512 queries, 512 keys, every width and h 64, a tanh counted as one: how many operations does the additive rule take?",
     .digits = 2, .key = [] { return Answer{of_additive().operations}; }, .slips = operation_slips,
     .right = "2h(n d_q + m d_k) for the projections and 4nmh for sum, tanh and w_v: the pairs are nine tenths of it."},
    {.id = "12.1c", .ask = "And the scaled dot product of the same sizes?", .digits = 2, .key = [] { return Answer{of_dot().operations}; }, .slips = dot_slips,
     .right = "2nmd and a division a score: less than half of the additive rule."},
    {.id = "12.1d", .ask = "How many entries has the largest intermediate tensor of the additive rule there?", .digits = 3, .key = [] { return Answer{of_additive().largest}; },
     .slips = largest_slips, .right = "n m h: the hidden units of every pair."},
    {.id = "12.1e", .ask = "And of the scaled dot product?", .digits = 3, .key = [] { return Answer{of_dot().largest}; }, .slips = dot_largest_slips,
     .right = "Only the scores: h times less. That is what the rule costs in memory."},
    {.id = "12.2a", .ask = "How much do the weights of a batched version differ from those of its examples one by one?", .kind = AnswerKind::choice, .choices = differences,
     .key = difference, .right = "The core’s are equal bit for bit; a framework may sum in another order for another shape."},
    {.id = "12.2b", .ask = "How many megabytes (10⁶ bytes) is the hidden layer of 4 such sequences in single precision?", .unit = "MB", .decimals = 0,
     .key = [] { return Answer{megabytes()}; }, .slips = memory_slips, .right = "Four sequences of n m h numbers of four bytes, where the scores take 4 MB."},
};

constexpr Exercise exercise{"12", "What each rule costs", "additive", parts};

}  // namespace

const Exercise& exercise_12() { return exercise; }

}  // namespace attn::studies

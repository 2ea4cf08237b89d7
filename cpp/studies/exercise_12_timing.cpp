// Exercise 12.3, additive against dot-product scoring in time: the ratios that a measurement is held against, and what the
// roofline names as the limit of each rule. The measurement itself is the reader's. Counts come from cost_jobs.hpp. Source: Dive into Deep Learning, section 10.2, exercise 12.
#include "cost_counts.hpp"
#include "cost_jobs.hpp"
#include "exercises.hpp"

namespace attn::studies {
namespace {

using namespace cost_counts;

Sizes of_width(std::size_t width) { return {cost_jobs::race_length, cost_jobs::race_length, width, width, width}; }

double operations(std::size_t width) {
  const auto race = cost_jobs::jobs(of_width(width), 1).race[width == cost_jobs::race_widths[0] ? 0 : 1];
  return race[cost_jobs::factored].workload() / race[cost_jobs::dot].workload();
}
/// Without the projections: 4nmh over 2nmd + nm.
double of_pairs(std::size_t width) { return 4.0 * static_cast<double>(width) / (2.0 * static_cast<double>(width) + 1); }

/// Without the division of each score by the root of the width: 2nmd alone below.
double unscaled(std::size_t width) { return 2 * static_cast<double>(width) / static_cast<double>(cost_jobs::race_length) + 2; }

constexpr Slip narrow_slips[] = {
    {[] { return Answer{unscaled(64)}; }, "The scores are scaled: one operation more for every pair of the dot product."},
    {[] { return Answer{of_pairs(64)}; }, "The projections of queries and keys are missing."},
    {[] { return Answer{1 / operations(64)}; }, "That is the dot product over the additive rule."},
};
constexpr Slip wide_slips[] = {
    // no slip for unscaled scores, 3: so reads the answer to two digits
    {[] { return Answer{operations(64)}; }, "That is at width 64. The projections grow with the square of the width."},
    {[] { return Answer{of_pairs(256)}; }, "The projections of queries and keys are missing: by now they are a third of the work."},
};

double largest(std::size_t width) { return work(of_width(width))[additive_direct].largest / static_cast<double>(cost_jobs::race_length * cost_jobs::race_length); }
constexpr Slip largest_slips[] = {
    {[] { return Answer{largest(64)}; }, "That is at width 64."},
    {[] { return Answer{4 * largest(256)}; }, "Both rules have four sequences; the ratio does not."},
    {[] { return Answer{largest(256) / 2}; }, "The scores of the dot product have nm entries, the hidden layer nmh."},
};

/// Operations a byte; one thread of a processor asks for a few, and the answers are the same from 1 to 30.
constexpr double ridge = 5;
Answer limited(Algorithm algorithm) { return {work(of_width(64))[algorithm].intensity() < ridge ? 1.0 : 0.0}; }
constexpr Choice of_kept[] = {
    {"arithmetic", "arithmetic", "Every hidden number is written and read, eight bytes, for four operations."},
    {"memory", "memory traffic"},
};
constexpr Choice of_factored[] = {
    {"arithmetic", "arithmetic"},
    {"memory", "memory traffic", "Without the hidden layer only inputs, projections and scores move."},
};

constexpr Part parts[] = {
    {.id = "12.3a", .ask = "512 queries and keys, all widths 64: how many times the operations of the dot product does the additive rule take?", .decimals = 2,
     .key = [] { return Answer{operations(64)}; }, .slips = narrow_slips, .right = "About twice for the pairs, and a little more for the projections. A batch changes nothing about it."},
    {.id = "12.3b", .ask = "And with all widths 256?", .decimals = 2, .key = [] { return Answer{operations(256)}; }, .slips = wide_slips,
     .right = "Three times: now the projections count. If operations were all, your two times would stand in this ratio."},
    {.id = "12.3c", .ask = "How many times as large as the dot product’s is the additive rule’s largest intermediate there, its hidden units kept?", .key = [] { return Answer{largest(256)}; },
     .slips = largest_slips, .right = "As many times as there are hidden units. Hold your measured ratio against this one and against the one of operations."},
    {.id = "12.3d", .ask = "A thread of a processor asks for a few operations a byte. What does its roofline name as the limit of additive scoring at width 64 that keeps its hidden units?", .kind = AnswerKind::choice,
     .choices = of_kept, .key = [] { return limited(additive_direct); }, .right = "As the pairs grow many it tends to less than half an operation a byte, whatever the width. How long each operation takes the roofline does not ask: a tanh is one of them."},
    {.id = "12.3e", .ask = "And for additive scoring that keeps none?", .kind = AnswerKind::choice, .choices = of_factored, .key = [] { return limited(additive_factored); },
     .right = "What remains of its disadvantage is arithmetic: a division for every unit of every pair."},
};

constexpr Exercise exercise{"12", "What each rule costs, in time", "cost", parts};

}  // namespace

const Exercise& exercise_12_timing() { return exercise; }

}  // namespace attn::studies

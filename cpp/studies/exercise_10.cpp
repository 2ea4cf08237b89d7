// Exercise 10, arithmetic intensity: bytes of the passes, the limit of operations over bytes and what the softmax does to it, and what
// limits attention on two accelerators. Counts come from cost_counts.hpp. Source: Dive into Deep Learning, section 10.2, exercise 10.
#include <numeric>

#include "cost_counts.hpp"
#include "exercises.hpp"

namespace attn::studies {
namespace {

using namespace cost_counts;

constexpr Sizes asked{1024, 512, 64, 128, 1};

double of_scores() {
  const auto all = passes(asked);
  return std::accumulate(all.begin(), all.begin() + 4, 0.0);
}
double of_ends() {
  const auto all = passes(asked);
  return std::accumulate(all.begin() + 4, all.end(), 0.0);
}

constexpr Slip score_slips[] = {
    {[] { return Answer{of_scores() / 2}; }, "That is two passes. Scores are written and read, and so are the weights."},
    {[] { return Answer{of_scores() / 4}; }, "That is one pass, or four passes counted in numbers. There are four passes, and four bytes a number."},
    {[] { return Answer{2 * of_scores()}; }, "Single precision takes four bytes a number, not eight."},
};
constexpr Slip end_slips[] = {
    {[] { return Answer{of_ends() - passes(asked)[7]}; }, "The output is written as well."},
    {[] { return Answer{of_ends() - passes(asked)[6]}; }, "The values are read as well."},
    {[] { return Answer{of_ends() - passes(asked)[5] - passes(asked)[6]}; }, "Keys and values are read as well."},
    {[] { return Answer{of_ends() / 4}; }, "Those are numbers; each takes four bytes."},
    {[] { return Answer{of_ends() + of_scores()}; }, "That is all there is to move, scores and weights included."},
};

double limit() { return materialised_limit(asked.d, asked.v); }
constexpr Slip limit_slips[] = {
    {[] { return Answer{2 * limit()}; }, "Sixteen bytes a score: scores and weights are each written and each read."},
    {[] { return Answer{limit() / 2}; }, "Each product is a multiplication and an addition, two operations."},
    {[] { return Answer{4 * limit()}; }, "Those are operations a number. Four bytes make one."},
};

constexpr Choice changes[] = {
    {"unchanged", "not at all", "Its operations grow with nm, as do those of the products; they stay in the limit."},
    {"constant", "it rises by the same amount at every width"},
    {"widths", "it rises, the more the wider queries and values are", "The softmax sees one number a pair, whatever the widths."},
    {"lower", "it falls, because the softmax reads and writes", "Its reading and writing has been counted already. What is new is arithmetic."},
};
Answer change() {
  const double narrow = materialised_limit(8, 8, softmax_operations) - materialised_limit(8, 8);
  const double wide = materialised_limit(256, 64, softmax_operations) - materialised_limit(256, 64);
  return {narrow == 0 && wide == 0 ? 0.0 : narrow < 0 || wide < 0 ? 3.0 : narrow == wide ? 1.0 : 2.0};
}

double with_softmax() { return materialised_limit(64, 64, softmax_operations); }
constexpr Slip softmax_slips[] = {
    {[] { return Answer{materialised_limit(64, 64)}; }, "That is the limit without the softmax."},
    {[] { return Answer{materialised_limit(64, 64) + softmax_operations}; }, "Divide the six by the bytes of a score, too."},
    {[] { return Answer{materialised_limit(64, 64) + softmax_operations / 8}; }, "Sixteen bytes move for every score: divide the six by 16."},
};

double ridge(std::size_t accelerator) { return accelerators[accelerator].gflops / accelerators[accelerator].gbs; }
constexpr Slip ridge_slips[] = {
    {[] { return Answer{1 / ridge(0)}; }, "That is bytes an operation."},
    {[] { return Answer{ridge(0) / 1000}; }, "A teraflop is a thousand gigaflops."},
    {[] { return Answer{4 * ridge(0)}; }, "Those are operations a number of four bytes."},
    {[] { return Answer{ridge(1)}; }, "That is with its tensor cores. The question gives the plain peak in single precision."},
};

constexpr Choice on_a100[] = {
    {"arithmetic", "arithmetic"},
    {"memory", "memory traffic", "Compare the ratio of attention, 16 at this width, with what the machine asks for."},
};
constexpr Choice on_h100[] = {
    {"arithmetic", "arithmetic", "It asks for 20 operations a byte; attention with kept scores offers 16 at most."},
    {"memory", "memory traffic"},
};
/// 1 where the limit of attention at d = v = 64 stays on the slope of the roof.
Answer limited(std::size_t accelerator) {
  const Accelerator& machine = accelerators[accelerator];
  return {attainable(machine.gflops, machine.gbs, materialised_limit(64, 64)) < machine.gflops ? 1.0 : 0.0};
}

constexpr Part parts[] = {
    {.id = "10.1a", .ask = "1024 queries, 512 keys, single precision: scores and weights are each written once and read once. How many bytes move?", .unit = "bytes",
     .key = [] { return Answer{of_scores()}; }, .slips = score_slips, .right = "16nm: four passes of four bytes a pair."},
    {.id = "10.1b", .ask = "And for reading queries and keys of width 64 and values of width 128, and writing the output?", .unit = "bytes",
     .key = [] { return Answer{of_ends()}; }, .slips = end_slips, .right = "4(nd + md + mv + nv): a seventh of what the scores and weights move."},
    {.id = "10.2a", .ask = "To what does the ratio of operations to bytes tend at d = 64 and v = 128, without the softmax’s arithmetic?", .unit = "operations a byte",
     .key = [] { return Answer{limit()}; }, .slips = limit_slips, .right = "2nm(d + v) over 16nm is (d + v)/8; the rest of the bytes grows more slowly."},
    {.id = "10.2b", .ask = "What does the arithmetic of the softmax do to that limit?", .kind = AnswerKind::choice, .choices = changes, .key = change,
     .right = "c operations a score over 16 bytes a score: c/16 is added at every width."},
    {.id = "10.2c", .ask = "With six operations a score, what is the limit at d = v = 64?", .unit = "operations a byte", .decimals = 3,
     .key = [] { return Answer{with_softmax()}; }, .slips = softmax_slips, .right = "16 and 6/16."},
    {.id = "10.3a", .ask = "An A100 computes 19.5 TFLOP/s in single precision and moves 1555 GB/s. How many operations a byte is that?", .unit = "operations a byte", .decimals = 1,
     .key = [] { return Answer{ridge(0)}; }, .slips = ridge_slips, .right = "Below this ratio memory is the limit, above it arithmetic."},
    {.id = "10.3b", .ask = "What limits attention with kept scores and d = v = 64 on it, when queries and keys are many?", .kind = AnswerKind::choice, .choices = on_a100,
     .key = [] { return limited(0); }, .right = "16 is past the corner of its roof. With its tensor cores, which ask for 100, it would be memory."},
    {.id = "10.3c", .ask = "And on an H100, with 67 TFLOP/s and 3350 GB/s?", .kind = AnswerKind::choice, .choices = on_h100,
     .key = [] { return limited(2); }, .right = "20 operations a byte: arithmetic has grown faster than bandwidth. This is what tiles are for."},
};

constexpr Exercise exercise{"10", "Arithmetic intensity", "cost", parts};

}  // namespace

const Exercise& exercise_10() { return exercise; }

}  // namespace attn::studies

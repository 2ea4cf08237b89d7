// Exercise 5, fully masked rows: what the fill becomes, what the softmax makes of a row without a key, and where a NaN goes. The
// answers come from the rows and layers of the plate Number formats. Source: Dive into Deep Learning, section 10.2, exercise 5.
#include <cmath>

#include "exercises.hpp"
#include "precision_layers.hpp"
#include "precision_row.hpp"

namespace attn::studies {
namespace {

using namespace precision_row;

/// What a row comes to when excluded scores are overwritten and nothing is zeroed at the end.
Trace overwritten(const char* row, const char* fill, Dtype dtype) { return trace(case_named(row), fill_named(fill), {dtype, dtype, false, false}); }

/// The index of a fate below.
Answer fate(const Trace& found) {
  if (std::isnan(found.weights[0])) return {3};
  for (const double weight : found.weights) {
    if (weight != found.weights[0]) return {2};
  }
  return {found.weights[0] == 0 ? 0.0 : 1.0};
}

constexpr std::string_view no_zeros = "Zeros come only from the final zeroing, which is left out here: a softmax divides by the sum of its exponentials.";
constexpr std::string_view no_scores = "The scores are gone: every one of them was overwritten.";

constexpr Choice finite_fates[] = {
    {"zeros", "zeros", no_zeros},
    {"even", "the same weight for every key"},
    {"scores", "the weights it would have without a mask", no_scores},
    {"nan", "NaN for every key", "That takes an infinity: a finite number minus itself is zero."},
};
constexpr Choice infinite_fates[] = {
    {"zeros", "zeros", no_zeros},
    {"even", "the same weight for every key", "That would follow from differences of zero. What is left of −∞ once −∞ is subtracted?"},
    {"scores", "the weights it would have without a mask", no_scores},
    {"nan", "NaN for every key"},
};

constexpr Slip sixths[] = {
    {[] { return Answer{overwritten("masked", "lowest", Dtype::float64).exponential[0]}; }, "That is each exponential. The softmax divides it by the sum of all six."},
};
constexpr Slip millions[] = {
    {[] { return Answer{lowest(Dtype::float16)}; }, "float16 does not stop at its lowest value: whatever rounds beyond it becomes infinite."},
    {[] { return Answer{-1e6}; }, "float16 has no such number: its range ends near 65,504."},
};

constexpr Choice with_a_key[] = {
    {"exact", "exact zeros on excluded keys, the rest as if they were alone"},
    {"leak", "a little weight on excluded keys", "For a leak the exponential of the fill would have to be more than zero."},
    {"nan", "NaN for every key", "The maximum is now an ordinary score, and −∞ minus an ordinary score is −∞."},
};
Answer fate_with_a_key() {
  const double leak = overwritten("ordinary", "-1e6", Dtype::float16).leak;
  return {std::isnan(leak) ? 2.0 : leak > 0 ? 1.0 : 0.0};
}

constexpr Choice ways[] = {
    {"mask", "The next mask lets valid queries see the padding.", "It does not: their weights on the padding are exactly zero."},
    {"product", "The output adds weight times value over all keys, and zero times NaN is NaN."},
    {"maximum", "The padding’s score is NaN, and so is the maximum of every row.", "The score is NaN, but it is overwritten before the softmax looks for a maximum."},
    {"backward", "It comes back with the gradient.", "It is there before any gradient is asked for."},
};
/// In the second layer: zero weight on the padding, and NaN all the same.
Answer way() {
  const auto stages = precision_layers::run_layers(true);
  const double weight = stages.weights[1][0][precision_layers::positions - 1];
  if (std::isnan(weight)) return {2};
  return {weight == 0 && std::isnan(stages.values[2][0][0]) ? 1.0 : 0.0};
}

/// The first layer after which the value of this position is NaN, counted from 1.
Answer first_nan(std::size_t position) {
  const auto stages = precision_layers::run_layers(true);
  for (std::size_t layer = 1; layer <= precision_layers::layers; ++layer) {
    if (std::isnan(stages.values[layer][position][0])) return {static_cast<double>(layer)};
  }
  return {0};
}
constexpr Slip first_layers[] = {
    {[] { return first_nan(precision_layers::positions - 1); }, "In that layer only the padding’s own output is NaN."},
};

constexpr Part parts[] = {
    {.id = "5.1a",
     .ask = "All scores of a row are overwritten with the lowest finite value and nothing is zeroed at the end. What does the softmax return?",
     .kind = AnswerKind::choice,
     .choices = finite_fates,
     .key = [] { return fate(overwritten("masked", "lowest", Dtype::float32)); },
     .right = "The lowest value is the row’s maximum; every difference is 0 and every exponential 1."},
    {.id = "5.1b",
     .ask = "The row has six keys. What does each of them weigh?",
     .decimals = 3,
     .key = [] { return Answer{overwritten("masked", "lowest", Dtype::float64).weights[0]}; },
     .slips = sixths,
     .right = "One sixth, on keys that should not be seen at all."},
    {.id = "5.1c",
     .ask = "All scores of a row are overwritten with minus infinity instead. What does the softmax return?",
     .kind = AnswerKind::choice,
     .choices = infinite_fates,
     .key = [] { return fate(overwritten("masked", "-infinity", Dtype::float32)); },
     .right = "The maximum is −∞, and −∞ − (−∞) is not a number; from there it goes through exponential, sum and quotient."},
    {.id = "5.2a",
     .ask = "What does the constant -10^6 become in float16?",
     .key = [] { return Answer{rounded(Dtype::float16, -1e6)}; },
     .slips = millions,
     .right = "It lies far beyond −65,504, the lowest finite value, and rounds to minus infinity."},
    {.id = "5.2b",
     .ask = "In float16, all scores of a row are overwritten with -10^6. What does the softmax return?",
     .kind = AnswerKind::choice,
     .choices = infinite_fates,
     .key = [] { return fate(overwritten("masked", "-1e6", Dtype::float16)); },
     .right = "The constant is minus infinity there, and does what minus infinity does."},
    {.id = "5.2c",
     .ask = "In float16, one key of a row is left and the other scores are overwritten with -10^6. What does the softmax return?",
     .kind = AnswerKind::choice,
     .choices = with_a_key,
     .key = fate_with_a_key,
     .right = "The maximum is an ordinary score; the exponential of minus infinity is zero."},
    {.id = "5.3a",
     .ask = "A padding position's output is NaN; the next layer excludes it as a key. Why are the valid outputs NaN nevertheless?",
     .kind = AnswerKind::choice,
     .choices = ways,
     .key = way,
     .right = "A weight of zero hides a number. It does not hide a NaN, unless the value is not read at all."},
    {.id = "5.3b",
     .ask = "The padding is NaN after the first of three layers. After which layer is the first valid position NaN?",
     .key = [] { return first_nan(0); },
     .slips = first_layers,
     .right = "After the second, and with it every other position."},
};

constexpr Exercise exercise{"5", "Rows that keep no key", "precision", parts};

}  // namespace

const Exercise& exercise_5() { return exercise; }

}  // namespace attn::studies

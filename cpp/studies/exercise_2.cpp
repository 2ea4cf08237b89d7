// Exercise 2, attention by distance: the key-norm term kept, checked against the direct evaluation, and where the two scaled rules
// disagree on the section's two examples. Source: Dive into Deep Learning, section 10.2, exercise 2.
#include <algorithm>
#include <cmath>

#include "exercises.hpp"
#include "kernels_plane.hpp"

namespace attn::studies {
namespace {

using namespace kernels_plane;

// ---- 2.1, one score by hand ----------------------------------------------------------------------------------------------

const Points& by_hand() {
  static const Points points{{1, 0.5}, {{2, -1}}};
  return points;
}

double score_by_hand(const ScoreRule& rule) { return scores_of(rule, by_hand()).front(); }
double half_square() { return 0.5 * product(by_hand().keys[0], by_hand().keys[0]); }

constexpr Slip scores_slips[] = {
    {[] { return Answer{score_by_hand(ScaledDot{}) - half_square()}; }, "There the product is divided by √2 and the norm is not. Both terms are to be scaled."},
    {[] { return Answer{score_by_hand(Gaussian{.scaled = false, .query_norm = false})}; }, "That is the score before it is divided by √2."},
    {[] { return Answer{score_by_hand(Gaussian{.scaled = true, .query_norm = true})}; }, "There −|q|²/2 is in it too. It does no harm, but is the same for every key; leave it out."},
    {[] { return Answer{score_by_hand(ScaledDot{}) - half_square() * std::sqrt(2.0)}; }, "There the whole |k|² is taken off; it is to be half of it."},
    {[] { return Answer{score_by_hand(ScaledDot{})}; }, "That is the product alone. The key’s norm is missing."},
    {[] { return Answer{(product(by_hand().query, by_hand().keys[0]) - half_square()) / 2}; }, "That is divided by d, not by its root."},
    {[] { return Answer{-score_by_hand(Gaussian{.scaled = true, .query_norm = false})}; }, "Half the norm is more than the product: mind the sign."},
};

// ---- 2.2, the two ways ---------------------------------------------------------------------------------------------------

constexpr Choice agreements[] = {
    {"rounding", "by rounding alone"},
    {"query-norm", "by what dropping −|q|²/2 costs", "That term is the same for every key of a query. The softmax removes it."},
    {"some", "by something larger", "Expand −|q − k|²/2 once more: nothing is left out. If yours differ, see whether both terms are scaled."},
};

Answer agreement() {
  double largest = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Points points = section_points(false, seed, 1);
    largest = std::max(largest, largest_difference(direct_weights(points), weights_of(Gaussian{.scaled = true, .query_norm = false}, points)));
  }
  return {largest <= rounding ? 0.0 : 2.0};
}

// ---- 2.3, where the rules disagree ---------------------------------------------------------------------------------------

Comparison example(std::size_t sequence, bool torch = false) { return compare(section_points(torch, 0, sequence)); }

double number_of(std::size_t key) { return static_cast<double>(key + 1); }

/// The number of the key of the largest value.
template <class Value>
double where_largest(std::size_t sequence, Value value) {
  const Points points = section_points(false, 0, sequence);
  std::size_t best = 0;
  for (std::size_t j = 1; j < points.keys.size(); ++j) best = value(points, j) > value(points, best) ? j : best;
  return number_of(best);
}

constexpr Slip first_slips[] = {
    {[] { return Answer{number_of(example(0).most) - 1}; }, "Counted from 0 that is the key. Here the first is key 1."},
    {[] { return Answer{number_of(example(0, true).most)}; }, "That is the key in PyTorch’s draws; asked is JAX’s example."},
    {[] { return Answer{where_largest(0, [](const Points&, std::size_t j) { return example(0).disagreement[j]; })}; }, "That key gains most from the Gaussian. Another loses more."},
};

constexpr Slip second_slips[] = {
    {[] { return Answer{number_of(example(1).most) - 1}; }, "Counted from 0 that is the key. Here the first is key 1."},
    {[] { return Answer{where_largest(1, [](const Points& points, std::size_t j) { return norm(points.keys[j]); })}; }, "That key is the longest, but the query points away from it: under neither rule has it much weight to lose."},
    {[] { return Answer{where_largest(1, [](const Points&, std::size_t j) { return -example(1).disagreement[j]; })}; }, "That key loses most to the Gaussian. Another gains more."},
};

double size() {
  const Comparison found = example(0);
  return std::fabs(found.disagreement[found.most]);
}

constexpr Slip size_slips[] = {
    {[] { return Answer{-size()}; }, "That is the difference with its sign. Asked is its size."},
    {[] {
       const Points points = section_points(false, 0, 0);
       return Answer{largest_difference(weights_of(Gaussian{}, points), weights_of(Dot{}, points))};
     },
     "That is the difference without the division by √2. Both rules are to be scaled."},
    {[] {
       const Comparison found = example(0);
       return Answer{found.dot[found.most]};
     },
     "That is the key’s weight under the dot product, not the difference."},
};

constexpr Choice reasons[] = {
    {"norm", "they are much longer or shorter than the keys that share the weight"},
    {"query-norm", "the query is long", "−|q|²/2 is the same for every key and changes no weight."},
    {"direction", "they stand across the query", "The angle to the query counts under both rules alike, through q·k."},
    {"far", "they are the furthest from the query", "The furthest keys weigh next to nothing under the Gaussian, and mostly under the dot product, too."},
};

/// Whether the disagreement goes with the norms: none is left when they are equal.
Answer reason() {
  double left = 0;
  for (const std::size_t sequence : {0U, 1U}) {
    Points points = section_points(false, 0, sequence);
    equalise(points);
    const Comparison found = compare(points);
    left = std::max(left, std::fabs(found.disagreement[found.most]));
  }
  return {left <= rounding ? 0.0 : 2.0};
}

constexpr Part parts[] = {
    {.id = "2.1",
     .ask = "What is the Gaussian score, without the query's norm and with both terms divided by the root of d, of q = (1, 0.5) and k = (2, -1)?",
     .decimals = 3,
     .key = [] { return Answer{score_by_hand(Gaussian{.scaled = true, .query_norm = false})}; },
     .slips = scores_slips,
     .right = "A product and half a squared norm. For n queries and m keys that is one matrix product and m norms, broadcast."},
    {.id = "2.2",
     .ask = "By what do the weights from one product and a broadcast differ from those of the direct evaluation, in double?",
     .kind = AnswerKind::choice,
     .choices = agreements,
     .key = agreement,
     .right = "The same function in another order of steps: the last few bits differ, no more."},
    {.id = "2.3a",
     .ask = "With JAX's inputs, on which key of the first example do the two scaled rules disagree most?",
     .key = [] { return Answer{number_of(example(0).most)}; },
     .slips = first_slips,
     .right = "It is the longest of the ten and lies along the query: the dot product gives it most of the weight, the Gaussian less than half of that."},
    {.id = "2.3b",
     .ask = "How large is the disagreement on that key of the first example, the difference of the two weights?",
     .decimals = 2,
     .key = [] { return Answer{size()}; },
     .slips = size_slips,
     .right = "More than a third of all the weight moves away from one key."},
    {.id = "2.3c",
     .ask = "With JAX's inputs, on which key of the second example do the two scaled rules disagree most?",
     .key = [] { return Answer{number_of(example(1).most)}; },
     .slips = second_slips,
     .right = "This key is short and gains: what the long keys lose must go somewhere."},
    {.id = "2.3d",
     .ask = "Why do the two scaled rules disagree most on just these keys?",
     .kind = AnswerKind::choice,
     .choices = reasons,
     .key = reason,
     .right = "The Gaussian multiplies each weight by exp(−|k|²/(2√d)). Where a key has weight and a norm unlike the others’, that shows."},
};

constexpr Exercise exercise{"2", "Attention by distance", "kernels", parts};

}  // namespace

const Exercise& exercise_2() { return exercise; }

}  // namespace attn::studies

// Exercise 11, additive scores near zero: what a query adds without the tanh, which terms of the cube tell queries apart, and what
// is measured as the maps shrink. Answers come from additive_model.hpp. Source: Dive into Deep Learning, section 10.2, exercise 11.
#include <algorithm>
#include <array>
#include <cmath>

#include "additive_model.hpp"
#include "attn/softmax.hpp"
#include "exercises.hpp"

namespace attn::studies {
namespace {

using namespace additive_model;

constexpr std::array<double, 4> factors{1, 0.3, 0.1, 0.03};

enum Addition { same_amount, nothing, same_factor, by_key };
constexpr Choice additions[] = {
    {"amount", "the same amount to the score of every key"},
    {"nothing", "nothing to any score", "The scores do change with the query. Look at what is common to a row."},
    {"factor", "a factor that all scores of the row share", "A factor would sharpen or flatten the weights."},
    {"key", "to each score an amount that depends on the key", "Multiply out: w · (W_q q + W_k k) is a sum of two parts."},
};

/// What the scores of the section's second query have over those of its first, without the tanh.
Answer addition() {
  const Tensor<double, 3> scored = scores_of(draw({}, false, 0), 1, Activation::identity);
  std::array<double, 6> over{}, ratio{};
  for (std::size_t k = 0; k < over.size(); ++k) {
    over[k] = scored(0, 1, k) - scored(0, 0, k);
    ratio[k] = scored(0, 1, k) / scored(0, 0, k);
  }
  const auto equal = [](const std::array<double, 6>& all) { return *std::max_element(all.begin(), all.end()) - *std::min_element(all.begin(), all.end()) < 1e-12; };
  if (!equal(over)) return {static_cast<double>(equal(ratio) ? same_factor : by_key)};
  return {static_cast<double>(std::fabs(over[0]) < 1e-12 ? nothing : same_amount)};
}

constexpr Choice terms[] = {
    {"u3", "u³", "u³ is the same for every key of a row."},
    {"uut", "u² t", "u² t changes with the key, and how much depends on the query."},
    {"utt", "u t²", "u t² changes with the key, and how much depends on the query."},
    {"t3", "t³", "t³ is the same for every query."},
};

/// For each term of the cube: do softmax rows of two queries differ when the scores are that term alone?
Answer telling_terms() {
  const std::array<double, 2> u{0.7, -0.4};
  const std::array<double, 3> t{0.2, -0.9, 1.3};
  Answer answer;
  for (int power = 3; power >= 0; --power) {
    Tensor<double, 3> scored = Tensor<double, 3>::from_shape({1, 2, 3});
    for (std::size_t q = 0; q < u.size(); ++q) {
      for (std::size_t k = 0; k < t.size(); ++k) {
        double term = 1;
        for (int i = 0; i < 3; ++i) term *= i < power ? u[q] : t[k];
        scored(0, q, k) = term;
      }
    }
    answer.push_back(row_difference(attn::masked_softmax(scored).value()) > 1e-9 ? 1 : 0);
  }
  return answer;
}

/// The power of epsilon in the difference of the section's rows, between two factors so small that the next one does not show.
Answer power() {
  const Example example = draw({}, false, 0);
  const std::vector<double> tried{0.001, 0.002};
  std::vector<double> differences;
  for (const double epsilon : tried) differences.push_back(row_difference(weights_of(example, epsilon, Activation::tanh)));
  return {std::round(fitted_slope(tried, differences, 0, 1))};
}

constexpr Slip power_slips[] = {
    {[] { return Answer{1}; }, "The first order of the tanh is the identity, and that loses the query."},
    {[] { return Answer{2}; }, "The tanh is odd: its expansion has no square. Relative to the weights’ own spread, though, this is the power."},
};

/// The differences at the four factors.
Answer measured(bool torch) {
  const Example example = draw({}, torch, 0);
  Answer answer;
  for (const double epsilon : factors) answer.push_back(row_difference(weights_of(example, epsilon, Activation::tanh)));
  return answer;
}

/// The same of the scores, a mistake.
Answer of_scores(bool torch) {
  const Example example = draw({}, torch, 0);
  Answer answer;
  for (const double epsilon : factors) answer.push_back(row_difference(scores_of(example, epsilon, Activation::tanh)));
  return answer;
}

constexpr Slip jax_slips[] = {
    {[] { return of_scores(false); }, "Those are differences of scores. Take the softmax first."},
    {[] { return measured(true); }, "Those are PyTorch’s draws."},
};
constexpr Slip torch_slips[] = {
    {[] { return of_scores(true); }, "Those are differences of scores. Take the softmax first."},
    {[] { return measured(false); }, "Those are JAX’s draws."},
};

/// The power between the last two factors.
double last_power(bool torch) {
  const Answer all = measured(torch);
  return fitted_slope({factors[2], factors[3]}, {all[2], all[3]}, 0, 1);
}

/// The slope of the figure, over all its factors up to 0.1.
Answer slope_of_figure() {
  const Example example = draw({}, false, 0);
  std::vector<double> differences;
  for (const double epsilon : epsilons()) differences.push_back(row_difference(weights_of(example, epsilon, Activation::tanh)));
  return {fitted_slope(epsilons(), differences, fit_range[0], fit_range[1])};
}

constexpr Slip last_slips[] = {
    {slope_of_figure, "That is the slope in the figure, fitted over all factors from 0.001 to 0.1. Asked is the one between 0.1 and 0.03, two points of its values."},
    {[] {
       const Answer all = measured(false);
       return Answer{fitted_slope({factors[0], factors[1]}, {all[0], all[1]}, 0, 1)};
     },
     "That is the power between 1 and 0.3, where the cube is not alone."},
    {[] { return Answer{3}; }, "That is the law for ever smaller ε. Asked is what these two differences show."},
    {[] { return Answer{1 / last_power(false)}; }, "Turn the quotient over: the difference’s logarithm stands above."},
};

constexpr Choice meanings[] = {
    {"scale", "the query shows in the weights at this scale, and hardly would with much smaller maps"},
    {"blind", "the weights do not depend on the query before training", "At ε = 1 the rows differ by about 0.06: small, but not nothing."},
    {"free", "the scale of the maps does not matter before training", "Compare ε = 1 with ε = 0.1: the difference falls much faster than the maps."},
    {"cube", "the law of the cube already holds at this scale", "Compare ε = 1 with ε = 0.3: a cube would fall to a 37th."},
};

/// Read off both examples: is the difference at 1 seen at all, does it depend on the scale, and as the cube would have it?
Answer meaning() {
  const Answer jax = measured(false), torch = measured(true);
  const double ratio = std::fmax(jax[0] / jax[1], torch[0] / torch[1]);
  if (std::fmin(jax[0], torch[0]) < 0.01) return {1};
  if (ratio < 1.5) return {2};
  return {ratio > 30 ? 3.0 : 0.0};
}

constexpr Part parts[] = {
    {.id = "11.1", .ask = "With the identity in place of the tanh, what does a query add?", .kind = AnswerKind::choice, .choices = additions, .key = addition,
     .right = "A softmax over the keys forgets what all its scores share, so every query gets the same weights."},
    {.id = "11.2a",
     .ask = "With u the query’s and t the key’s part of the argument, which terms of (u + t)³ make the weights of two queries differ?",
     .kind = AnswerKind::several,
     .choices = terms,
     .key = telling_terms,
     .right = "The two that mix: they change with the key by an amount that depends on the query."},
    {.id = "11.2b", .ask = "W_q and W_k are both multiplied by a small ε. With which power of ε do the rows differ?", .key = power, .slips = power_slips,
     .right = "u and t both shrink with ε, and each term has three of them."},
    {.id = "11.3a",
     .ask = "JAX, seed 0: the largest difference between two queries’ weights at one key, for ε = 1, 0.3, 0.1 and 0.03?",
     .kind = AnswerKind::matrix, .digits = 2, .rows = 1, .columns = 4,
     .key = [] { return measured(false); },
     .slips = jax_slips,
     .right = "From 0.1 to 0.03 it falls to about a thirtieth; a cube falls to a 37th."},
    {.id = "11.3b",
     .ask = "And the same four in PyTorch, seed 0?",
     .kind = AnswerKind::matrix, .digits = 2, .rows = 1, .columns = 4,
     .key = [] { return measured(true); },
     .slips = torch_slips,
     .right = "Here the last step is a cube almost exactly."},
    {.id = "11.3c",
     .ask = "JAX: which power of ε do the differences at 0.1 and 0.03 show?",
     .decimals = 2,
     .key = [] { return Answer{last_power(false)}; },
     .slips = last_slips,
     .right = "Near 3 already, and nearer with every smaller ε."},
    {.id = "11.3d", .ask = "What does ε = 1 tell of the start of training?", .kind = AnswerKind::choice, .choices = meanings, .key = meaning,
     .right = "The maps are drawn so that the argument has unit size, where the tanh bends. Smaller maps start nearly blind to the query."},
};

constexpr Exercise exercise{"11", "Additive scores near zero", "additive", parts};

}  // namespace

const Exercise& exercise_11() { return exercise; }

}  // namespace attn::studies

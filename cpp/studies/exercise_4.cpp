// Exercise 4, the softmax Jacobian: its entries, its null space, its norm at both ends and where it is largest. The answers come
// from the core's Jacobian. Source: Dive into Deep Learning, section 10.2, exercise 4.
#include <algorithm>
#include <cmath>

#include "attn/entropy.hpp"
#include "attn/math.hpp"
#include "attn/softmax.hpp"
#include "exercises.hpp"
#include "jacobian_rows.hpp"

namespace attn::studies {
namespace {

std::vector<double> weights_of(const std::vector<double>& scores) {
  std::vector<double> weights(scores.size());
  softmax_row(scores, weights);
  return weights;
}

std::vector<double> even(std::size_t k, std::size_t m) {
  std::vector<double> weights(m, 0.0);
  std::fill_n(weights.begin(), k, 1 / static_cast<double>(k));
  return weights;
}

constexpr Choice directions[] = {
    {"ones", "the vector of ones"},
    {"weights", "the weights themselves", "J times the weights has the entries αᵢ(αᵢ − Σα²), which vanish together for equal weights alone."},
    {"first", "the unit vector of the largest weight", "J times it is a column of J, and its own entry α(1 − α) is not zero."},
    {"zero", "nothing but zero", "Add one constant to every score: what becomes of the weights?"},
};

/// The direction that J takes to zero, tried on a row of five scores.
Answer null_direction() {
  const std::vector<double> weights = weights_of({1.2, 0.4, -0.3, 2, -1});
  const auto jacobian = softmax_jacobian(weights).value();
  const std::vector<double> tried[] = {std::vector<double>(5, 1.0), weights, {0, 0, 0, 1, 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    double largest = 0;
    for (std::size_t r = 0; r < 5; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < 5; ++c) sum += jacobian(r, c) * tried[i][c];
      largest = std::max(largest, std::fabs(sum));
    }
    if (largest < 1e-12) return {static_cast<double>(i)};
  }
  return {3};
}

Answer small_jacobian() {
  const auto jacobian = softmax_jacobian(weights_of({0, math::log(3.0)})).value();
  return {jacobian.begin(), jacobian.end()};
}

constexpr Slip small_slips[] = {
    {[] { const std::vector<double> w = weights_of({0, math::log(3.0)}); return Answer{w[0], 0, 0, w[1]}; }, "That is diag(α); the outer product is still to be taken off."},
    {[] { Answer j = small_jacobian(); for (double& entry : j) entry = std::fabs(entry); return j; }, "Raising one score takes weight from the other: the entries beside the diagonal are negative."},
};

constexpr Slip even_slips[] = {
    {[] { return Answer{1 / std::sqrt(64.0)}; }, "That is the root of the sum of squared weights; the norm lies a little below it."},
    {[] { return Answer{jacobian_norm(even(64, 64)) * jacobian_norm(even(64, 64))}; }, "That is the square of the norm."},
};

constexpr Choice sums[] = {
    {"squares", "Σα²"},
    {"cubes", "Σα³", "It comes with a factor of −2, and is smaller than Σα² by the size of a weight."},
    {"square-of-squares", "(Σα²)²", "For m equal weights that is 1/m², far below the squared norm."},
    {"rest", "1 − Σα²", "For many small weights that is near one, and the norm is near zero."},
};

/// The sum nearest to the squared norm, in proportion, of 512 nearly equal weights.
Answer nearest_sum() {
  std::vector<double> scores(512);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = math::sin(static_cast<double>(i));
  const std::vector<double> weights = weights_of(scores);
  double squares = 0;
  double cubes = 0;
  for (const double w : weights) {
    squares += w * w;
    cubes += w * w * w;
  }
  const double norm = jacobian_norm(weights);
  const double tried[] = {squares, cubes, squares * squares, 1 - squares};
  std::size_t best = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    if (std::fabs(math::log(tried[i] / (norm * norm))) < std::fabs(math::log(tried[best] / (norm * norm)))) best = i;
  }
  return {static_cast<double>(best)};
}

/// The k of 64 keys whose even row has the largest norm.
double best_k() {
  std::size_t best = 1;
  for (std::size_t k = 2; k <= 64; ++k) {
    if (jacobian_norm(even(k, 64)) > jacobian_norm(even(best, 64))) best = k;
  }
  return static_cast<double>(best);
}

constexpr Slip best_slips[] = {{[] { return Answer{64}; }, "All keys alike: the root of k − 1 has long been overtaken by k."},
                               {[] { return Answer{1}; }, "One key with all the weight has the norm zero."}};
constexpr Slip norm_slips[] = {{[] { return Answer{0.25}; }, "That is the square of the norm."}};

constexpr Choice reasons[] = {
    {"sharing", "its weight lies on fewer keys than the scaled row’s, but on more than two"},
    {"larger", "its scores are larger, and larger scores have larger gradients", "At d = 512 the scores are larger still, and the norm is smaller."},
    {"saturated", "it is saturated already", "Saturation makes the norm small, not large."},
    {"chance", "chance: another seed would turn them round", "Two hundred seeds say otherwise; see the ledger."},
};

/// Rows share as if among about 10 keys unscaled and 32 scaled at d = 4: whether the first has the larger norm, on the falling side.
Answer reason() { return {even_norm(10) > even_norm(32) && best_k() < 10 ? 0.0 : 1.0}; }

constexpr Part parts[] = {
    {.id = "4.1a", .ask = "Which vector does the Jacobian of a softmax take to zero, whatever the finite scores?", .kind = AnswerKind::choice, .choices = directions,
     .key = null_direction, .right = "A shift of all scores changes no weight. For finite scores nothing else does."},
    {.id = "4.1b", .ask = "The Jacobian of the two scores 0 and ln 3?", .kind = AnswerKind::matrix, .decimals = 3, .rows = 2, .columns = 2, .row_name = "weight", .column_name = "score",
     .key = small_jacobian, .slips = small_slips, .right = "α is (1/4, 3/4); every entry is 3/16 in size, and every row adds up to zero."},
    {.id = "4.2a", .ask = "The Frobenius norm of the Jacobian of a one-hot row?", .key = [] { return Answer{jacobian_norm(even(1, 64))}; }, .right = "No gradient passes at all."},
    {.id = "4.2b", .ask = "And of 64 equal weights?", .decimals = 4, .key = [] { return Answer{jacobian_norm(even(64, 64))}; }, .slips = even_slips, .right = "√63/64."},
    {.id = "4.2c", .ask = "What is the squared norm close to when every weight is small?", .kind = AnswerKind::choice, .choices = sums, .key = nearest_sum,
     .right = "And unequal weights have a larger Σα² than equal ones: that is why the scaled norms lie above 0.124."},
    {.id = "4.3a", .ask = "Over how many of 64 keys must the weight be spread for the largest norm?", .key = [] { return Answer{best_k()}; }, .slips = best_slips, .right = "Two: a row torn between two keys answers a nudge most strongly."},
    {.id = "4.3b", .ask = "And the norm there?", .key = [] { return Answer{jacobian_norm(even(2, 64))}; }, .slips = norm_slips, .right = "One half, and no row of weights has more."},
    {.id = "4.3c", .ask = "Why does the unscaled norm printed for d = 4 exceed the scaled one?", .kind = AnswerKind::choice, .choices = reasons, .key = reason,
     .right = "On that side of the peak fewer keys mean a larger norm."},
};

constexpr Exercise exercise{"4", "The softmax Jacobian", "jacobian", parts};

}  // namespace

const Exercise& exercise_4() { return exercise; }

}  // namespace attn::studies

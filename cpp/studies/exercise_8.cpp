// Exercise 8, dropout of attention weights: expectation and variance of a row's sum, the fate of a one-hot row, and the variances
// to predict for the section's own inputs. Moments here come from listing every way to toss, not from the formula the reader is to
// find; the inputs are those of the plate Batched attention. Source: Dive into Deep Learning, section 10.2, exercise 8.
#include <algorithm>
#include <cmath>

#include "batched_layer.hpp"
#include "exercises.hpp"

namespace attn::studies {
namespace {

using namespace batched_layer;

struct Moments {
  double mean = 0, variance = 0;
};

/// Of the sum of a row after dropout: over all 2^keys ways to toss, each with its probability.
Moments over_all_tosses(std::span<const double> row, double p) {
  Moments found;
  double squares = 0;
  for (std::size_t way = 0; way < std::size_t{1} << row.size(); ++way) {
    double sum = 0, probability = 1;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool kept = (way >> k & 1) == 1;
      sum += kept ? row[k] / (1 - p) : 0.0;
      probability *= kept ? 1 - p : p;
    }
    found.mean += probability * sum;
    squares += probability * (sum - 1) * (sum - 1);
  }
  const double off = found.mean - 1;
  found.variance = squares - off * off;
  return found;
}

constexpr double rate = 0.2;  // of the questions that want no framework

Moments of_uniform(std::size_t l) { return over_all_tosses(std::vector<double>(l, 1 / static_cast<double>(l)), rate); }

/// The section's layer at p = 0.5; its first sequence sees `first` keys.
Setting section(bool torch, double first = 2) {
  Setting setting;
  setting.sizes = {2, 1, 10, 2, 4};
  setting.torch = torch;
  setting.rate = 0.5;
  setting.training = true;
  setting.lens = ValidLens::per_sequence({first, 6}).value();
  return setting;
}

/// What `of` says of the weights that each sequence may give, in order.
template <class Of>
Answer by_sequence(bool torch, Of of) {
  const Setting setting = section(torch);
  const Layer layer = layer_of(setting, drawn_inputs(setting)).value();
  Answer answer;
  for (std::size_t b = 0; b < 2; ++b) {
    answer.push_back(of(std::span<const double>(layer.weights.data() + b * 10, setting.lens->at(b, 0))));
  }
  return answer;
}

double variance_of(std::span<const double> row) { return over_all_tosses(row, 0.5).variance; }
double deviation_of(std::span<const double> row) { return std::sqrt(variance_of(row)); }
double of_equal(std::span<const double> row) { return 1 / static_cast<double>(row.size()); }

constexpr Slip expectations[] = {
    {[] { return Answer{1 - rate}; }, "That is what is left without the division: the kept weights are divided by 1 − p."},
};
constexpr Slip uniform_slips[] = {
    {[] { return Answer{std::sqrt(of_uniform(8).variance)}; }, "That is the standard deviation; the variance is its square."},
    {[] { return Answer{rate * (1 - rate) / 8}; }, "That is the variance without the division of the kept weights by 1 − p."},
    {[] { return Answer{of_uniform(1).variance}; }, "That is p/(1 − p) alone; the squares of eight weights of 1/8 do not add up to 1."},
};
constexpr Slip one_hot_slips[] = {
    {[] { return Answer{std::sqrt(of_uniform(1).variance)}; }, "That is the standard deviation; the variance is its square."},
    {[] { return Answer{rate * (1 - rate)}; }, "That is the variance without the division of the kept weight by 1 − p."},
    {[] { return Answer{rate}; }, "That is the probability of losing the weight; what are the two sums, and how far are they from 1?"},
};

enum Fate { zero, value, average, broken };
constexpr Choice fates[] = {
    {"zero", "the zero vector"},
    {"value", "the value of the attended key", "Its weight is 0 in these draws, so nothing of it is added."},
    {"average", "the average of the other values", "The other weights were 0 before dropout and are 0 after it: nothing moves over to them."},
    {"nan", "NaN", "Nothing is normalised again after dropout, so nothing is divided by 0."},
};

/// The first draw that drops the only weight, looked at.
Answer fate_of_one_hot() {
  Setting setting = section(false, 1);
  const Inputs inputs = drawn_inputs(setting);
  for (;; ++setting.dropout_seed) {
    const Layer layer = layer_of(setting, inputs).value();
    if (layer.kept(0, 0, 0) != 0) continue;
    const double* output = layer.output.data();
    if (std::isnan(output[0])) return {broken};
    if (std::all_of(output, output + 4, [](double entry) { return entry == 0; })) return {zero};
    return {static_cast<double>(std::equal(output, output + 4, inputs.values.data()) ? value : average)};
  }
}

constexpr Slip jax_slips[] = {
    {[] { return by_sequence(false, deviation_of); }, "Those are standard deviations; variances are their squares."},
    {[] { return by_sequence(true, variance_of); }, "Those belong to PyTorch’s inputs; here JAX’s are asked for."},
    {[] { return by_sequence(false, of_equal); }, "Those are the variances of uniform rows; the weights of these rows differ."},
};
constexpr Slip torch_slips[] = {
    {[] { return by_sequence(true, deviation_of); }, "Those are standard deviations; variances are their squares."},
    {[] { return by_sequence(false, variance_of); }, "Those belong to JAX’s inputs; here PyTorch’s are asked for."},
    {[] { return by_sequence(true, of_equal); }, "Those are the variances of uniform rows; the weights of these rows differ."},
};

constexpr Part parts[] = {
    {.id = "8.1a",
     .ask = "A row of weights sums to 1. What sum is expected after dropout with p = 0.2?",
     .key = [] { return Answer{of_uniform(8).mean}; },
     .slips = expectations,
     .right = "Each weight is kept with probability 1 − p and divided by 1 − p, so each keeps its expectation, and so does the sum."},
    {.id = "8.1b",
     .ask = "What is the variance of that sum at p = 0.2 for a row that is uniform over 8 keys?",
     .digits = 2,
     .key = [] { return Answer{of_uniform(8).variance}; },
     .slips = uniform_slips,
     .right = "Each toss brings p/(1 − p) times its squared weight, and 8 squares of 1/8 add up to 1/8: 0.25/8."},
    {.id = "8.1c",
     .ask = "And for a one-hot row, again at p = 0.2?",
     .key = [] { return Answer{of_uniform(1).variance}; },
     .slips = one_hot_slips,
     .right = "One square, and it is 1: p/(1 − p) is the most that any row can have."},
    {.id = "8.1d",
     .ask = "What is the output of a one-hot row in the draws in which dropout removes its weight?",
     .kind = AnswerKind::choice,
     .choices = fates,
     .key = fate_of_one_hot,
     .right = "Every weight is 0, and the empty sum is the zero vector; the softmax is not done again."},
    {.id = "8.2a",
     .ask = "The section’s inputs by JAX (key 0 for queries, key 1 for keys, lengths 2 and 6) at p = 0.5: which variances of the row sums do you predict, one a sequence?",
     .kind = AnswerKind::matrix,
     .decimals = 3,
     .rows = 2,
     .columns = 1,
     .row_name = "sequence",
     .column_name = "variance",
     .key = [] { return by_sequence(false, variance_of); },
     .slips = jax_slips,
     .right = "At p = 0.5 the factor is 1: these are the sums of the squared weights before dropout."},
    {.id = "8.2b",
     .ask = "The same by PyTorch (manual_seed(0), then queries and keys): which variances of the row sums do you predict, one a sequence?",
     .kind = AnswerKind::matrix,
     .decimals = 3,
     .rows = 2,
     .columns = 1,
     .row_name = "sequence",
     .column_name = "variance",
     .key = [] { return by_sequence(true, variance_of); },
     .slips = torch_slips,
     .right = "These rows are more uneven than JAX’s, so their sums vary more."},
};

constexpr Exercise exercise{"8", "What dropout does to a row", "batched", parts};

}  // namespace

const Exercise& exercise_8() { return exercise; }

}  // namespace attn::studies

// Proofs of the claims of Batched attention: what is exact is compared exactly on random batches, what is a mean or a variance
// lies within four standard errors of the formula for several seeds and both frameworks' tosses.
#include "batched_claims.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "attn/dropout.hpp"
#include "attn/matmul.hpp"
#include "attn/pooling.hpp"
#include "attn/random/jax.hpp"
#include "batched_dropout.hpp"
#include "batched_layer.hpp"
#include "evidence.hpp"

namespace attn::studies {
namespace {

using namespace batched_layer;
using Batch = Tensor<double, 3>;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array torches{false, true};
constexpr std::uint64_t trials = 20;

const char* framework(bool torch) { return torch ? "PyTorch" : "JAX"; }

/// The section's layer: two sequences, one query, ten keys, lengths 2 and 6, rate 0.5 in training.
Setting section(bool torch, std::uint64_t seed = 0) {
  Setting setting;
  setting.sizes = {2, 1, 10, 2, 4};
  setting.torch = torch;
  setting.seed = seed;
  setting.dropout_seed = static_cast<std::uint32_t>(seed);
  setting.rate = 0.5;
  setting.training = true;
  setting.lens = ValidLens::per_sequence({2, 6}).value();
  return setting;
}

Layer made(const Setting& setting) { return layer_of(setting, drawn_inputs(setting)).value(); }

Batch filled(std::size_t a, std::size_t b, std::size_t c, double value) {
  Batch tensor = Batch::from_shape({a, b, c});
  tensor.fill(value);
  return tensor;
}

bool all_zero(const Batch& tensor) {
  return std::all_of(tensor.begin(), tensor.end(), [](double value) { return value == 0 && !std::signbit(value); });
}

/// The draws of a batch of weights, 4000 of them.
batched_dropout::Draws drawn(const Batch& weights, bool torch, std::uint32_t seed, double rate) {
  return batched_dropout::draw(weights, {torch, seed, rate, 4000, 0}, Workspace{}).value();
}

Finding shapes() {
  Proof proof;
  const Batch a = filled(2, 3, 4, 1);
  const Batch b = filled(2, 4, 6, 1);
  const Batch product = batch_matmul(a, b).value();
  proof.require(shape_of(product) == Shape3{2, 3, 6}, "shape " + shape_text(shape_of(product)));
  proof.require(std::all_of(product.begin(), product.end(), [](double value) { return value == 4; }), "each entry of ones times ones is 4");
  return proof.finding();
}

Finding misfits() {
  Proof proof;
  std::size_t refused = 0;
  bool right = true;
  for (std::size_t code = 0; code < 81; ++code) {
    const Shape3 a{code % 3, 2, code / 3 % 3};
    const Shape3 b{code / 9 % 3, code / 27, 5};
    const bool fits = a[0] == b[0] && a[2] == b[1];
    right = right && batch_matmul_shape(a, b).ok() == fits && torch_bmm_message(a, b).empty() == fits;
    refused += fits ? 0 : 1;
  }
  proof.require(right, "of 81 pairs of shapes those are refused whose examples or inner sizes differ: " + std::to_string(refused));
  return proof.finding();
}

Finding output_width() {
  Proof proof;
  bool right = true;
  for (const std::size_t d : {0U, 1U, 2U, 16U}) {
    for (const std::size_t width : {0U, 1U, 4U, 8U}) {
      Setting setting = section(false);
      setting.sizes = {2, 3, 10, d, width};
      right = right && shape_of(made(setting).output) == Shape3{2, 3, width};
    }
  }
  proof.require(right, "(2, 3, v) for every v of 0, 1, 4, 8 with every d of 0, 1, 2, 16");
  return proof.finding();
}

Finding beyond() {
  Proof proof;
  for (const bool torch : torches) {
    const Layer layer = made(section(torch));
    bool right = true;
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t k = 0; k < 10; ++k) right = right && (layer.weights(b, 0, k) > 0) == (k < (b == 0 ? 2U : 6U));
    }
    proof.require(right, std::string("with the draws of ") + framework(torch) + " exactly 2 and 6 weights are above 0");
  }
  return proof.finding();
}

Finding masked_nan() {
  Proof proof;
  bool same = true;
  for (const bool torch : torches) {
    for (std::uint64_t seed = 0; seed < trials; ++seed) {
      const Setting setting = section(torch, seed);
      const Inputs clean = drawn_inputs(setting);
      const Batch output = layer_of(setting, clean).value().output;
      for (const double poison : {nan, inf, -inf}) {
        Inputs dirty = clean;
        for (std::size_t b = 0; b < 2; ++b) {
          for (std::size_t k = b == 0 ? 2 : 6; k < 10; ++k) {
            for (std::size_t c = 0; c < 2; ++c) dirty.keys(b, k, c) = poison;
            for (std::size_t c = 0; c < 4; ++c) dirty.values(b, k, c) = poison;
          }
        }
        same = same && layer_of(setting, dirty).value().output == output;
      }
    }
  }
  proof.require(same, "the output keeps its bits when every masked key and value is NaN or infinite, in 40 batches");
  return proof.finding();
}

Finding plain_nan() {
  Proof proof;
  Setting setting = section(false);
  setting.training = false;
  Inputs inputs = drawn_inputs(setting);
  inputs.values(0, 9, 0) = nan;
  inputs.values(0, 9, 1) = inf;
  const Layer layer = layer_of(setting, inputs).value();
  proof.require(layer.weights(0, 0, 9) == 0, "the last key weighs 0");
  proof.require(std::isnan(layer.plain(0, 0, 0)) && std::isnan(layer.plain(0, 0, 1)), "a plain product makes NaN of 0 times NaN and of 0 times infinity");
  proof.require(std::isfinite(layer.output(0, 0, 0)) && std::isfinite(layer.output(0, 0, 1)), "the output here is finite");
  return proof.finding();
}

Finding open_nan() {
  Proof proof;
  bool right = true;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    Setting setting = section(false, seed);
    setting.training = false;
    Inputs inputs = drawn_inputs(setting);
    inputs.values(1, 5, 2) = nan;
    const Batch output = layer_of(setting, inputs).value().output;
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t c = 0; c < 4; ++c) right = right && std::isnan(output(b, 0, c)) == (b == 1 && c == 2);
    }
  }
  proof.require(right, "NaN in column 3 of an allowed value is NaN in column 3 of that sequence's output, and nowhere else");
  return proof.finding();
}

Finding before_dropout() {
  Proof proof;
  bool same = true;
  std::size_t changed = 0;
  for (const bool torch : torches) {
    for (std::uint64_t seed = 0; seed < trials; ++seed) {
      Setting setting = section(torch, seed);
      const Layer training = made(setting);
      setting.training = false;
      const Layer evaluation = made(setting);
      same = same && training.weights == evaluation.weights && training.output == pool(training.pooled, drawn_inputs(setting).values).value();
      changed += training.pooled == training.weights ? 0U : 1U;
    }
  }
  proof.require(same, "in 40 batches the weights are those of evaluation, the output that of the weights after dropout");
  proof.require(changed >= 38, "the two differ in " + std::to_string(changed));
  return proof.finding();
}

Finding evaluation() {
  Proof proof;
  bool same = true;
  for (const bool torch : torches) {
    for (std::uint64_t seed = 0; seed < trials; ++seed) {
      Setting setting = section(torch, seed);
      setting.training = false;
      const Layer off = made(setting);
      setting.training = true;
      setting.rate = 0;
      same = same && off.pooled == off.weights && off.output == made(setting).output;
    }
  }
  proof.require(same, "in 40 batches weights stay as they are and the output is that of rate 0");
  return proof.finding();
}

/// Mean (or variance) of both rows of the section's batch for eight seeds a framework and three rates, tosses of their own each:
/// distances from the formula in standard errors, the largest and the root of their mean square, which should be 1.
Finding moments(bool of_variance) {
  Proof proof;
  double largest = 0;
  double squares = 0;
  std::size_t rows = 0;
  std::uint32_t tosses = 100;
  for (const bool torch : torches) {
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
      const Batch weights = made(section(torch, seed)).weights;
      for (const double rate : {0.1, 0.5, 0.8}) {
        const auto draws = drawn(weights, torch, ++tosses, rate);
        for (std::size_t row = 0; row < 2; ++row, ++rows) {
          const double distance = of_variance ? (draws.variance[row] - draws.predicted[row]) / draws.variance_se[row] : (draws.mean[row] - 1) / draws.mean_se[row];
          largest = std::max(largest, std::fabs(distance));
          squares += distance * distance;
        }
      }
    }
  }
  proof.within("root mean square distance in standard errors", std::sqrt(squares / static_cast<double>(rows)), 0.75, 1.25);
  proof.within("farthest of " + std::to_string(rows) + " rows from the formula, in standard errors", largest, 0, 4);
  return proof.finding();
}

Finding mean_one() { return moments(false); }
Finding variance() { return moments(true); }

Finding section_variances() {
  Proof proof;
  const auto jax = drawn(made(section(false)).weights, false, 0, 0.5);
  const auto torch = drawn(made(section(true)).weights, true, 0, 0.5);
  for (std::size_t row = 0; row < 2; ++row) {
    proof.within("PyTorch's variance over JAX's, sequence " + std::to_string(row + 1), torch.predicted[row] / jax.predicted[row], 1.1, 2);
  }
  return proof.finding();
}

Finding uniform_row() {
  Proof proof;
  double largest = 0;
  double farthest = 0;
  for (std::size_t l = 1; l <= 12; ++l) {
    const Batch weights = filled(1, 1, l, 1 / static_cast<double>(l));
    for (const double rate : {0.1, 0.5, 0.8}) {
      const double formula = rate / ((1 - rate) * static_cast<double>(l));
      for (const bool torch : torches) {
        const auto draws = drawn(weights, torch, static_cast<std::uint32_t>(l), rate);
        largest = std::max(largest, std::fabs(draws.predicted[0] / formula - 1));
        farthest = std::max(farthest, std::fabs(draws.variance[0] - formula) / draws.variance_se[0]);
      }
    }
  }
  proof.within("largest relative distance of the two formulas, l from 1 to 12", largest, 0, 1e-14);
  proof.within("farthest variance of 4000 draws, in standard errors", farthest, 0, 4);
  return proof.finding();
}

Finding least_and_most() {
  Proof proof;
  bool between = true;
  for (const bool torch : torches) {
    for (std::uint64_t seed = 0; seed < trials; ++seed) {
      const auto draws = drawn(made(section(torch, seed)).weights, torch, 0, 0.5);
      for (std::size_t row = 0; row < 2; ++row) {
        const double least = 1 / (row == 0 ? 2.0 : 6.0);
        between = between && draws.predicted[row] >= least * (1 - 1e-15) && draws.predicted[row] <= 1 + 1e-15;
      }
    }
  }
  proof.require(between, "80 rows at p = 0.5 lie between 1/l and 1");
  return proof.finding();
}

Finding one_hot() {
  Proof proof;
  for (const bool torch : torches) {
    for (const double rate : {0.25, 0.5}) {
      Setting setting = section(torch);
      setting.sizes.batch = 1;
      setting.lens = ValidLens::per_sequence({1}).value();
      setting.rate = rate;
      const Inputs inputs = drawn_inputs(setting);
      bool all_or_nothing = true;
      std::size_t zeros = 0;
      constexpr std::uint32_t draws = 2000;
      for (std::uint32_t seed = 0; seed < draws; ++seed) {
        setting.dropout_seed = seed;
        const Layer layer = layer_of(setting, inputs).value();
        if (layer.kept(0, 0, 0) == 0) {
          ++zeros;
          all_or_nothing = all_or_nothing && all_zero(layer.output);
        } else {
          for (std::size_t c = 0; c < 4; ++c) all_or_nothing = all_or_nothing && layer.output(0, 0, c) == inputs.values(0, 0, c) * (1 / (1 - rate));
        }
      }
      const double se = std::sqrt(rate * (1 - rate) / draws);
      proof.within(std::string("share of zero outputs, ") + framework(torch), static_cast<double>(zeros) / draws, rate - 4 * se, rate + 4 * se);
      proof.require(all_or_nothing, "every other output is the value divided by 1 - p");
    }
  }
  return proof.finding();
}

Finding identity_values() {
  Proof proof;
  bool same = true;
  for (const bool torch : torches) {
    for (std::uint64_t seed = 0; seed < trials; ++seed) {
      Setting setting = section(torch, seed);
      setting.identity = true;
      setting.sizes.width = 10;
      const Layer layer = made(setting);
      same = same && layer.output == layer.pooled;
    }
  }
  proof.require(same, "output and weights after dropout have the same bits in 40 batches");
  return proof.finding();
}

Finding no_keys() {
  Proof proof;
  for (const bool torch : torches) {
    Setting setting = section(torch);
    setting.sizes.keys = 0;
    setting.lens.reset();
    const Layer layer = made(setting);
    proof.require(shape_of(layer.output) == Shape3{2, 1, 4} && all_zero(layer.output), "no keys: the output is (2, 1, 4) and all 0");
    setting.sizes.keys = 10;
    setting.lens = ValidLens::per_sequence({0, 6}).value();
    const Layer masked = made(setting);
    bool zero = true;
    for (std::size_t c = 0; c < 4; ++c) zero = zero && masked.output(0, 0, c) == 0;
    proof.require(zero, "length 0: the first sequence's output is 0");
  }
  return proof.finding();
}

Finding zero_width() {
  Proof proof;
  Setting setting = section(false);
  setting.sizes.d = 0;
  const Layer layer = made(setting);
  proof.require(all_zero(layer.scaled), "scores of width 0 are 0");
  bool uniform = true;
  for (std::size_t b = 0; b < 2; ++b) {
    const std::size_t l = b == 0 ? 2 : 6;
    for (std::size_t k = 0; k < 10; ++k) uniform = uniform && layer.weights(b, 0, k) == (k < l ? 1 / static_cast<double>(l) : 0);
  }
  proof.require(uniform, "weights are 1/2 and 1/6");
  return proof.finding();
}

}  // namespace

std::vector<Claim> batched_claims() {
  return {
      {"shapes", "The product of (2, 3, 4) and (2, 4, 6) is (2, 3, 6): one matrix product for each of the two examples.", proof(shapes)},
      {"misfits", "Two shapes can be multiplied exactly when they have as many examples and the columns of the left are the rows of the right.", proof(misfits)},
      {"output-width", "The output has one row a query, as wide as the values; the width of queries and keys leaves no trace in its shape.", proof(output_width)},
      {"beyond", "With either framework’s numbers, every weight beyond the second key of the first sequence and the sixth of the second is exactly zero, and every other is not.", proof(beyond)},
      {"masked-nan", "NaN or infinity in a masked key or its value never reaches the output.", proof(masked_nan)},
      {"plain-nan", "A plain matrix product would let it in, since 0 times NaN is NaN.", proof(plain_nan)},
      {"open-nan", "NaN in the value of a key that has weight makes its column of the output NaN, and no other.", proof(open_nan)},
      {"before-dropout", "The weights on show are those before dropout; the output is made with those after it.", proof(before_dropout)},
      {"evaluation", "In evaluation dropout does nothing, whatever its rate.", proof(evaluation)},
      {"mean-one", "Over many draws of dropout the sum of a row of weights is 1 on average.", proof(mean_one)},
      {"variance", "Its variance is p/(1 − p) times the sum of the squared weights.", proof(variance)},
      {"section-variances", "In both sequences of the example PyTorch’s numbers give the more uneven weights, and sums that vary more than with JAX’s.", proof(section_variances)},
      {"uniform", "For a row that is uniform over l keys the variance is p/((1 − p) l).", proof(uniform_row)},
      {"least-and-most", "No row over l keys has less variance than the uniform one, and none has more than a one-hot row, p/(1 − p).", proof(least_and_most)},
      {"one-hot", "A one-hot row is all or nothing: in a share p of the draws its output is the zero vector, in the others its one value divided by 1 − p.", proof(one_hot)},
      {"identity", "With identity matrices as values, each row of the output is the row of weights after dropout.", proof(identity_values)},
      {"no-keys", "A query without any key has a zero output: an empty sum, not an error.", proof(no_keys)},
      {"zero-width", "Queries and keys of width 0 have the score 0 with each other, so all allowed keys weigh the same.", proof(zero_width)},
  };
}

}  // namespace attn::studies

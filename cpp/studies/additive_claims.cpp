// What the page of Additive scoring states about scores and weights, proved by the core. See evidence.hpp.
#include "additive_claims.hpp"

#include <algorithm>
#include <cmath>

#include "additive_model.hpp"
#include "attn/math.hpp"
#include "attn/softmax.hpp"
#include "evidence.hpp"
#include "ledger_printed.hpp"

namespace attn::studies {
namespace {

using namespace additive_model;

/// Examples of the section's sizes: seeds 0 to 19 of both generators.
std::vector<Example> examples() {
  std::vector<Example> all;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const bool torch : {false, true}) all.push_back(draw({}, torch, seed));
  }
  return all;
}

/// The texts against the table of the ledger, and the double weights against the texts.
Finding printed(bool torch) {
  Proof proof;
  const Example example = draw({}, torch, 0);
  const std::vector<std::string> texts = printed_weights(example);
  const Tensor<double, 3> weights = weights_of(example, 1, Activation::tanh);
  std::size_t equal = 0;
  double distance = 0;
  for (const PrintedTable& table : printed_tables()) {
    if (table.about != "weights of the additive score" || (table.framework == "torch") != torch) continue;
    for (std::size_t i = 0; i < table.printed.size(); ++i) {
      equal += texts[i] == table.printed[i] ? 1U : 0U;
      distance = std::max(distance, std::fabs(weights.data()[i] - std::strtod(table.printed[i].c_str(), nullptr)));
    }
  }
  proof.require(equal == 18, "18 texts equal the printed ones");
  // Half a unit of the fourth decimal; for float32 a few units in its last place, 2^-24 of a weight below one half.
  proof.within("largest distance of the double weights from the printed ones", distance, 0, torch ? 0.00005 + 1e-7 : 1e-7);
  return proof.finding();
}

Finding printed_jax() { return printed(false); }
Finding printed_torch() { return printed(true); }

Finding widths() {
  Proof proof;
  const Example example = draw({}, false, 0);
  proof.require(!scores(ScoreRule{Dot{}}, example.queries, example.keys).ok(), "the dot product refuses widths 20 and 2");
  const auto scored = scores(ScoreRule{example.rule}, example.queries, example.keys);
  proof.require(scored.ok() && scored.value().size() == 18, "the additive rule gives 18 scores");
  return proof.finding();
}

/// Scores of one hidden unit with both maps 1: each query part against each key part.
Tensor<double, 3> unit_scores(const std::vector<double>& u, const std::vector<double>& t, double w, Activation activation) {
  Tensor<double, 3> queries = Tensor<double, 3>::from_shape({1, u.size(), 1});
  Tensor<double, 3> keys = Tensor<double, 3>::from_shape({1, t.size(), 1});
  std::copy(u.begin(), u.end(), queries.data());
  std::copy(t.begin(), t.end(), keys.data());
  Additive rule{Tensor<double, 2>::from_shape({1, 1}), Tensor<double, 2>::from_shape({1, 1}), Tensor<double, 1>::from_shape({1}), activation};
  rule.query_map.fill(1);
  rule.key_map.fill(1);
  rule.score_vector.fill(w);
  return scores(ScoreRule{rule}, queries, keys).value();
}

Finding shift() {
  Proof proof;
  double sideways = 0;
  double upright = 0;
  double least = 1;
  for (const double w : {-0.7, 0.4}) {
    for (const double u : {-2.0, -0.5, 0.25, 1.5}) {
      std::vector<double> t, moved;
      for (double part = -3; part <= 3; part += 0.25) {
        t.push_back(part);
        moved.push_back(part + u);
      }
      const auto curve = unit_scores({u}, t, w, Activation::tanh), of_zero = unit_scores({0}, t, w, Activation::tanh);
      const auto of_zero_moved = unit_scores({0}, moved, w, Activation::tanh);
      const auto line = unit_scores({u}, t, w, Activation::identity), line_of_zero = unit_scores({0}, t, w, Activation::identity);
      double low = 1e300;
      double high = -1e300;
      for (std::size_t i = 0; i < t.size(); ++i) {
        sideways = std::max(sideways, std::fabs(curve(0, 0, i) - of_zero_moved(0, 0, i)));
        upright = std::max(upright, std::fabs(line(0, 0, i) - line_of_zero(0, 0, i) - w * u));
        low = std::min(low, curve(0, 0, i) - of_zero(0, 0, i));
        high = std::max(high, curve(0, 0, i) - of_zero(0, 0, i));
      }
      least = std::min(least, high - low);
    }
  }
  proof.require(sideways == 0, "the curve of a query is the curve of none, moved");
  proof.within("lines less w u", upright, 0, 1e-15);
  proof.within("with the tanh the lift differs by key, least", least, 0.05, 1);
  return proof.finding();
}

Finding identity() {
  Proof proof;
  double most = 0;
  double bent = 1;
  double uneven = 0;
  for (const Example& example : examples()) {
    const Tensor<double, 3> scored = scores_of(example, 1, Activation::identity);
    for (std::size_t k = 0; k < 6; ++k) uneven = std::max(uneven, std::fabs((scored(0, 1, k) - scored(0, 0, k)) - (scored(0, 1, 0) - scored(0, 0, 0))));
    most = std::max(most, row_difference(weights_of(example, 1, Activation::identity)));
    bent = std::min(bent, row_difference(weights_of(example, 1, Activation::tanh)));
  }
  proof.within("what the second query adds to the scores, less the first, unequal by", uneven, 0, 1e-14);
  // Scores of a few units round by about 1e-15, weights by less.
  proof.within("largest difference of rows over 40 examples", most, 0, 2e-15);
  proof.within("with the tanh, least", bent, 0.005, 1);
  return proof.finding();
}

Finding cube() {
  Proof proof;
  double low = 10;
  double high = 0;
  for (const Example& example : examples()) {
    std::vector<double> factors{0.001, 0.002, 0.005, 0.01}, differences;
    for (const double epsilon : factors) differences.push_back(row_difference(weights_of(example, epsilon, Activation::tanh)));
    const double slope = fitted_slope(factors, differences, 0, 1);
    low = std::min(low, slope);
    high = std::max(high, slope);
  }
  // The correction is of the order of epsilon itself, times a few: a hundredth or so at the upper end.
  proof.within("least slope over 40 examples", low, 2.95, 3.05);
  proof.within("greatest", high, 2.95, 3.05);
  return proof.finding();
}

Finding mixed_terms() {
  Proof proof;
  double worst = 0;
  for (const Example& example : examples()) {
    const double epsilon = 0.001;
    const double measured = row_difference(weights_of(example, epsilon, Activation::tanh));
    worst = std::max(worst, std::fabs(measured / (leading_coefficient(example) * epsilon * epsilon * epsilon) - 1));
  }
  proof.within("largest relative distance from the two terms alone, epsilon 0.001, 40 examples", worst, 0, 0.02);
  return proof.finding();
}

/// How far a row is from equal weights.
double from_uniform(const Tensor<double, 3>& weights) {
  const double uniform = 1 / static_cast<double>(weights.shape()[2]);
  double most = 0;
  for (const double weight : weights) most = std::max(most, std::fabs(weight - uniform));
  return most;
}

Finding first_order() {
  Proof proof;
  double low = 10;
  double high = 0;
  double share = 0;
  for (const Example& example : examples()) {
    const Tensor<double, 3> small = weights_of(example, 0.001, Activation::tanh);
    share = std::max(share, row_difference(small) / from_uniform(small));
    const double ratio = from_uniform(weights_of(example, 0.01, Activation::tanh)) / from_uniform(small);
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  proof.within("distance from equal weights, epsilon 0.01 against 0.001, least", low, 9.5, 10.5);
  proof.within("greatest", high, 9.5, 10.5);
  proof.within("share of it that differs between queries, at most", share, 0, 0.0001);
  return proof.finding();
}

Finding thousandth() {
  Proof proof;
  double low = 1e9;
  double high = 0;
  for (const Example& example : examples()) {
    const double ratio = row_difference(weights_of(example, 0.01, Activation::tanh)) / row_difference(weights_of(example, 0.001, Activation::tanh));
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  proof.within("difference at 0.01 over that at 0.001, least", low, 900, 1100);
  proof.within("greatest", high, 900, 1100);
  return proof.finding();
}

Finding at_one() {
  Proof proof;
  const auto difference = [](bool torch, double epsilon) { return row_difference(weights_of(draw({}, torch, 0), epsilon, Activation::tanh)); };
  proof.within("JAX, epsilon 1", difference(false, 1), 0.0615, 0.0625);
  proof.within("PyTorch, epsilon 1", difference(true, 1), 0.0655, 0.0665);
  for (const bool torch : {false, true}) {
    const std::string name = torch ? "PyTorch" : "JAX";
    const auto slope = [&](double from, double to) { return fitted_slope({from, to}, {difference(torch, from), difference(torch, to)}, 0, 1); };
    proof.within(name + ", power from 1 to 0.3", slope(1, 0.3), 0.7, 1.9);
    proof.within(name + ", power from 0.1 to 0.03", slope(0.1, 0.03), 2.8, 3);
  }
  return proof.finding();
}

Finding argument_variance() {
  Proof proof;
  // One pair an example, so that the 2000 arguments of its first unit are independent; a variance of normals with random
  // factors: standard error by the fourth moment.
  for (const bool torch : {false, true}) {
    double second = 0;
    double fourth = 0;
    const std::size_t count = 2000;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
      const Example example = draw({1, 1, 20, 2, 1}, torch, 1000 + seed);
      double argument = 0;
      for (std::size_t a = 0; a < 20; ++a) argument += example.rule.query_map(0, a) * example.queries(0, 0, a);
      for (std::size_t a = 0; a < 2; ++a) argument += example.rule.key_map(0, a) * example.keys(0, 0, a);
      second += argument * argument / count;
      fourth += argument * argument * argument * argument / count;
    }
    const double error = std::sqrt((fourth - second * second) / count);
    proof.within(std::string(torch ? "PyTorch" : "JAX").append(", distance from 2 in standard errors"), (second - 2) / error, -4, 4);
    proof.within("standard error", error, 0, 0.12);
  }
  return proof.finding();
}

Finding bounded() {
  Proof proof;
  double most = 0;
  double reached = 0;
  for (const Example& example : examples()) {
    double bound = 0;
    for (const double w : example.rule.score_vector) bound += std::fabs(w);
    for (const double epsilon : {1.0, 10.0, 1000.0}) {
      for (const double score : scores_of(example, epsilon, Activation::tanh)) {
        most = std::max(most, std::fabs(score) - bound);
        reached = std::max(reached, std::fabs(score) / bound);
      }
    }
  }
  proof.within("largest score less the sum of the |w_v|", most, -10, 1e-15);
  proof.within("largest share of it reached", reached, 0.9, 1 + 1e-15);
  return proof.finding();
}

Finding batched() {
  Proof proof;
  // Four examples in one batch under one rule, and each alone.
  const Sizes sizes{5, 7, 20, 2, 8};
  const Additive rule = draw(sizes, false, 0).rule;
  Tensor<double, 3> queries = Tensor<double, 3>::from_shape({4, 5, 20});
  Tensor<double, 3> keys = Tensor<double, 3>::from_shape({4, 7, 2});
  std::vector<Example> alone;
  for (std::size_t b = 0; b < 4; ++b) {
    alone.push_back(draw(sizes, false, 50 + b));
    std::copy(alone[b].queries.begin(), alone[b].queries.end(), queries.data() + b * 100);
    std::copy(alone[b].keys.begin(), alone[b].keys.end(), keys.data() + b * 14);
  }
  const Tensor<double, 3> weights = attn::masked_softmax(scores(ScoreRule{rule}, queries, keys).value()).value();
  double by_example = 0;
  double by_pair = 0;
  for (std::size_t b = 0; b < 4; ++b) {
    const Tensor<double, 3> one = attn::masked_softmax(scores(ScoreRule{rule}, alone[b].queries, alone[b].keys).value()).value();
    for (std::size_t q = 0; q < 5; ++q) {
      std::vector<double> row(7), softmax(7);
      for (std::size_t k = 0; k < 7; ++k) {
        for (std::size_t j = 0; j < 8; ++j) {
          double argument = 0;
          for (std::size_t a = 0; a < 20; ++a) argument += rule.query_map(j, a) * queries(b, q, a);
          for (std::size_t a = 0; a < 2; ++a) argument += rule.key_map(j, a) * keys(b, k, a);
          row[k] += rule.score_vector(j) * math::tanh(argument);
        }
      }
      softmax_row(row, softmax);
      for (std::size_t k = 0; k < 7; ++k) {
        by_example = std::max(by_example, std::fabs(weights(b, q, k) - one(0, q, k)));
        by_pair = std::max(by_pair, std::fabs(weights(b, q, k) - softmax[k]));
      }
    }
  }
  proof.require(by_example == 0, "a batch of four gives the bits of each example alone");
  proof.within("one pair at a time, sums in another order", by_pair, 0, 1e-15);
  return proof.finding();
}

}  // namespace

std::vector<Claim> additive_claims() {
  std::vector<Claim> claims{
      {"printed-jax", "With JAX’s draws from seed 0 all eighteen printed weights come out digit for digit.", proof(printed_jax)},
      {"printed-torch", "With PyTorch’s draws from seed 0 all eighteen come out to the four decimals it prints.", proof(printed_torch)},
      {"widths", "No dot product pairs twenty numbers with two; the additive rule scores them.", proof(widths)},
      {"shift", "A query slides a unit’s curve sideways; without the tanh it only lifts or lowers a straight line.", proof(shift)},
      {"identity", "Without the tanh a query adds the same to every key’s score, and the weights of all queries are equal.", proof(identity)},
      {"cube", "As ε shrinks, the largest difference between two queries’ weights falls as ε³.", proof(cube)},
      {"mixed-terms", "The part in ε³ comes from two terms of the cube alone, u²t and ut², with u the query’s part of the sum and t the key’s.", proof(mixed_terms)},
      {"first-order", "The weights themselves leave 1/m in proportion to ε, through the keys alone.", proof(first_order)},
      {"thousandth", "Once ε is small, maps a tenth as large leave a thousandth of the difference.", proof(thousandth)},
      {"at-one", "At ε = 1 the section’s rows differ by at most 0.062 in JAX and 0.066 in PyTorch, and the law ε³ does not hold there yet.", proof(at_one)},
      {"argument-variance", "At ε = 1 the sum inside the tanh has variance 2, one from the query and one from the key.", proof(argument_variance)},
      {"bounded", "However large the maps, no score exceeds the sum of the |w_v|.", proof(bounded)},
      {"batched", "A batch of examples gets the weights that each example gets alone.", proof(batched)},
  };
  for (Claim& claim : additive_cost_claims()) claims.push_back(std::move(claim));
  return claims;
}

}  // namespace attn::studies

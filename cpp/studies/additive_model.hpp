// The section's additive example in any size: draws, the rule with its maps multiplied by epsilon, and what its weights do as
// epsilon shrinks. Not a trained model, and not the printed digits: those are the frameworks' roundings (attn/chains.hpp).
//   a(q, k) = w_v . tanh(eps W_q q + eps W_k k),   W_q, W_k, w_v normal over sqrt of d_q, d_k, h
// Source: Dive into Deep Learning, section 10.2.4, equation 10.2.7 and exercise 11.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "attn/chains.hpp"
#include "attn/score.hpp"

namespace attn::studies::additive_model {

struct Sizes {
  std::size_t queries = 3, keys = 6, query_width = 20, key_width = 2, hidden = 8;
  friend constexpr bool operator==(const Sizes&, const Sizes&) = default;
};

struct Example {
  Sizes sizes;
  bool torch = false;
  std::array<std::vector<float>, 5> draws;  ///< queries, keys, W_q, W_k, w_v as drawn, the last three before their division
  Tensor<double, 3> queries;                ///< (1, n, d_q)
  Tensor<double, 3> keys;                   ///< (1, m, d_k)
  Additive rule;                            ///< at epsilon 1, with the tanh
};

/// JAX: the five normals of split(key(seed), 5). PyTorch: five calls of randn after manual_seed(seed).
[[nodiscard]] Example draw(const Sizes& sizes, bool torch, std::uint64_t seed);

/// The rule with W_q and W_k multiplied by epsilon.
[[nodiscard]] Additive scaled(const Additive& rule, double epsilon, Activation activation);

[[nodiscard]] Tensor<double, 3> scores_of(const Example& example, double epsilon, Activation activation);
[[nodiscard]] Tensor<double, 3> weights_of(const Example& example, double epsilon, Activation activation);

/// The largest difference of two queries' weights at one key, over all keys and pairs of queries.
[[nodiscard]] double row_difference(const Tensor<double, 3>& weights);

/// What the row difference tends to, divided by eps^3, as eps goes to 0: see the derivation in additive_model.cpp.
[[nodiscard]] double leading_coefficient(const Example& example);

/// The factors of the measured curve: 1, 2, 3 and 5 in every decade from 0.001 to 10.
[[nodiscard]] const std::vector<double>& epsilons();

/// The factors that the figure's slope is fitted over, from the least to the greatest.
inline constexpr std::array<double, 2> fit_range{0.001, 0.1};

/// Least squares of ln y on ln x over the points with low <= x <= high; NaN when an ordinate is not positive.
[[nodiscard]] double fitted_slope(const std::vector<double>& x, const std::vector<double>& y, double low, double high);

/// Whether these are the sizes of the section, whose digits the frameworks' chains make.
[[nodiscard]] bool printable(const Example& example);

/// The weights as the framework prints them for the section's sizes at epsilon 1.
[[nodiscard]] std::vector<std::string> printed_weights(const Example& example);

}  // namespace attn::studies::additive_model

// How spread a row of weights is, and how much of a gradient its softmax lets through.
// entropy H = -sum w ln w (nats, 0 ln 0 = 0); Jacobian J = diag(w) - w w^T; |J|_F its Frobenius norm.
// A NaN weight gives NaN. Weights are taken as given: they should be non-negative and sum to one.
// Source: Dive into Deep Learning, section 10.2.1.1, equation 10.2.4.
#pragma once

#include <span>

#include "attn/tensor.hpp"

namespace attn {

/// Nats in one bit, ln 2: entropy in bits = entropy in nats / nats_per_bit.
inline constexpr double nats_per_bit = 0.693147180559945309417232121458;

/// Entropy of one row of weights in nats, at least +0 for weights in [0, 1].
[[nodiscard]] double entropy(std::span<const double> weights);

/// Entropy in nats of every row: weights (batch, queries, keys) to (batch, queries).
template <class T>
[[nodiscard]] Tensor<double, 2> entropy(const Tensor<T, 3>& weights);

/// The softmax Jacobian d weights / d scores = diag(w) - w w^T, shape (keys, keys), symmetric; its rows sum to zero.
/// The diagonal is w_i times the sum of the other weights, for a row that sums to one, so that no digit is lost near a one-hot row.
/// Errors: too_large.
[[nodiscard]] Result<Tensor<double, 2>> softmax_jacobian(std::span<const double> weights);

/// Frobenius norm of the softmax Jacobian in O(keys), from the weights alone.
/// The textbook form sum w^2 - 2 sum w^3 + (sum w^2)^2 cancels near one-hot rows; this one adds only non-negative terms:
/// sum w_i^2 (1 - w_i)^2 + 2 sum_{i<j} w_i^2 w_j^2, with 1 - w_i taken as the sum of the other weights.
[[nodiscard]] double jacobian_norm(std::span<const double> weights);

/// Sample variance of a row of scores about its mean (divides by keys - 1); NaN for fewer than two scores.
[[nodiscard]] double score_variance(std::span<const double> scores);

extern template Tensor<double, 2> entropy(const Tensor<float, 3>&);
extern template Tensor<double, 2> entropy(const Tensor<double, 3>&);

}  // namespace attn

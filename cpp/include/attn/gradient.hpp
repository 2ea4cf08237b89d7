// Backward passes, as vector-Jacobian products: given the gradient of a loss with respect to a result, its gradient with respect
// to everything the result was made of. In double alone; a float tensor widens exactly. Not an automatic differentiation.
//
//   softmax    ds_j = w_j (g_j - sum_l w_l g_l), that is diag(w) - w w^T applied to g (equation 10.2.4)
//   attention  dV = U^T dO with U the weights after dropout; g = dO V^T; ds_j = u_j g_j - w_j sum_l u_l g_l, then the rule's own
//   scores     see cpp/src/gradient.cpp, a line a rule
//
// An upstream entry, or a weight, of exactly 0 reads nothing: what stands behind a mask, NaN included, reaches no gradient, and
// an empty row gives zeros. Where a rule has no derivative (Cosine at a zero vector) the gradient is 0. Sums in the order of the
// forward pass, the same bits on every target.
// tests/cpp/gradient_test.cpp compares every product with central differences: relative error at most 1e-6 of the largest entry.
#pragma once

#include "attn/error.hpp"
#include "attn/pooling.hpp"
#include "attn/score.hpp"
#include "attn/tensor.hpp"

namespace attn {

struct ScoreGradient {
  Tensor<double, 3> queries;  ///< (batch, n, d_q)
  Tensor<double, 3> keys;     ///< (batch, m, d_k)
  ScoreRule parameters;       ///< the same rule with gradients in its tensors' places; no more than its name where it has none
};

/// Gradients of sum(upstream * scores(rule, queries, keys)).
/// @param upstream  (batch, n, m)
/// Errors: those of scores; wrong_shape on "upstream".
[[nodiscard]] Result<ScoreGradient> scores_vjp(const ScoreRule& rule, const Tensor<double, 3>& queries, const Tensor<double, 3>& keys,
                                               const Tensor<double, 3>& upstream);

/// Gradient of sum(upstream * masked_softmax(scores, mask)) with respect to the scores, from the weights alone: a masked key has
/// weight 0 and gradient 0.
/// Errors: wrong_shape on "upstream".
[[nodiscard]] Result<Tensor<double, 3>> masked_softmax_vjp(const Tensor<double, 3>& weights, const Tensor<double, 3>& upstream);

struct AttentionGradient {
  Tensor<double, 3> queries;
  Tensor<double, 3> keys;
  Tensor<double, 3> values;
  ScoreRule parameters;
};

/// Gradients of sum(upstream * output) of the attention that `forward` came from, with the mask and the tosses it had.
/// @param forward   what attention() returned for these operands
/// @param upstream  (batch, n, v), the gradient with respect to the output
/// Errors: those of scores; wrong_shape on "values", "forward" or "upstream".
[[nodiscard]] Result<AttentionGradient> attention_vjp(const ScoreRule& rule, const Tensor<double, 3>& queries,
                                                      const Tensor<double, 3>& keys, const Tensor<double, 3>& values,
                                                      const Attention<double>& forward, const Tensor<double, 3>& upstream);

}  // namespace attn

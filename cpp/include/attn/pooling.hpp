// Attention pooling: scores, masked softmax, dropout, and the weighted sum of the values.
//   weights = masked_softmax(a(q, k)), output = dropout(weights) V
// queries (batch, n, d_q), keys (batch, m, d_k) and values (batch, m, v) give an output (batch, n, v); v is a width of its own.
// Not a layer with projections or heads, and not the saturation experiment of attention.hpp.
// Meanings: a weight of exactly 0 reads no value, so that a masked or dropped key's value never reaches the output, NaN and
// infinity included, and a masked key's own entries leave no trace either. A query without any key has weights and output 0, and
// so has every query when there are no keys. A NaN in an allowed score, or in a value of positive weight, makes NaN.
// Arithmetic: double from the first product to the last sum, keys in order, one rounding at the end for floats; the output is
// made of the unrounded weights. The same bits on every target.
// Source: Dive into Deep Learning, section 10.2.3.2 (DotProductAttention), equations 10.2.6 and 10.2.7.
#pragma once

#include "attn/dropout.hpp"
#include "attn/error.hpp"
#include "attn/mask.hpp"
#include "attn/mask_expr.hpp"
#include "attn/mask_view.hpp"
#include "attn/score.hpp"
#include "attn/tensor.hpp"

namespace attn {

template <class T>
struct Attention {
  Tensor<T, 3> output;          ///< (batch, n, v)
  Tensor<T, 3> weights;         ///< (batch, n, m), before dropout
  Tensor<T, 3> pooled_weights;  ///< (batch, n, m), after dropout: what the values were summed with. The weights in evaluation.
};

/// Attention under any scoring rule.
/// Errors: those of scores (score.hpp), masked_softmax (softmax.hpp) and apply_dropout (dropout.hpp); wrong_shape on "values"
/// (another batch, or another number of rows than keys), too_large.
template <class T>
[[nodiscard]] Result<Attention<T>> attention(const ScoreRule& rule, const Tensor<T, 3>& queries, const Tensor<T, 3>& keys,
                                             const Tensor<T, 3>& values, const MaskView& mask = {}, const Dropout& dropout = {});

/// The section's DotProductAttention: attention under the scaled dot product.
template <class T>
[[nodiscard]] Result<Attention<T>> dot_product_attention(const Tensor<T, 3>& queries, const Tensor<T, 3>& keys, const Tensor<T, 3>& values,
                                                         const MaskView& mask = {}, const Dropout& dropout = {}) {
  return attention<T>(ScaledDot{}, queries, keys, values, mask, dropout);
}

/// Attention under the additive rule; widths of queries and keys may differ.
template <class T>
[[nodiscard]] Result<Attention<T>> additive_attention(const Additive& parameters, const Tensor<T, 3>& queries, const Tensor<T, 3>& keys,
                                                      const Tensor<T, 3>& values, const MaskView& mask = {}, const Dropout& dropout = {}) {
  return attention<T>(parameters, queries, keys, values, mask, dropout);
}

/// The weighted sum alone: weights (batch, n, m) and values (batch, m, v) to (batch, n, v); a weight of 0 reads no value.
/// Errors: wrong_shape on "values", too_large.
template <class T>
[[nodiscard]] Result<Tensor<T, 3>> pool(const Tensor<T, 3>& weights, const Tensor<T, 3>& values);

extern template Result<Attention<float>> attention(const ScoreRule&, const Tensor<float, 3>&, const Tensor<float, 3>&,
                                                   const Tensor<float, 3>&, const MaskView&, const Dropout&);
extern template Result<Attention<double>> attention(const ScoreRule&, const Tensor<double, 3>&, const Tensor<double, 3>&,
                                                    const Tensor<double, 3>&, const MaskView&, const Dropout&);
extern template Result<Tensor<float, 3>> pool(const Tensor<float, 3>&, const Tensor<float, 3>&);
extern template Result<Tensor<double, 3>> pool(const Tensor<double, 3>&, const Tensor<double, 3>&);

}  // namespace attn

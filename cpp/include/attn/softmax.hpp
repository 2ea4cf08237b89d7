// Masked softmax over the last axis: weights_j = exp(score_j - max) / sum over the allowed keys, and exactly +0 elsewhere.
// Meanings: a masked weight is +0 whatever its score, NaN and infinity included. A row without an allowed key is all zeros.
// NaN among the allowed scores makes the allowed weights of that row NaN. +infinity is the limit: the infinite scores share
// all weight. -infinity is a score like any other and weighs 0; a row whose allowed scores are all -infinity has no key.
// Arithmetic: double precision throughout (also for float scores), keys in order, one rounding at the end; the same bits
// on every target. Source: Dive into Deep Learning, sections 10.1 and 10.2.2.1.
#pragma once

#include <span>

#include "attn/dtype.hpp"
#include "attn/key_spans.hpp"
#include "attn/mask.hpp"
#include "attn/mask_expr.hpp"
#include "attn/tensor.hpp"

namespace attn {

/// Softmax of every row, nothing masked.
/// @param scores  (batch, queries, keys), float or double
/// @return weights of the same shape and type, each row with a finite or +infinite score summing to one
template <class T>
[[nodiscard]] Result<Tensor<T, 3>> masked_softmax(const Tensor<T, 3>& scores);

/// Softmax of every row over its first `valid_lens` keys.
/// Errors: wrong_shape (valid_lens is not (batch) or (batch, queries) of the scores), out_of_range (a length beyond the keys).
template <class T>
[[nodiscard]] Result<Tensor<T, 3>> masked_softmax(const Tensor<T, 3>& scores, const ValidLens& valid_lens);

/// Softmax of every row over the keys that `mask` allows; the mask broadcasts to the scores.
/// Errors: wrong_shape (the mask does not broadcast to the scores).
template <class T>
[[nodiscard]] Result<Tensor<T, 3>> masked_softmax(const Tensor<T, 3>& scores, const Mask& mask);

/// Softmax of every row over the keys that a mask expression allows; heads are a fourth axis, or there is one.
/// Errors: wrong_shape (the mask is bound to other sizes than the scores have).
template <class T>
[[nodiscard]] Result<Tensor<T, 3>> masked_softmax(const Tensor<T, 3>& scores, const BoundMask& mask);
template <class T>
[[nodiscard]] Result<Tensor<T, 4>> masked_softmax(const Tensor<T, 4>& scores, const BoundMask& mask);

/// Softmax of every row over the keys of spans of the caller's own.
/// Errors: those of its check.
template <class T>
[[nodiscard]] Result<Tensor<T, 3>> masked_softmax(const Tensor<T, 3>& scores, const KeySpans& mask);
template <class T>
[[nodiscard]] Result<Tensor<T, 4>> masked_softmax(const Tensor<T, 4>& scores, const KeySpans& mask);

/// An additive mask: values of a format, (batch, heads, queries, keys) with axes of size 1 broadcast.
/// A value at or below the format's lowest finite one (the lowest itself, a sum of two, -infinity) excludes the key, which then
/// weighs exactly +0 even when the whole row is excluded. Every other value is added to the score: a float mask of 0 and 1 adds 1.
struct Bias {
  Tensor<float, 4> values;
  Dtype dtype = Dtype::float32;
};

/// Softmax of the sums of scores and bias, over the keys that the bias does not exclude.
/// Errors: wrong_shape (the bias does not broadcast to the scores); out_of_range (a bias of float64: no float holds its lowest value).
template <class T>
[[nodiscard]] Result<Tensor<T, 4>> masked_softmax(const Tensor<T, 4>& scores, const Bias& bias);

/// One row, all keys allowed: writes `weights` (same length as `scores`). Doubles in, doubles out.
void softmax_row(std::span<const double> scores, std::span<double> weights);

extern template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&, const BoundMask&);
extern template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&, const BoundMask&);
extern template Result<Tensor<float, 4>> masked_softmax(const Tensor<float, 4>&, const BoundMask&);
extern template Result<Tensor<double, 4>> masked_softmax(const Tensor<double, 4>&, const BoundMask&);
extern template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&, const KeySpans&);
extern template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&, const KeySpans&);
extern template Result<Tensor<float, 4>> masked_softmax(const Tensor<float, 4>&, const KeySpans&);
extern template Result<Tensor<double, 4>> masked_softmax(const Tensor<double, 4>&, const KeySpans&);
extern template Result<Tensor<float, 4>> masked_softmax(const Tensor<float, 4>&, const Bias&);
extern template Result<Tensor<double, 4>> masked_softmax(const Tensor<double, 4>&, const Bias&);
extern template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&);
extern template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&);
extern template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&, const ValidLens&);
extern template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&, const ValidLens&);
extern template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&, const Mask&);
extern template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&, const Mask&);

}  // namespace attn

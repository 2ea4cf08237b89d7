// Scoring rules a(q, k): how well a query fits a key, for all pairs of a batch. A rule is a value with its parameters;
// queries (batch, n, d_q) and keys (batch, m, d_k) give scores (batch, n, m). Not the weights: see softmax.hpp.
//
//   Dot        q . k                                       d_q = d_k
//   ScaledDot  q . k / sqrt(d)                             d_q = d_k = d
//   Gaussian   (q . k - |k|^2 / 2 - |q|^2 / 2) / c         d_q = d_k = d, c = 1 or sqrt(d); without the last term on request
//   Bilinear   q^T M k                                     M (d_q, d_k)
//   LowRank    (q^T A) . (B^T k) / c                       A (d_q, r), B (d_k, r), c = 1 or sqrt(r)
//   Additive   w_v . tanh(W_q q + W_k k)                   W_q (h, d_q), W_k (h, d_k), w_v (h); or the identity for tanh
//   Cosine     q . k / (|q| |k|)                           d_q = d_k
//
// The Gaussian is one batched product and a broadcast of the norms; no rule makes a (batch, n, m, d) or (batch, n, m, h) tensor.
// Arithmetic: double throughout (floats are widened, parameters are doubles), inner products in the order of eight partial
// sums, one rounding at the end for floats; the same bits on every target. Non-finite entries pass through by IEEE rules.
// Where nothing is left to compute: d = 0 gives scores 0 (for ScaledDot too, where frameworks divide 0 by 0), zero hidden units
// give 0, zero queries, zero keys and empty batches give tensors without elements. The cosine with a zero vector is 0.
// Sources: Dive into Deep Learning, section 10.2.1, equations 10.2.1 and 10.2.2; section 10.2.3.2 and exercise 9 (M and its
// factors); equation 10.2.7; Vaswani et al. 2017, section 3.2.1; Bahdanau et al. 2015, appendix A.1.2.
#pragma once

#include <variant>

#include "attn/error.hpp"
#include "attn/tensor.hpp"

namespace attn {

struct Dot {};

struct ScaledDot {};

struct Gaussian {
  bool scaled = false;     ///< divide every term by sqrt(d)
  bool query_norm = true;  ///< keep -|q|^2 / 2, which no softmax over keys sees
};

struct Bilinear {
  Tensor<double, 2> matrix;  ///< (d_q, d_k)
  bool keys_first = false;   ///< Q (M K^T) instead of (Q M) K^T: the same but for rounding, cheaper when 1/n + 1/d_k < 1/m + 1/d_q
};

struct LowRank {
  Tensor<double, 2> query_map;  ///< A (d_q, r)
  Tensor<double, 2> key_map;    ///< B (d_k, r); stands for Bilinear with M = A B^T
  bool scaled = false;          ///< divide by sqrt(r)
};

enum class Activation { tanh, identity };

struct Additive {
  Tensor<double, 2> query_map;     ///< W_q (h, d_q)
  Tensor<double, 2> key_map;       ///< W_k (h, d_k)
  Tensor<double, 1> score_vector;  ///< w_v (h)
  Activation activation = Activation::tanh;
};

/// Vectors are divided by their length first, so no norm overflows or underflows.
struct Cosine {};

using ScoreRule = std::variant<Dot, ScaledDot, Gaussian, Bilinear, LowRank, Additive, Cosine>;

/// Scores of every query with every key of its example.
/// @param queries  (batch, n, d_q)
/// @param keys     (batch, m, d_k)
/// @return (batch, n, m)
/// Errors: wrong_shape naming both shapes and the axis (param "keys", or a parameter: "matrix", "query_map", "key_map",
/// "score_vector"), out_of_range (a rank below 1), too_large (operands or scores, counted as doubles).
template <class T>
[[nodiscard]] Result<Tensor<T, 3>> scores(const ScoreRule& rule, const Tensor<T, 3>& queries, const Tensor<T, 3>& keys);

extern template Result<Tensor<float, 3>> scores(const ScoreRule&, const Tensor<float, 3>&, const Tensor<float, 3>&);
extern template Result<Tensor<double, 3>> scores(const ScoreRule&, const Tensor<double, 3>&, const Tensor<double, 3>&);

}  // namespace attn

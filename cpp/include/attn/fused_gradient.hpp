// Backward pass of fused attention (fused.hpp): from the forward's output and log normaliser, the weights are made again tile by tile,
// so that no matrix of queries x keys is held here either. Scaled dot products, float32; attention_vjp of gradient.hpp is the same in
// double, for any rule, from weights that are kept.
//   D_i = dO_i . O_i;  P_ij = exp(s_ij - log_normalizer_i);  G_ij = P_ij (dO_i . v_j - D_i)
//   dV_j = sum_i P_ij dO_i;  dQ_i = sum_j G_ij k_j / sqrt(d);  dK_j = sum_i G_ij q_i / sqrt(d)
// Masks save the same tiles as in the forward pass. A query without keys has gradient 0, a key that no query may see has gradient +0
// whatever stands there, and NaN, infinities and entries beyond 2^30 reach what they reach in attention_vjp: such rows are computed
// apart, in double, and what they give to a key or value is summed in double too and becomes a float once. Only heads with
// such a row take the memory of these sums, 8 (d + v) bytes a key.
// Exactness: the same bits at every call on one machine. From the double form an entry is at most 2^-21 (1 + s + ln m) of the sum of the
// sizes of its terms away, with s, and for operands as they come, as in fused.hpp (tests/cpp/fused_bound_test.cpp). With a_i = sum_c |dO_ic| max_j |v_jc| those sums are
//   sum_i P_ij |dO_i| for dV_j;  sum_j P_ij a_i |k_j| / sqrt(d) for dQ_i;  sum_i P_ij a_i |q_i| / sqrt(d) for dK_j
// so that entries in which terms cancel keep fewer digits; a weight below 2^-126 of the largest of its row counts as none. Where there is one key in all, dQ and dK are exactly 0. A log normaliser
// beyond 16 is made again as well, since a float of that size would blur every weight of its row.
// Source: Dao et al. 2022 (FlashAttention), appendix B.4 and algorithm 4.
#pragma once

#include "attn/error.hpp"
#include "attn/fused.hpp"
#include "attn/tensor.hpp"
#include "attn/view.hpp"

namespace attn {

struct FusedGradient {
  Tensor<float, 4> queries;  ///< (batch, heads, n, d)
  Tensor<float, 4> keys;     ///< (batch, heads, m, d)
  Tensor<float, 4> values;   ///< (batch, heads, m, v)
  FusedTiles tiles;          ///< of all heads together, as the forward pass counts them
};

/// Gradients of sum(upstream * output).
/// @param output, log_normalizer  what fused_attention returned for these operands and this mask
/// @param upstream                (batch, heads, n, v), the gradient with respect to the output
/// Errors: those of fused_attention; wrong_shape on "output", "log_normalizer", "upstream".
[[nodiscard]] Result<FusedGradient> fused_gradient(const Tensor<float, 4>& queries, const Tensor<float, 4>& keys, const Tensor<float, 4>& values,
                                                   const Tensor<float, 4>& output, const Tensor<float, 3>& log_normalizer,
                                                   const Tensor<float, 4>& upstream, const MaskView& mask = {});

struct FusedOperands {
  View<const float, 4> queries, keys, values;
};
struct FusedResults {
  View<const float, 4> output;
  View<const float, 3> log_normalizer;
};
struct FusedGradientViews {
  View<float, 4> queries, keys, values;
};

/// The same into memory of the caller's, none of which may overlap. Memory beyond it: fused_gradient_bytes of
/// fused_count.hpp.
/// Errors: as above, and wrong_shape on "gradient".
[[nodiscard]] Result<FusedTiles> fused_gradient_into(const FusedOperands& operands, const FusedResults& forward, const View<const float, 4>& upstream,
                                                     const MaskView& mask, const FusedGradientViews& gradient);

}  // namespace attn

// Attention forward that also returns the weights: for figures, and for whoever reads attention itself. Scores are computed once; the
// weights (batch, heads, n, m) are the only thing of that size. Otherwise fused attention (fused.hpp), with its meanings, its
// exactness and its savings: a weight behind a mask is exactly +0, and a row without keys is zeros.
#pragma once

#include "attn/error.hpp"
#include "attn/fused.hpp"
#include "attn/tensor.hpp"
#include "attn/view.hpp"

namespace attn {

struct FusedWeights {
  Tensor<float, 4> output;          ///< (batch, heads, n, v)
  Tensor<float, 4> weights;         ///< (batch, heads, n, m)
  Tensor<float, 3> log_normalizer;  ///< (batch, heads, n), as in FusedAttention
  FusedTiles tiles;
};

/// Errors: those of fused_attention; too_large on "weights".
[[nodiscard]] Result<FusedWeights> fused_weights(const Tensor<float, 4>& queries, const Tensor<float, 4>& keys, const Tensor<float, 4>& values,
                                                 const MaskView& mask = {}, FusedRows rows = {});

/// The same into memory of the caller's, none of which may overlap; log_normalizer may be null. Memory beyond these: scores of at most
/// 32 queries.
/// Errors: as above, and wrong_shape on "output" and "weights".
[[nodiscard]] Result<FusedTiles> fused_weights_into(const View<const float, 4>& queries, const View<const float, 4>& keys, const View<const float, 4>& values,
                                                    const MaskView& mask, FusedRows rows, const View<float, 4>& output, const View<float, 4>& weights,
                                                    float* log_normalizer);

}  // namespace attn

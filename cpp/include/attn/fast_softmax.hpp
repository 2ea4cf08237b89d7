// Masked softmax in float32, as fast as the machine allows: weights_j = exp(score_j - max) / sum over the allowed keys, +0 elsewhere.
// The meanings are those of softmax.hpp, which computes in double and is what the tests compare with; there the bits are the same on
// every machine, here a weight is off by at most 2^-22 (2 + t) of itself, t how far its score lies below the largest, however many keys there are
// (tests/cpp/fast_softmax_test.cpp); weights below 2^-126 of the largest may be +0.
#pragma once

#include <optional>

#include "attn/error.hpp"
#include "attn/pooling.hpp"
#include "attn/tensor.hpp"
#include "attn/view.hpp"

namespace attn {

/// @param scores  (batch, n, m)
/// @param mask    none, valid lengths, a boolean mask that broadcasts to the scores, or an expression bound to (batch, 1, n, m)
/// Errors: wrong_shape on "mask", those of ValidLens::check.
[[nodiscard]] Result<Tensor<float, 3>> fast_masked_softmax(const Tensor<float, 3>& scores, const MaskView& mask = {});

/// The same of (batch, heads, n, m) into memory of the caller's: that of the scores itself, or none of it.
/// Errors: as above, and wrong_shape on "output".
[[nodiscard]] std::optional<Error> fast_masked_softmax_into(const View<const float, 4>& scores, const MaskView& mask, const View<float, 4>& weights);

}  // namespace attn

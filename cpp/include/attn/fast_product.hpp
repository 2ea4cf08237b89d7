// Batched matrix products in float32, as fast as the machine allows: BMM(A, B), or BMM(A, B^T) without a transposed copy of B. The
// meanings and the rule of shapes are those of matmul.hpp, which computes in double and is what the tests compare with. Terms are added
// in the order of k, each with one rounding where the machine fuses multiply and add, in blocks of 512 whose sums are then added.
#pragma once

#include <optional>

#include "attn/error.hpp"
#include "attn/tensor.hpp"
#include "attn/view.hpp"

namespace attn {

/// @param a  (batch, n, k)
/// @param b  (batch, k, m), or (batch, m, k) when `transpose_b`
/// @return (batch, n, m); zeros for k = 0
/// Errors: wrong_shape on "b", naming both shapes and the axis; too_large.
[[nodiscard]] Result<Tensor<float, 3>> fast_batch_matmul(const Tensor<float, 3>& a, const Tensor<float, 3>& b, bool transpose_b = false);

/// The same into memory of the caller's, which may overlap neither. Errors: as above, and wrong_shape on "output".
[[nodiscard]] std::optional<Error> fast_batch_matmul_into(const View<const float, 3>& a, const View<const float, 3>& b, bool transpose_b, const View<float, 3>& out);

}  // namespace attn

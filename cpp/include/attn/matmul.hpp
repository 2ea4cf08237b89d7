// Batched matrix multiplication: BMM(A, B) = [A_1 B_1, ..., A_n B_n], one product an example.
// The shape rule is the one of torch.bmm and jax.lax.batch_matmul: (batch, n, k) x (batch, k, m) -> (batch, n, m); nothing
// broadcasts. Arithmetic: double throughout (also for floats), terms in order of k, one rounding at the end, plain IEEE: unlike
// the weighted sums of attn/pooling.hpp, 0 times NaN is NaN here, as in the frameworks.
// k = 0 is an empty sum: zeros. An empty batch gives an empty result.
// Source: Dive into Deep Learning, section 10.2.3.1, equation 10.2.5.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "attn/error.hpp"
#include "attn/tensor.hpp"

namespace attn {

using Shape3 = std::array<std::size_t, 3>;

/// The shape of the product, without multiplying: (2, 3, 4) x (2, 4, 6) is (2, 3, 6).
/// Errors: wrong_shape on "b", naming both shapes and the axis and ending with what PyTorch says; too_large.
[[nodiscard]] Result<Shape3> batch_matmul_shape(const Shape3& a, const Shape3& b);

/// The product. Errors: those of batch_matmul_shape.
template <class T>
[[nodiscard]] Result<Tensor<T, 3>> batch_matmul(const Tensor<T, 3>& a, const Tensor<T, 3>& b);

/// What torch.bmm says of shapes that do not fit, word for word (PyTorch 1.13); empty for shapes that do.
[[nodiscard]] std::string torch_bmm_message(const Shape3& a, const Shape3& b);

extern template Result<Tensor<float, 3>> batch_matmul(const Tensor<float, 3>&, const Tensor<float, 3>&);
extern template Result<Tensor<double, 3>> batch_matmul(const Tensor<double, 3>&, const Tensor<double, 3>&);

}  // namespace attn

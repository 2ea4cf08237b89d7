// Products of double matrices in a fixed order of summation, and the complaint about shapes that do not fit: what matmul,
// scores, pooling and gradients share. Private to the library; not SIMD.
//
// Inner products run along a row of each operand: eight partial sums by i mod 8, then ((s0 + s4) + (s2 + s6)) + ((s1 + s5) +
// (s3 + s7)), the order of kernels/dot.hpp. Weighted sums of rows add row after row, in order. In weighted sums a weight of
// exactly 0 reads nothing, so that NaN and infinity behind a mask leave no trace: 0 times anything is 0 there.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "attn/error.hpp"
#include "attn/tensor.hpp"

namespace attn::products {

using Matrix = Tensor<double, 2>;
using Batch = Tensor<double, 3>;

/// sum of term(i) for i < n, in the order told above.
template <class Term>
double ordered_sum(std::size_t n, Term term) {
  std::array<double, 8> s{};
  const std::size_t whole = n - n % 8;
  for (std::size_t i = 0; i < whole; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) s[j] += term(i + j);
  }
  for (std::size_t i = whole; i < n; ++i) s[i - whole] += term(i);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

inline double dot(const double* a, const double* b, std::size_t n) {
  return ordered_sum(n, [=](std::size_t i) { return a[i] * b[i]; });
}

/// X Y^T of each example: (batch, n, c) and (batch, m, c) to (batch, n, m).
Batch inner(const Batch& x, const Batch& y);
/// X M: (batch, n, a) and (a, c) to (batch, n, c).
Batch times(const Batch& x, const Matrix& m);
/// X M^T: (batch, n, a) and (c, a) to (batch, n, c).
Batch times_transposed(const Batch& x, const Matrix& m);
/// W Y of each example, zero weights reading nothing: (batch, n, m) and (batch, m, c) to (batch, n, c).
Batch weighted(const Batch& weights, const Batch& y);
/// W^T X of each example, zero weights reading nothing: (batch, n, m) and (batch, n, c) to (batch, m, c).
Batch weighted_transposed(const Batch& weights, const Batch& x);
/// Sum over examples and rows of x_row d_row^T: (batch, n, a) and (batch, n, c) to (a, c). A row that is all 0 on one
/// side reads nothing of the other.
Matrix outer(const Batch& x, const Batch& d);

/// A copy in double, or the tensor itself.
inline const Batch& widened(const Batch& tensor) { return tensor; }
Batch widened(const Tensor<float, 3>& tensor);

/// Rounded once to T.
template <class T>
Tensor<T, 3> rounded(Batch&& tensor);

/// A tensor under the name that messages give it.
struct Named {
  const char* name;
  std::span<const std::size_t> shape;
};

/// "keys: shape (2, 6, 2) does not fit queries of shape (2, 3, 20); axis 2 (width) is 2, allowed is 20": nothing when the axes
/// are equal. `axis_name` describes the axis of `own`.
std::optional<Error> misfit(const Named& own, std::size_t axis, const char* axis_name, const Named& other, std::size_t other_axis);

/// Nothing when a tensor of doubles of this shape may be allocated.
std::optional<Error> too_large(const Named& tensor);

}  // namespace attn::products

// Rows of weights for the plate of the softmax Jacobian, and its Jacobian by forward differentiation: a second way to
// diag(w) - w w^T that knows the softmax alone. Not an automatic differentiation library: one function, one rule an operation.
//   dual numbers (x, x'): exp(x)' = exp(x) x', (x / y)' = (x' y - x y') / y^2
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

/// Frobenius norm of the softmax Jacobian of a row even over k keys, sqrt(k - 1) / k; k is a real from 1 here.
[[nodiscard]] double even_norm(double k);

/// Random rows: softmax of s times normal scores, ln s uniform between ln 0.1 and ln 20, so that rows lie from nearly even to
/// nearly one-hot. JAX: normals of key(seed), uniforms of fold_in(key(seed), 1). PyTorch: randn(samples, keys), rand(samples). Error: cancelled.
struct RandomRows {
  std::vector<double> sum_squares;  ///< sum of squared weights, a row
  std::vector<double> norms;        ///< Frobenius norm of the Jacobian, a row
};
[[nodiscard]] Result<RandomRows> random_rows(bool torch, std::uint64_t seed, std::size_t samples, std::size_t keys, const Workspace& workspace);

/// d softmax_i / d score_j at `scores`, row-major, by forward differentiation of the stable softmax, one score at a time.
[[nodiscard]] std::vector<double> forward_jacobian(std::span<const double> scores);

/// Eigenvalues of a symmetric matrix (n, n), ascending, by Jacobi's rotations (Golub and Van Loan, section 8.5); for small n.
[[nodiscard]] std::vector<double> symmetric_eigenvalues(std::vector<double> matrix, std::size_t n);

}  // namespace attn::studies

// What the tests of scores, pooling, dropout and gradients share: random tensors, plain triple loops, and messages of errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "attn/tensor.hpp"
#include "support.hpp"

namespace layers {

using Batch = attn::Tensor<double, 3>;
using Matrix = attn::Tensor<double, 2>;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double double_epsilon = std::numeric_limits<double>::epsilon();

inline Batch batch_of(std::size_t b, std::size_t n, std::size_t c, std::initializer_list<double> values) {
  Batch tensor = Batch::from_shape({b, n, c});
  std::copy(values.begin(), values.end(), tensor.data());
  return tensor;
}

inline Matrix random_matrix(support::Bits& bits, std::size_t rows, std::size_t columns) {
  Matrix matrix = Matrix::from_shape({rows, columns});
  for (double& entry : matrix) entry = bits.real(-1, 1);
  return matrix;
}

inline attn::Tensor<double, 1> random_vector(support::Bits& bits, std::size_t n) {
  attn::Tensor<double, 1> vector = attn::Tensor<double, 1>::from_shape({n});
  for (double& entry : vector) entry = bits.real(-1, 1);
  return vector;
}

inline Matrix identity(std::size_t n) {
  Matrix matrix = Matrix::from_shape({n, n});
  matrix.fill(0);
  for (std::size_t i = 0; i < n; ++i) matrix(i, i) = 1;
  return matrix;
}

/// A copy of another element type.
template <class To, class From>
attn::Tensor<To, 3> cast(const attn::Tensor<From, 3>& tensor) {
  attn::Tensor<To, 3> out = attn::Tensor<To, 3>::from_shape(tensor.shape());
  std::transform(tensor.data(), tensor.data() + tensor.size(), out.data(), [](From value) { return static_cast<To>(value); });
  return out;
}

/// The largest difference of two tensors of one shape; infinity when the shapes differ or an entry is NaN.
template <class A, class B>
double distance(const A& a, const B& b) {
  if (a.shape() != b.shape()) return inf;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::fabs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
    largest = difference <= largest ? largest : std::isnan(difference) ? inf : difference;
  }
  return largest;
}

template <class A>
double largest(const A& a) {
  double most = 0;
  for (const auto value : a) most = std::max(most, std::fabs(static_cast<double>(value)));
  return most;
}

/// Bits equal, with all NaNs the same.
template <class A>
bool same_bits(const A& a, const A& b) {
  return a.shape() == b.shape() && std::equal(a.data(), a.data() + a.size(), b.data(), [](auto x, auto y) {
           return support::same(static_cast<double>(x), static_cast<double>(y));
         });
}

inline bool all_plus_zero(const Batch& tensor) {
  return std::all_of(tensor.begin(), tensor.end(), [](double value) { return support::plus_zero(value); });
}

/// "param: message" of an expected error, or "no error".
template <class R>
std::string complaint(const R& result) {
  return result.ok() ? std::string("no error") : std::string(attn::name(result.error().code)).append(" ").append(result.error().param).append(" | ").append(result.error().message);
}

}  // namespace layers

// The loops of products.hpp: one row of the result at a time, the innermost loop over contiguous memory.
#include "products.hpp"

#include <algorithm>
#include <type_traits>

namespace attn::products {
namespace {

/// `to` += weight * `from`, n entries.
void add_row(double weight, const double* from, double* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] += weight * from[i];
}

bool all_zero(const double* row, std::size_t n) {
  return std::all_of(row, row + n, [](double value) { return value == 0; });
}

Batch zeros(std::size_t batch, std::size_t rows, std::size_t columns) {
  Batch tensor = Batch::from_shape({batch, rows, columns});
  tensor.fill(0);
  return tensor;
}

}  // namespace

Batch inner(const Batch& x, const Batch& y) {
  const auto [batch, n, c] = shape_of(x);
  const std::size_t m = y.shape()[1];
  Batch out = Batch::from_shape({batch, n, m});
  double* to = out.data();
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) *to++ = dot(x.data() + (b * n + i) * c, y.data() + (b * m + j) * c, c);
    }
  }
  return out;
}

Batch times(const Batch& x, const Matrix& m) {
  const auto [batch, n, a] = shape_of(x);
  const std::size_t c = m.shape()[1];
  Batch out = zeros(batch, n, c);
  for (std::size_t row = 0; row < batch * n; ++row) {
    for (std::size_t i = 0; i < a; ++i) add_row(x.data()[row * a + i], m.data() + i * c, out.data() + row * c, c);
  }
  return out;
}

Batch times_transposed(const Batch& x, const Matrix& m) {
  const auto [batch, n, a] = shape_of(x);
  const std::size_t c = m.shape()[0];
  Batch out = Batch::from_shape({batch, n, c});
  double* to = out.data();
  for (std::size_t row = 0; row < batch * n; ++row) {
    for (std::size_t j = 0; j < c; ++j) *to++ = dot(x.data() + row * a, m.data() + j * a, a);
  }
  return out;
}

Batch weighted(const Batch& weights, const Batch& y) {
  const auto [batch, n, m] = shape_of(weights);
  const std::size_t c = y.shape()[2];
  Batch out = zeros(batch, n, c);
  const double* weight = weights.data();
  for (std::size_t row = 0; row < batch * n; ++row) {
    for (std::size_t j = 0; j < m; ++j, ++weight) {
      if (*weight != 0) add_row(*weight, y.data() + (row / n * m + j) * c, out.data() + row * c, c);
    }
  }
  return out;
}

Batch weighted_transposed(const Batch& weights, const Batch& x) {
  const auto [batch, n, m] = shape_of(weights);
  const std::size_t c = x.shape()[2];
  Batch out = zeros(batch, m, c);
  const double* weight = weights.data();
  for (std::size_t row = 0; row < batch * n; ++row) {
    for (std::size_t j = 0; j < m; ++j, ++weight) {
      if (*weight != 0) add_row(*weight, x.data() + row * c, out.data() + (row / n * m + j) * c, c);
    }
  }
  return out;
}

Matrix outer(const Batch& x, const Batch& d) {
  const auto [batch, n, a] = shape_of(x);
  const std::size_t c = d.shape()[2];
  Matrix out = Matrix::from_shape({a, c});
  out.fill(0);
  for (std::size_t row = 0; row < batch * n; ++row) {
    const double* left = x.data() + row * a;
    const double* right = d.data() + row * c;
    if (all_zero(left, a) || all_zero(right, c)) continue;
    for (std::size_t i = 0; i < a; ++i) add_row(left[i], right, out.data() + i * c, c);
  }
  return out;
}

Batch widened(const Tensor<float, 3>& tensor) {
  Batch out = Batch::from_shape(tensor.shape());
  std::copy_n(tensor.data(), tensor.size(), out.data());
  return out;
}

template <class T>
Tensor<T, 3> rounded(Batch&& tensor) {
  if constexpr (std::is_same_v<T, double>) {
    return std::move(tensor);
  } else {
    Tensor<T, 3> out = Tensor<T, 3>::from_shape(tensor.shape());
    std::transform(tensor.data(), tensor.data() + tensor.size(), out.data(), [](double value) { return static_cast<T>(value); });
    return out;
  }
}

template Tensor<float, 3> rounded(Batch&&);
template Tensor<double, 3> rounded(Batch&&);

std::optional<Error> misfit(const Named& own, std::size_t axis, const char* axis_name, const Named& other, std::size_t other_axis) {
  if (own.shape[axis] == other.shape[other_axis]) return std::nullopt;
  std::string text = own.name;
  text.append(": shape ").append(shape_text(own.shape)).append(" does not fit ").append(other.name).append(" of shape ");
  text.append(shape_text(other.shape)).append("; axis ").append(std::to_string(axis)).append(" (").append(axis_name);
  text.append(") is ").append(std::to_string(own.shape[axis])).append(", allowed is ");
  text.append(std::to_string(other.shape[other_axis]));
  if (axis != other_axis) text.append(", axis ").append(std::to_string(other_axis)).append(" of ").append(other.name);
  return Error{ErrorCode::wrong_shape, own.name, std::move(text)};
}

std::optional<Error> too_large(const Named& tensor) {
  const auto elements = checked_elements(tensor.name, tensor.shape, sizeof(double));
  if (elements) return std::nullopt;
  return elements.error();
}

}  // namespace attn::products

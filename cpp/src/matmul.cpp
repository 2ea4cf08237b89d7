// The shape rule, its messages, and the product row by row. See matmul.hpp.
#include "attn/matmul.hpp"

#include <algorithm>
#include <vector>

#include "products.hpp"

namespace attn {

std::string torch_bmm_message(const Shape3& a, const Shape3& b) {
  if (a[0] == b[0] && a[2] == b[1]) return {};
  const auto pair = [](std::size_t first, std::size_t second) {
    return std::string("[").append(std::to_string(first)).append(", ").append(std::to_string(second)).append("]");
  };
  std::string text = "Expected size for first two dimensions of batch2 tensor to be: ";
  return text.append(pair(a[0], a[2])).append(" but got: ").append(pair(b[0], b[1])).append(".");
}

Result<Shape3> batch_matmul_shape(const Shape3& a, const Shape3& b) {
  const products::Named first{"a", a};
  const products::Named second{"b", b};
  auto error = products::misfit(second, 0, "batch", first, 0);
  if (!error) error = products::misfit(second, 1, "rows", first, 2);
  if (error) {
    error->message.append("; PyTorch says: ").append(torch_bmm_message(a, b));
    return *std::move(error);
  }
  const Shape3 shape{a[0], a[1], b[2]};
  if ((error = products::too_large({"product", shape}))) return *std::move(error);
  return shape;
}

template <class T>
Result<Tensor<T, 3>> batch_matmul(const Tensor<T, 3>& a, const Tensor<T, 3>& b) {
  const auto shape = batch_matmul_shape(shape_of(a), shape_of(b));
  if (!shape) return shape.error();
  const auto [batch, n, m] = shape.value();
  const std::size_t inner = a.shape()[2];
  Tensor<T, 3> out = Tensor<T, 3>::from_shape({batch, n, m});
  std::vector<double> row(m);
  for (std::size_t r = 0; r < batch * n; ++r) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t k = 0; k < inner; ++k) {
      const double factor = a.data()[r * inner + k];
      const T* from = b.data() + (r / n * inner + k) * m;
      for (std::size_t j = 0; j < m; ++j) row[j] += factor * static_cast<double>(from[j]);
    }
    std::transform(row.begin(), row.end(), out.data() + r * m, [](double value) { return static_cast<T>(value); });
  }
  return out;
}

template Result<Tensor<float, 3>> batch_matmul(const Tensor<float, 3>&, const Tensor<float, 3>&);
template Result<Tensor<double, 3>> batch_matmul(const Tensor<double, 3>&, const Tensor<double, 3>&);

}  // namespace attn

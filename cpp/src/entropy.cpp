// Entropy, softmax Jacobian, its norm and score variance, in double. See entropy.hpp for units and sources.
#include "attn/entropy.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "attn/math.hpp"

namespace attn {

double entropy(std::span<const double> weights) {
  double sum = 0;
  for (const double w : weights) {
    if (w != 0) sum -= w * math::log(w);
  }
  // A one-hot row subtracts 1 * ln 1 = 0 from 0; adding +0 keeps the sign positive.
  return sum + 0.0;
}

template <class T>
Tensor<double, 2> entropy(const Tensor<T, 3>& weights) {
  const auto [batch, queries, keys] = shape_of(weights);
  Tensor<double, 2> out = Tensor<double, 2>::from_shape({batch, queries});
  std::vector<double> row(keys);
  const T* from = weights.data();
  for (std::size_t r = 0; r < batch * queries; ++r, from += keys) {
    for (std::size_t j = 0; j < keys; ++j) row[j] = static_cast<double>(from[j]);
    out.data()[r] = entropy(std::span<const double>(row));
  }
  return out;
}

Result<Tensor<double, 2>> softmax_jacobian(std::span<const double> weights) {
  const std::size_t keys = weights.size();
  const std::array<std::size_t, 2> shape{keys, keys};
  if (const auto elements = checked_elements("softmax_jacobian", shape, sizeof(double)); !elements) return elements.error();
  Tensor<double, 2> jacobian = Tensor<double, 2>::from_shape({keys, keys});
  for (std::size_t i = 0; i < keys; ++i) {
    // w_i - w_i^2 cancels where w_i is near one: the sum of the other weights stands for 1 - w_i
    double others = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      if (j == i) continue;
      others += weights[j];
      jacobian(i, j) = -(weights[i] * weights[j]);
    }
    jacobian(i, i) = weights[i] * others;
  }
  return jacobian;
}

double jacobian_norm(std::span<const double> weights) {
  // Forward: sums of w and w^2 over the keys before i. Backward: the sum of w over the keys after i completes 1 - w_i.
  const std::size_t keys = weights.size();
  std::vector<double> after(keys + 1, 0.0);
  for (std::size_t i = keys; i-- > 0;) after[i] = after[i + 1] + weights[i];
  double before = 0;
  double squares_before = 0;
  double sum = 0;
  for (std::size_t i = 0; i < keys; ++i) {
    const double w = weights[i];
    const double others = before + after[i + 1];
    const double square = w * w;
    sum += square * (others * others) + 2 * (square * squares_before);
    before += w;
    squares_before += square;
  }
  return std::sqrt(sum);
}

double score_variance(std::span<const double> scores) {
  if (scores.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<double>(scores.size());
  double mean = 0;
  for (const double score : scores) mean += score;
  mean /= count;
  double squares = 0;
  for (const double score : scores) squares += (score - mean) * (score - mean);
  return squares / (count - 1);
}

template Tensor<double, 2> entropy(const Tensor<float, 3>&);
template Tensor<double, 2> entropy(const Tensor<double, 3>&);

}  // namespace attn

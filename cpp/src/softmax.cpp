// Masked softmax, the readable form: one row at a time, in double, keys in order. See softmax.hpp for the meanings.
#include "attn/softmax.hpp"

#include <cmath>
#include <limits>

#include "attn/math.hpp"

namespace attn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One row. `allowed(j)` says whether key j may be attended to; a masked score is never read.
template <class T, class Allowed>
void row_softmax(const T* scores, std::size_t keys, Allowed allowed, T* weights, std::vector<double>& exponentials) {
  double largest = -infinity;
  std::size_t infinite = 0;
  bool nan = false;
  for (std::size_t j = 0; j < keys; ++j) {
    if (!allowed(j)) continue;
    const double score = scores[j];
    nan = nan || std::isnan(score);
    infinite += score == infinity ? 1 : 0;
    if (score > largest) largest = score;
  }
  if (nan || infinite > 0 || largest == -infinity) {
    const T share = nan ? std::numeric_limits<T>::quiet_NaN() : infinite > 0 ? static_cast<T>(1.0 / static_cast<double>(infinite)) : T{0};
    for (std::size_t j = 0; j < keys; ++j) {
      weights[j] = allowed(j) && (nan || static_cast<double>(scores[j]) == infinity) ? share : T{0};
    }
    return;
  }
  double sum = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    exponentials[j] = allowed(j) ? math::exp(static_cast<double>(scores[j]) - largest) : 0.0;
    sum += exponentials[j];
  }
  for (std::size_t j = 0; j < keys; ++j) weights[j] = static_cast<T>(exponentials[j] / sum);
}

/// Every row of a tensor. `allowed_in(b, q)` gives the predicate of a row.
template <class T, class AllowedIn>
Tensor<T, 3> all_rows(const Tensor<T, 3>& scores, AllowedIn allowed_in) {
  const auto [batch, queries, keys] = shape_of(scores);
  Tensor<T, 3> weights = Tensor<T, 3>::from_shape({batch, queries, keys});
  std::vector<double> exponentials(keys);
  const T* from = scores.data();
  T* to = weights.data();
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t q = 0; q < queries; ++q, from += keys, to += keys) {
      row_softmax(from, keys, allowed_in(b, q), to, exponentials);
    }
  }
  return weights;
}

}  // namespace

void softmax_row(std::span<const double> scores, std::span<double> weights) {
  std::vector<double> exponentials(scores.size());
  row_softmax(scores.data(), scores.size(), [](std::size_t) { return true; }, weights.data(), exponentials);
}

template <class T>
Result<Tensor<T, 3>> masked_softmax(const Tensor<T, 3>& scores) {
  return all_rows(scores, [](std::size_t, std::size_t) { return [](std::size_t) { return true; }; });
}

template <class T>
Result<Tensor<T, 3>> masked_softmax(const Tensor<T, 3>& scores, const ValidLens& valid_lens) {
  const auto [batch, queries, keys] = shape_of(scores);
  if (auto error = valid_lens.check(batch, queries, keys)) return *std::move(error);
  return all_rows(scores, [&](std::size_t b, std::size_t q) {
    return [length = valid_lens.at(b, q)](std::size_t j) { return j < length; };
  });
}

template <class T>
Result<Tensor<T, 3>> masked_softmax(const Tensor<T, 3>& scores, const Mask& mask) {
  const auto [batch, queries, keys] = shape_of(scores);
  if (auto error = check_broadcast(mask, batch, queries, keys)) return *std::move(error);
  const auto [mask_batch, mask_queries, mask_keys] = shape_of(mask);
  const std::size_t batch_step = mask_batch == 1 ? 0 : mask_queries * mask_keys;
  const std::size_t query_step = mask_queries == 1 ? 0 : mask_keys;
  const std::size_t key_step = mask_keys == 1 ? 0 : 1;
  const bool* first = mask.data();
  return all_rows(scores, [=](std::size_t b, std::size_t q) {
    return [row = first + b * batch_step + q * query_step, key_step](std::size_t j) { return row[j * key_step]; };
  });
}

template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&);
template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&);
template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&, const ValidLens&);
template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&, const ValidLens&);
template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&, const Mask&);
template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&, const Mask&);

}  // namespace attn

// Scores, softmax, dropout and the weighted sum, all in double; floats are widened before and rounded after. See pooling.hpp.
#include "attn/pooling.hpp"

#include <utility>

#include "attn/softmax.hpp"
#include "products.hpp"
#include "score_detail.hpp"

namespace attn {
namespace {

using products::Batch;
using products::Named;
using Shape = std::array<std::size_t, 3>;

/// The one place that knows the kinds of masks.
Result<Batch> masked_weights(const Batch& scores, const MaskView& mask) {
  if (const auto* lens = std::get_if<const ValidLens*>(&mask.source())) return masked_softmax(scores, **lens);
  if (const auto* cells = std::get_if<const Mask*>(&mask.source())) return masked_softmax(scores, **cells);
  if (const auto* expression = std::get_if<const BoundMask*>(&mask.source())) return masked_softmax(scores, **expression);
  if (const auto* own = std::get_if<const KeySpans*>(&mask.source())) return masked_softmax(scores, **own);
  return masked_softmax(scores);
}

/// Values (batch, m, v) against `rows` (batch, n, m): the weights, or the keys with their axis 1.
std::optional<Error> check_values(const Shape& values, const Named& rows, std::size_t keys_axis, std::size_t queries) {
  const Named own{"values", values};
  if (auto error = products::misfit(own, 0, "batch", rows, 0)) return error;
  if (auto error = products::misfit(own, 1, "keys", rows, keys_axis)) return error;
  if (auto error = products::too_large(own)) return error;
  const Shape output{values[0], queries, values[2]};
  return products::too_large({"output", output});
}

Result<Attention<double>> double_attention(const ScoreRule& rule, const Batch& queries, const Batch& keys, const Batch& values,
                                           const MaskView& mask, const Dropout& dropout) {
  auto weights = masked_weights(detail::double_scores(rule, queries, keys), mask);
  if (!weights) return weights.error();
  auto pooled = apply_dropout(weights.value(), dropout);
  if (!pooled) return pooled.error();
  Batch output = products::weighted(pooled.value(), values);
  return Attention<double>{std::move(output), std::move(weights).value(), std::move(pooled).value()};
}

}  // namespace

template <class T>
Result<Attention<T>> attention(const ScoreRule& rule, const Tensor<T, 3>& queries, const Tensor<T, 3>& keys,
                               const Tensor<T, 3>& values, const MaskView& mask, const Dropout& dropout) {
  const Shape q = shape_of(queries);
  const Shape k = shape_of(keys);
  if (auto error = detail::check_scores(rule, q, k)) return *std::move(error);
  if (auto error = check_values(shape_of(values), {"keys", k}, 1, q[1])) return *std::move(error);
  if (auto error = check_dropout(dropout)) return *std::move(error);
  auto result = double_attention(rule, products::widened(queries), products::widened(keys), products::widened(values), mask, dropout);
  if (!result) return result.error();
  Attention<double>& all = result.value();
  return Attention<T>{products::rounded<T>(std::move(all.output)), products::rounded<T>(std::move(all.weights)),
                      products::rounded<T>(std::move(all.pooled_weights))};
}

template <class T>
Result<Tensor<T, 3>> pool(const Tensor<T, 3>& weights, const Tensor<T, 3>& values) {
  const Shape w = shape_of(weights);
  if (auto error = products::too_large({"weights", w})) return *std::move(error);
  if (auto error = check_values(shape_of(values), {"weights", w}, 2, w[1])) return *std::move(error);
  return products::rounded<T>(products::weighted(products::widened(weights), products::widened(values)));
}

template Result<Attention<float>> attention(const ScoreRule&, const Tensor<float, 3>&, const Tensor<float, 3>&, const Tensor<float, 3>&,
                                            const MaskView&, const Dropout&);
template Result<Attention<double>> attention(const ScoreRule&, const Tensor<double, 3>&, const Tensor<double, 3>&,
                                             const Tensor<double, 3>&, const MaskView&, const Dropout&);
template Result<Tensor<float, 3>> pool(const Tensor<float, 3>&, const Tensor<float, 3>&);
template Result<Tensor<double, 3>> pool(const Tensor<double, 3>&, const Tensor<double, 3>&);

}  // namespace attn

// Masked softmax, the readable form: one row at a time, in double, keys in order. See softmax.hpp for the meanings.
#include "attn/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attn/mask_view.hpp"
#include "attn/math.hpp"
#include "room.hpp"

namespace attn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One row. `allowed(j)` says whether key j may be attended to; a masked score is never read.
template <class T, class Allowed>
void row_softmax(const T* scores, std::size_t keys, Allowed allowed, T* weights, double* exponentials) {
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

/// One row whose allowed keys are intervals: the same steps on the same numbers in the same order, so the same bits.
template <class T>
void interval_softmax(const T* scores, std::size_t keys, std::span<const Interval> row, T* weights, double* exponentials) {
  std::vector<T> gathered;
  gathered.reserve(count(row));
  for (const Interval& interval : row) gathered.insert(gathered.end(), scores + interval.begin, scores + interval.end);
  std::vector<T> out(gathered.size());
  row_softmax(gathered.data(), gathered.size(), [](std::size_t) { return true; }, out.data(), exponentials);
  std::fill(weights, weights + keys, T{0});
  const T* from = out.data();
  for (const Interval& interval : row) {
    std::copy(from, from + (interval.end - interval.begin), weights + interval.begin);
    from += interval.end - interval.begin;
  }
}

/// Rows of (batch, heads, queries, keys) scores, each under its spans.
template <class T>
void rows_under(const T* from, T* to, const std::array<std::size_t, 4>& shape, const MaskView& mask) {
  const auto [batch, heads, queries, keys] = shape;
  std::vector<double> exponentials(keys);
  SpanBlock rows;
  for (std::size_t slice = 0; slice < batch * heads; ++slice) {
    for (std::size_t q = 0; q < queries; ++q, from += keys, to += keys) {
      const std::size_t row = q % SpanRows::most;
      if (row == 0) {
        rows.clear(keys);
        mask.rows(slice / heads, slice % heads, q, std::min(queries - q, SpanRows::most), rows);
        while (rows.rows() < SpanRows::most) rows.end_row();
      }
      interval_softmax(from, keys, rows.row(row), to, exponentials.data());
    }
  }
}

/// An error when the mask was bound to other sizes than the scores have.
std::optional<Error> other_sizes(const BoundMask& mask, const std::array<std::size_t, 4>& shape) {
  const MaskSizes& bound = mask.sizes();
  if (bound == MaskSizes{shape[0], shape[1], shape[2], shape[3]}) return std::nullopt;
  const std::array<std::size_t, 4> sizes{bound.batch, bound.heads, bound.queries, bound.keys};
  return Error{ErrorCode::wrong_shape, "mask", std::string("mask is bound to (batch, heads, queries, keys) = ").append(shape_text(sizes)).append(" and the scores have ").append(shape_text(shape))};
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
      row_softmax(from, keys, allowed_in(b, q), to, exponentials.data());
    }
  }
  return weights;
}

}  // namespace

void softmax_row(std::span<const double> scores, std::span<double> weights) {
  const Room<double> exponentials(scores.size());
  row_softmax(scores.data(), scores.size(), [](std::size_t) { return true; }, weights.data(), exponentials.data());
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

template <class T>
Result<Tensor<T, 3>> masked_softmax(const Tensor<T, 3>& scores, const BoundMask& mask) {
  const auto [batch, queries, keys] = shape_of(scores);
  const std::array<std::size_t, 4> shape{batch, 1, queries, keys};
  if (auto error = other_sizes(mask, shape)) return *std::move(error);
  Tensor<T, 3> weights = Tensor<T, 3>::from_shape({batch, queries, keys});
  rows_under(scores.data(), weights.data(), shape, mask);
  return weights;
}

template <class T>
Result<Tensor<T, 4>> masked_softmax(const Tensor<T, 4>& scores, const BoundMask& mask) {
  const auto shape = shape_of(scores);
  if (auto error = other_sizes(mask, shape)) return *std::move(error);
  Tensor<T, 4> weights = Tensor<T, 4>::from_shape(shape);
  rows_under(scores.data(), weights.data(), shape, mask);
  return weights;
}

template <class T>
Result<Tensor<T, 3>> masked_softmax(const Tensor<T, 3>& scores, const KeySpans& mask) {
  const auto [batch, queries, keys] = shape_of(scores);
  const std::array<std::size_t, 4> shape{batch, 1, queries, keys};
  if (auto error = mask.check({shape[0], shape[1], shape[2], shape[3]})) return *std::move(error);
  Tensor<T, 3> weights = Tensor<T, 3>::from_shape({batch, queries, keys});
  rows_under(scores.data(), weights.data(), shape, mask);
  return weights;
}

template <class T>
Result<Tensor<T, 4>> masked_softmax(const Tensor<T, 4>& scores, const KeySpans& mask) {
  const auto shape = shape_of(scores);
  if (auto error = mask.check({shape[0], shape[1], shape[2], shape[3]})) return *std::move(error);
  Tensor<T, 4> weights = Tensor<T, 4>::from_shape(shape);
  rows_under(scores.data(), weights.data(), shape, mask);
  return weights;
}

template <class T>
Result<Tensor<T, 4>> masked_softmax(const Tensor<T, 4>& scores, const Bias& bias) {
  const auto shape = shape_of(scores);
  const auto [batch, heads, queries, keys] = shape;
  const auto own = shape_of(bias.values);
  if (bias.dtype == Dtype::float64) return Error{ErrorCode::out_of_range, "bias", "bias has the dtype float64, whose lowest value no float holds; allowed are float32, float16 and bfloat16"};
  constexpr std::string_view axes[] = {"batch", "heads", "queries", "keys"};
  std::array<std::size_t, 4> step{};
  std::size_t stride = 1;
  for (std::size_t axis = 4; axis-- > 0;) {
    if (own[axis] != 1 && own[axis] != shape[axis]) {
      return Error{ErrorCode::wrong_shape, "bias", std::string("bias of shape ").append(shape_text(own)).append(" does not broadcast to the scores of shape ").append(shape_text(shape))
                       .append(": axis ").append(std::to_string(axis)).append(" (").append(axes[axis]).append(") has ").append(std::to_string(own[axis])).append(", allowed are 1 and ").append(std::to_string(shape[axis]))};
    }
    step[axis] = own[axis] == 1 ? 0 : stride;
    stride *= own[axis];
  }
  const double least = lowest(bias.dtype);
  Tensor<T, 4> weights = Tensor<T, 4>::from_shape(shape);
  std::vector<double> sums(keys), row(keys), exponentials(keys);
  const T* from = scores.data();
  T* to = weights.data();
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t q = 0; q < queries; ++q, from += keys, to += keys) {
        const float* added = bias.values.data() + b * step[0] + h * step[1] + q * step[2];
        for (std::size_t k = 0; k < keys; ++k) sums[k] = static_cast<double>(from[k]) + static_cast<double>(added[k * step[3]]);
        row_softmax(sums.data(), keys, [&](std::size_t k) { return !(static_cast<double>(added[k * step[3]]) <= least); }, row.data(), exponentials.data());
        std::transform(row.begin(), row.end(), to, [](double weight) { return static_cast<T>(weight); });
      }
    }
  }
  return weights;
}

template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&, const BoundMask&);
template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&, const BoundMask&);
template Result<Tensor<float, 4>> masked_softmax(const Tensor<float, 4>&, const BoundMask&);
template Result<Tensor<double, 4>> masked_softmax(const Tensor<double, 4>&, const BoundMask&);
template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&, const KeySpans&);
template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&, const KeySpans&);
template Result<Tensor<float, 4>> masked_softmax(const Tensor<float, 4>&, const KeySpans&);
template Result<Tensor<double, 4>> masked_softmax(const Tensor<double, 4>&, const KeySpans&);
template Result<Tensor<float, 4>> masked_softmax(const Tensor<float, 4>&, const Bias&);
template Result<Tensor<double, 4>> masked_softmax(const Tensor<double, 4>&, const Bias&);
template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&);
template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&);
template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&, const ValidLens&);
template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&, const ValidLens&);
template Result<Tensor<float, 3>> masked_softmax(const Tensor<float, 3>&, const Mask&);
template Result<Tensor<double, 3>> masked_softmax(const Tensor<double, 3>&, const Mask&);

}  // namespace attn

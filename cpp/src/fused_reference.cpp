// See fused_reference.hpp.
#include "fused_reference.hpp"

#include <cmath>
#include <limits>

#include "attn/math.hpp"

namespace attn {

void ReferenceRow::weigh(const kernels::Head& head, std::size_t query, std::span<const KeySpan> spans) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  std::size_t count = 0;
  for (const KeySpan& span : spans) count += span.end - span.begin;
  keys.reset(count);
  weights.reset(count);
  count = 0;
  const float* q = head.queries + query * head.query_stride;
  double largest = -infinity;
  bool nan = false;
  for (const KeySpan& span : spans) {
    for (std::uint32_t key = span.begin; key < span.end; ++key) {
      const float* k = head.keys + key * head.key_stride;
      double score = 0;
      for (std::size_t i = 0; i < head.d; ++i) score += static_cast<double>(q[i]) * static_cast<double>(k[i]);
      score *= static_cast<double>(head.scale);
      keys[count] = key;
      weights[count++] = score;
      nan = nan || std::isnan(score);
      if (score > largest) largest = score;
    }
  }
  double sum = 0;
  for (double& weight : weights) {
    if (nan) weight = not_a_number;
    else if (largest == infinity) weight = weight == largest ? 1 : 0;  // the limit: all weight on the infinite ones
    else weight = largest == -infinity ? 0 : math::exp(weight - largest);
    sum += weight;
  }
  for (double& weight : weights) weight = sum == 0 ? 0 : weight / sum;
  log_normalizer = nan ? not_a_number : sum == 0 ? -infinity : largest + math::log(sum);
}

void ReferenceRow::pool(const kernels::Head& head, std::size_t query) const {
  float* out = head.output + query * head.output_stride;
  for (std::size_t c = 0; c < head.v; ++c) {
    double pooled = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (weights[i] != 0) pooled += weights[i] * static_cast<double>(head.values[keys[i] * head.value_stride + c]);
    }
    out[c] = static_cast<float>(pooled);
  }
}

void ReferenceRow::put_weights(float* row, std::size_t keys_in_row) const {
  for (std::size_t j = 0; j < keys_in_row; ++j) row[j] = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) row[keys[i]] = static_cast<float>(weights[i]);
}

void OddRows::look(kernels::Head& head, float limit) {
  queries.reset(head.n);
  keys.reset(head.m);
  any_query = kernels::mark_odd_rows(head.queries, head.query_stride, head.n, head.d, limit, queries.data());
  any_key = kernels::mark_odd_rows(head.keys, head.key_stride, head.m, head.d, limit, keys.data());
  any_key = kernels::mark_odd_rows(head.values, head.value_stride, head.m, head.v, limit, keys.data()) || any_key;
  if (!any_key) return;
  const auto copy = [&](const float*& from, std::size_t& stride, std::size_t width, Room<float>& to) {
    to.reset(head.m * width);
    for (std::size_t j = 0; j < head.m; ++j) {
      for (std::size_t i = 0; i < width && keys[j] == 0; ++i) to[j * width + i] = from[j * stride + i];
    }
    from = to.data();
    stride = width;
  };
  copy(head.keys, head.key_stride, head.d, key_copy_);
  copy(head.values, head.value_stride, head.v, value_copy_);
}

bool OddRows::row(std::size_t query, std::span<const KeySpan> spans) const {
  if (queries[query] != 0) return true;
  if (!any_key) return false;
  for (const KeySpan& span : spans) {
    for (std::uint32_t key = span.begin; key < span.end; ++key) {
      if (keys[key] != 0) return true;
    }
  }
  return false;
}

}  // namespace attn

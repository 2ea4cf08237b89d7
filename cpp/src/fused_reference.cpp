// See fused_reference.hpp.
#include "fused_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attn/math.hpp"

namespace attn {

void ReferenceRow::weigh(const kernels::Head& head, std::size_t query, std::span<const KeySpan> spans, bool nan) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  std::size_t count = 0;
  for (const KeySpan& span : spans) count += span.end - span.begin;
  keys.reset(count);
  weights.reset(count);
  count = 0;
  const float* q = head.queries + query * head.query_stride;
  double largest = -infinity;
  const std::size_t width = nan ? 0 : head.d;
  for (const KeySpan& span : spans) {
    for (std::uint32_t key = span.begin; key < span.end; ++key) {
      const float* k = head.keys + key * head.key_stride;
      double score = 0;
      for (std::size_t i = 0; i < width; ++i) score += static_cast<double>(q[i]) * static_cast<double>(k[i]);
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
  const bool nan = std::isnan(log_normalizer);
  for (std::size_t c = 0; c < head.v; ++c) {
    double pooled = nan ? log_normalizer : 0;
    for (std::size_t i = 0; i < keys.size() && !nan; ++i) {
      if (weights[i] != 0) pooled += weights[i] * static_cast<double>(head.values[keys[i] * head.value_stride + c]);
    }
    out[c] = static_cast<float>(pooled);
  }
}

void ReferenceRow::put_weights(float* row, std::size_t keys_in_row) const {
  for (std::size_t j = 0; j < keys_in_row; ++j) row[j] = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) row[keys[i]] = static_cast<float>(weights[i]);
}

namespace {

constexpr std::uint8_t strange = 1;
constexpr std::uint8_t has_nan = 2;

/// As kernels::mark_odd_rows, telling rows with NaN from others.
bool mark(const float* rows, std::size_t stride, std::size_t count, std::size_t width, float limit, std::uint8_t* marks) {
  if (!kernels::mark_odd_rows(rows, stride, count, width, limit, marks)) return false;
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t i = 0; i < width && marks[r] == strange; ++i) marks[r] = std::isnan(rows[r * stride + i]) ? has_nan : strange;
  }
  return true;
}

}  // namespace

void OddRows::look(kernels::Head& head, float limit, float of_values, KeySpan seen) {
  queries_.reset(head.n);
  keys_.reset(head.m);
  any_query_ = mark(head.queries, head.query_stride, head.n, head.d, limit, queries_.data());
  const std::size_t count = seen.end - seen.begin;
  std::uint8_t* const marks = keys_.data() + seen.begin;
  // a value of NaN is strange: it may weigh nothing; a key's makes its scores NaN
  any_key_ = kernels::mark_odd_rows(head.values + seen.begin * head.value_stride, head.value_stride, count, head.v, of_values, marks);
  any_key_ = mark(head.keys + seen.begin * head.key_stride, head.key_stride, count, head.d, limit, marks) || any_key_;
  if (!any_key_) return;
  strange_before_.reset(head.m + 1);
  nan_before_.reset(head.m + 1);
  for (std::size_t j = 0; j < head.m; ++j) {
    strange_before_[j + 1] = strange_before_[j] + (keys_[j] != 0 ? 1 : 0);
    nan_before_[j + 1] = nan_before_[j] + (keys_[j] == has_nan ? 1 : 0);
  }
  const auto copy = [&](const float*& from, std::size_t& stride, std::size_t width, Room<float>& to) {
    to.reset(head.m * width);
    for (std::size_t j = 0; j < head.m; ++j) {
      for (std::size_t i = 0; i < width && keys_[j] == 0; ++i) to[j * width + i] = from[j * stride + i];
    }
    from = to.data();
    stride = width;
  };
  copy(head.keys, head.key_stride, head.d, key_copy_);
  copy(head.values, head.value_stride, head.v, value_copy_);
}

void OddRows::look_at_queries(const float* rows, std::size_t count, std::size_t width, float limit) {
  any_query_ = kernels::mark_odd_rows(rows, width, count, width, limit, queries_.data()) || any_query_;
}

void OddRows::add_query(std::size_t query) {
  queries_[query] = std::max(queries_[query], strange);
  any_query_ = true;
}

OddRows::Kind OddRows::row(std::size_t query, std::span<const KeySpan> spans) const {
  bool found = queries_[query] != 0;
  for (const KeySpan& span : spans) {
    if (queries_[query] == has_nan) return Kind::not_a_number;
    if (!any_key_) continue;
    if (nan_before_[span.end] != nan_before_[span.begin]) return Kind::not_a_number;
    found = found || strange_before_[span.end] != strange_before_[span.begin];
  }
  return found ? Kind::strange : Kind::ordinary;
}

}  // namespace attn

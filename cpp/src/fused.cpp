// Shapes, masks as spans of keys, and the rows that are not for the fast kernel; see attn/fused.hpp and kernels/fused.hpp.
#include "attn/fused.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "attn/math.hpp"
#include "fused_rows.hpp"
#include "kernels/fused.hpp"

namespace attn {
namespace {

using kernels::KeySpan;
using Shape4 = std::array<std::size_t, 4>;

Error misfit(std::string_view name, const Shape4& shape, std::string_view other, const Shape4& others, std::size_t axis, std::string_view axis_name) {
  return Error{ErrorCode::wrong_shape, std::string(name),
               std::string(name).append(": shape ").append(shape_text(shape)).append(" does not fit ").append(other).append(" of shape ")
                   .append(shape_text(others)).append("; axis ").append(std::to_string(axis)).append(" (").append(axis_name).append(") is ")
                   .append(std::to_string(shape[axis])).append(", allowed is ").append(std::to_string(others[axis]))};
}

std::optional<Error> check_shapes(const Shape4& q, const Shape4& k, const Shape4& v) {
  constexpr const char* names[] = {"batch", "heads", "keys", "width"};
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    if (k[axis] != q[axis]) return misfit("keys", k, "queries", q, axis, names[axis]);
  }
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    if (v[axis] != k[axis]) return misfit("values", v, "keys", k, axis, names[axis]);
  }
  const Shape4 output{q[0], q[1], q[2], v[3]};
  if (const auto elements = checked_elements("output", output, sizeof(float)); !elements) return elements.error();
  if (k[2] > 0xFFFFFFFFU) return Error{ErrorCode::too_large, "keys", "keys: " + std::to_string(k[2]) + " keys; allowed are 4294967295"};
  return std::nullopt;
}

/// The readable form of one row, in double, with every meaning of the library: what the fast kernel is tested against, and what
/// computes the rows that it leaves out.
void reference_row(const kernels::Head& head, std::size_t query, const std::vector<KeySpan>& spans, float* log_normalizer) {
  const float* q = head.queries + query * head.query_stride;
  std::vector<double> scores;
  std::vector<std::uint32_t> keys;
  double largest = -std::numeric_limits<double>::infinity();
  bool nan = false;
  for (const KeySpan& span : spans) {
    for (std::uint32_t key = span.begin; key < span.end; ++key) {
      const float* k = head.keys + key * head.key_stride;
      double score = 0;
      for (std::size_t i = 0; i < head.d; ++i) score += static_cast<double>(q[i]) * static_cast<double>(k[i]);
      score *= static_cast<double>(head.scale);
      scores.push_back(score);
      keys.push_back(key);
      nan = nan || std::isnan(score);
      if (score > largest) largest = score;
    }
  }
  const bool infinite = largest == std::numeric_limits<double>::infinity();
  double sum = 0;
  for (double& score : scores) {
    // the limit of an infinite score: all weight on the infinite ones
    const double weight = infinite ? (score == largest ? 1.0 : 0.0) : largest == -std::numeric_limits<double>::infinity() ? 0.0 : math::exp(score - largest);
    score = nan ? std::numeric_limits<double>::quiet_NaN() : weight;
    sum += score;
  }
  float* out = head.output + query * head.output_stride;
  for (std::size_t c = 0; c < head.v; ++c) {
    double pooled = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const double weight = sum == 0 ? 0 : scores[i] / sum;
      if (weight != 0) pooled += weight * static_cast<double>(head.values[keys[i] * head.value_stride + c]);
    }
    out[c] = static_cast<float>(pooled);
  }
  *log_normalizer = static_cast<float>(nan ? std::numeric_limits<double>::quiet_NaN() : sum == 0 ? -std::numeric_limits<double>::infinity() : largest + math::log(sum));
}

/// What of one head is not ordinary, and copies without it: a closed key's value of 0 times NaN must not be seen.
struct Odd {
  std::vector<std::uint8_t> queries, keys;
  bool any_query = false, any_key = false;
  std::vector<float> key_copy, value_copy;

  void look(kernels::Head& head) {
    queries.assign(head.n, 0);
    keys.assign(head.m, 0);
    any_query = kernels::mark_odd_rows(head.queries, head.query_stride, head.n, head.d, queries.data());
    any_key = kernels::mark_odd_rows(head.keys, head.key_stride, head.m, head.d, keys.data());
    any_key = kernels::mark_odd_rows(head.values, head.value_stride, head.m, head.v, keys.data()) || any_key;
    if (!any_key) return;
    const auto copy = [&](const float*& from, std::size_t& stride, std::size_t width, std::vector<float>& to) {
      to.assign(head.m * width, 0.0f);
      for (std::size_t j = 0; j < head.m; ++j) {
        for (std::size_t i = 0; i < width && keys[j] == 0; ++i) to[j * width + i] = from[j * stride + i];
      }
      from = to.data();
      stride = width;
    };
    copy(head.keys, head.key_stride, head.d, key_copy);
    copy(head.values, head.value_stride, head.v, value_copy);
  }

  /// Whether a row is left to the reference.
  [[nodiscard]] bool row(std::size_t query, const std::vector<KeySpan>& spans) const {
    if (queries[query] != 0) return true;
    if (!any_key) return false;
    for (const KeySpan& span : spans) {
      for (std::uint32_t key = span.begin; key < span.end; ++key) {
        if (keys[key] != 0) return true;
      }
    }
    return false;
  }
};

}  // namespace

Result<FusedTiles> fused_attention_into(const View<const float, 4>& queries, const View<const float, 4>& keys, const View<const float, 4>& values,
                                        const MaskView& mask, FusedRows which, const View<float, 4>& output, float* log_normalizer) {
  const Shape4& q = queries.shape;
  const Shape4& k = keys.shape;
  const Shape4& v = values.shape;
  if (auto error = check_shapes(q, k, v)) return *std::move(error);
  const Shape4 wanted{q[0], q[1], q[2], v[3]};
  if (output.shape != wanted) return Error{ErrorCode::wrong_shape, "output", "output: shape " + shape_text(output.shape) + "; allowed is " + shape_text(wanted)};
  auto rows = KeyRows::of(mask, q, which, k[2]);
  if (!rows) return rows.error();
  const bool masked = rows.value().any();

  kernels::TileCounts counts;
  std::vector<float> scratch(kernels::fused_scratch(q[3], v[3]));
  std::vector<float> best(q[2]);
  std::vector<float> sum(q[2]);
  std::vector<std::vector<KeySpan>> spans(kernels::tile_queries);
  Odd odd;
  for (std::size_t b = 0; b < q[0]; ++b) {
    for (std::size_t h = 0; h < q[1]; ++h) {
      const std::size_t at = b * q[1] + h;
      const kernels::Head given{.queries = queries.data + at * q[2] * q[3],
                                .keys = keys.data + at * k[2] * k[3],
                                .values = values.data + at * v[2] * v[3],
                                .output = output.data + at * q[2] * v[3],
                                .best = best.data(),
                                .sum = sum.data(),
                                .n = q[2], .m = k[2], .d = q[3], .v = v[3],
                                .query_stride = q[3], .key_stride = k[3], .value_stride = v[3], .output_stride = v[3],
                                .scale = q[3] == 0 ? 1.0f : static_cast<float>(1 / std::sqrt(static_cast<double>(q[3])))};
      kernels::Head head = given;
      odd.look(head);
      const bool odd_rows = odd.any_query || odd.any_key;
      for (std::size_t first = 0; first < q[2]; first += kernels::tile_queries) {
        const std::size_t count = std::min(kernels::tile_queries, q[2] - first);
        kernels::TileRows tile{};
        for (std::size_t r = 0; r < count && (masked || odd_rows); ++r) {
          rows.value().row(b, h, first + r, spans[r]);
          tile.spans[r] = spans[r].data();
          tile.counts[r] = static_cast<std::uint32_t>(spans[r].size());
        }
        kernels::fused_tile(head, first, count, masked ? &tile : nullptr, scratch.data(), counts);
        for (std::size_t r = 0; r < count; ++r) {
          const std::size_t row = first + r;
          float normalizer = 0;
          if (odd_rows && odd.row(row, spans[r])) {
            reference_row(given, row, spans[r], &normalizer);
          } else {
            // best is in units of log2(e), the sum of powers of two
            constexpr double ln_2 = 0.693147180559945309417232121458;
            const auto total = static_cast<double>(sum[row]);
            normalizer = total > 0 ? static_cast<float>(static_cast<double>(best[row]) * ln_2 + math::log(total)) : -std::numeric_limits<float>::infinity();
          }
          if (log_normalizer != nullptr) log_normalizer[at * q[2] + row] = normalizer;
        }
      }
    }
  }
  return FusedTiles{counts.full, counts.mixed, counts.empty};
}

Result<FusedAttention> fused_attention(const Tensor<float, 4>& queries, const Tensor<float, 4>& keys, const Tensor<float, 4>& values, const MaskView& mask, FusedRows rows) {
  const Shape4 q = shape_of(queries);
  const Shape4 v = shape_of(values);
  if (auto error = check_shapes(q, shape_of(keys), v)) return *std::move(error);
  FusedAttention result{Tensor<float, 4>::from_shape({q[0], q[1], q[2], v[3]}), Tensor<float, 3>::from_shape({q[0], q[1], q[2]}), {}};
  const auto tiles = fused_attention_into(view_of(queries), view_of(keys), view_of(values), mask, rows, view_of(result.output), result.log_normalizer.data());
  if (!tiles) return tiles.error();
  result.tiles = tiles.value();
  return result;
}

std::string_view fused_instructions() { return kernels::fused_target(); }

}  // namespace attn

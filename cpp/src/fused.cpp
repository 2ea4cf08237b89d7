// Shapes, masks as spans of keys, and the rows that are not for the fast kernel; see attn/fused.hpp and kernels/fused.hpp.
#include "attn/fused.hpp"
#include "attn/fused_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fast_calls.hpp"
#include "fast_shapes.hpp"
#include "fused_reference.hpp"
#include "fused_rows.hpp"
#include "kernels/fused.hpp"
#include "kernels/targets.hpp"
#include "ln_near.hpp"

namespace attn {
namespace {

using Shape4 = std::array<std::size_t, 4>;

/// As check_fused_shapes, for a call that makes its results: one number a query is a tensor even where neither queries nor values have a width.
std::optional<Error> check_made(const Shape4& q, const Shape4& k, const Shape4& v) {
  if (auto error = check_fused_shapes(q, k, v)) return error;
  if (const auto elements = checked_elements("log_normalizer", std::array{q[0], q[1], q[2]}, sizeof(float)); !elements) return elements.error();
  return std::nullopt;
}

}  // namespace

std::optional<Error> check_fused_shapes(const Shape4& q, const Shape4& k, const Shape4& v) {
  constexpr const char* names[] = {"batch", "heads", "keys", "width"};
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    if (k[axis] != q[axis]) return misfit("keys", k, "queries", q, axis, q[axis], names[axis]);
  }
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    if (v[axis] != k[axis]) return misfit("values", v, "keys", k, axis, k[axis], names[axis]);
  }
  const Shape4 output{q[0], q[1], q[2], v[3]};
  if (const auto elements = checked_elements("output", output, sizeof(float)); !elements) return elements.error();
  if (auto error = check_fused_rows("keys", k[2])) return error;
  if (auto error = check_fused_rows("queries", q[2])) return error;
  if (q[0] == 0 || q[1] == 0 || q[2] == 0 || k[2] == 0) return std::nullopt;
  // what a tile of so wide rows needs
  if (const auto elements = checked_elements("queries", std::array{kernels::tile_queries, q[3]}, sizeof(float)); !elements) return elements.error();
  if (const auto elements = checked_elements("values", std::array{kernels::tile_queries, v[3]}, sizeof(float)); !elements) return elements.error();
  return std::nullopt;
}

std::optional<Error> calls::check_forward(const Forward& call) {
  const Shape4& q = call.queries.shape;
  const Shape4& k = call.keys.shape;
  const Shape4& v = call.values.shape;
  if (auto error = check_fused_shapes(q, k, v)) return error;
  if (call.with_weights) {
    const Shape4 wanted{q[0], q[1], q[2], k[2]};
    if (call.weights.shape != wanted) return misfit("weights", call.weights.shape, wanted);
    // the scores of a panel of queries
    if (const auto elements = checked_elements("weights", std::array{kernels::tile_queries, k[2]}, sizeof(float)); !elements) return elements.error();
  }
  if (auto error = check_output(call.output.shape, Shape4{q[0], q[1], q[2], v[3]})) return error;
  if (auto error = check_mask(call.mask, q, call.rows, k[2])) return error;
  // without a width nothing bounds their number
  if (const auto tiles = all_tiles({q[0], q[1], q[2]}, k[2]); !tiles) return tiles.error();
  return std::nullopt;
}

FusedTiles calls::run_forward(const Forward& call) {
  const Shape4& q = call.queries.shape;
  const Shape4& k = call.keys.shape;
  const Shape4& v = call.values.shape;
  float* const log_normalizer = call.log_normalizer;
  if (q[0] == 0 || q[1] == 0 || q[2] == 0 || k[2] == 0) {
    std::fill_n(call.output.data, call.output.size(), 0.0f);
    if (log_normalizer != nullptr) std::fill_n(log_normalizer, q[0] * q[1] * q[2], -std::numeric_limits<float>::infinity());
    return {};
  }
  KeyRows rows(call.mask, q, call.rows, k[2]);
  const bool masked = rows.any();
  // nothing to pool; without a width every score is zero, and its normalizer the logarithm of how many there are
  if (!masked && v[3] == 0 && !call.with_weights && (q[3] == 0 || log_normalizer == nullptr)) {
    if (log_normalizer != nullptr) std::fill_n(log_normalizer, q[0] * q[1] * q[2], static_cast<float>(ln_near(static_cast<double>(k[2]))));
    return {.full = tiles_without_mask({q[0], q[1], q[2]}, k[2])};
  }

  kernels::TileCounts counts;
  Room<float> scratch(call.with_weights ? kernels::weights_scratch(k[2], q[3], v[3]) : kernels::fused_scratch(q[3], v[3]));
  Room<float> best(q[2]);
  Room<float> sum(q[2]);
  OddRows odd;
  ReferenceRow reference;
  for (std::size_t at = 0; at < q[0] * q[1]; ++at) {
    const kernels::Head given{.queries = call.queries.data + at * q[2] * q[3],
                              .keys = call.keys.data + at * k[2] * k[3],
                              .values = call.values.data + at * v[2] * v[3],
                              .output = call.output.data + at * q[2] * v[3],
                              .best = best.data(),
                              .sum = sum.data(),
                              .n = q[2], .m = k[2], .d = q[3], .v = v[3],
                              .query_stride = q[3], .key_stride = k[3], .value_stride = v[3], .output_stride = v[3],
                              .scale = q[3] == 0 ? 1.0f : static_cast<float>(1 / std::sqrt(static_cast<double>(q[3])))};
    kernels::Head head = given;
    // a few queries of many do not look at keys that only the others see
    const bool few = masked && q[2] < call.rows.total;
    odd.look(head, kernels::ordinary, kernels::ordinary_value, few ? rows.seen(at, q[2]) : KeySpan{0, static_cast<std::uint32_t>(k[2])});
    const bool odd_rows = odd.any();
    for (std::size_t first = 0; first < q[2]; first += kernels::tile_queries) {
      const std::size_t count = std::min(kernels::tile_queries, q[2] - first);
      kernels::TileRows tile{};
      if (masked || odd_rows) rows.tile(at, first, count, tile);
      float* const weight_rows = call.with_weights ? call.weights.data + (at * q[2] + first) * k[2] : nullptr;
      if (call.with_weights) kernels::weights_tile(head, first, count, masked ? &tile : nullptr, weight_rows, k[2], scratch.data(), counts);
      else kernels::fused_tile(head, first, count, masked ? &tile : nullptr, scratch.data(), counts);
      for (std::size_t r = 0; r < count; ++r) {
        const std::size_t row = first + r;
        float normalizer = 0;
        const auto kind = odd_rows ? odd.row(row, rows.rows().row(r)) : OddRows::Kind::ordinary;
        if (kind != OddRows::Kind::ordinary) {
          reference.weigh(given, row, rows.rows().row(r), kind == OddRows::Kind::not_a_number);
          reference.pool(given, row);
          if (call.with_weights) reference.put_weights(weight_rows + r * k[2], k[2]);
          normalizer = static_cast<float>(reference.log_normalizer);
        } else {
          // best is in units of log2(e), the sum of powers of two
          normalizer = sum[row] > 0 ? static_cast<float>(ln_2 * static_cast<double>(best[row]) + ln_near(static_cast<double>(sum[row]))) : -std::numeric_limits<float>::infinity();
        }
        if (log_normalizer != nullptr) log_normalizer[at * q[2] + row] = normalizer;
      }
    }
  }
  return {counts.full, counts.mixed, counts.empty};
}

Result<FusedTiles> fused_attention_into(const View<const float, 4>& queries, const View<const float, 4>& keys, const View<const float, 4>& values,
                                        const MaskView& mask, FusedRows which, const View<float, 4>& output, float* log_normalizer) {
  const calls::Forward call{.queries = queries, .keys = keys, .values = values, .mask = mask, .rows = which, .output = output, .log_normalizer = log_normalizer, .with_weights = false, .weights = {}};
  if (auto error = check_forward(call)) return *std::move(error);
  return run_forward(call);
}

Result<FusedTiles> fused_weights_into(const View<const float, 4>& queries, const View<const float, 4>& keys, const View<const float, 4>& values, const MaskView& mask,
                                      FusedRows rows, const View<float, 4>& output, const View<float, 4>& weights, float* log_normalizer) {
  const calls::Forward call{.queries = queries, .keys = keys, .values = values, .mask = mask, .rows = rows, .output = output, .log_normalizer = log_normalizer, .with_weights = true, .weights = weights};
  if (auto error = check_forward(call)) return *std::move(error);
  return run_forward(call);
}

Result<FusedAttention> fused_attention(const Tensor<float, 4>& queries, const Tensor<float, 4>& keys, const Tensor<float, 4>& values, const MaskView& mask, FusedRows rows) {
  const Shape4 q = shape_of(queries);
  const Shape4 v = shape_of(values);
  if (auto error = check_made(q, shape_of(keys), v)) return *std::move(error);
  FusedAttention result{Tensor<float, 4>::from_shape({q[0], q[1], q[2], v[3]}), Tensor<float, 3>::from_shape({q[0], q[1], q[2]}), {}};
  const auto tiles = fused_attention_into(view_of(queries), view_of(keys), view_of(values), mask, rows, view_of(result.output), result.log_normalizer.data());
  if (!tiles) return tiles.error();
  result.tiles = tiles.value();
  return result;
}

Result<FusedWeights> fused_weights(const Tensor<float, 4>& queries, const Tensor<float, 4>& keys, const Tensor<float, 4>& values, const MaskView& mask, FusedRows rows) {
  const Shape4 q = shape_of(queries);
  const Shape4 k = shape_of(keys);
  const Shape4 v = shape_of(values);
  if (auto error = check_made(q, k, v)) return *std::move(error);
  const Shape4 weights{q[0], q[1], q[2], k[2]};
  if (const auto elements = checked_elements("weights", weights, sizeof(float)); !elements) return elements.error();
  FusedWeights result{Tensor<float, 4>::from_shape({q[0], q[1], q[2], v[3]}), Tensor<float, 4>::from_shape(weights), Tensor<float, 3>::from_shape({q[0], q[1], q[2]}), {}};
  const auto tiles = fused_weights_into(view_of(queries), view_of(keys), view_of(values), mask, rows, view_of(result.output), view_of(result.weights), result.log_normalizer.data());
  if (!tiles) return tiles.error();
  result.tiles = tiles.value();
  return result;
}

std::string_view fused_instructions() { return kernels::target_name(); }

}  // namespace attn

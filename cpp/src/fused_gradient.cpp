// Shapes, what a tile needs to know of each row, and the rows that are not for the fast kernel; see attn/fused_gradient.hpp and
// kernels/fused_gradient.hpp.
#include "attn/fused_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "attn/math.hpp"
#include "fast_calls.hpp"
#include "fast_shapes.hpp"
#include "fused_reference.hpp"
#include "fused_rows.hpp"
#include "kernels/fused_gradient.hpp"

namespace attn {
namespace {

using Shape4 = std::array<std::size_t, 4>;

constexpr double log2_e = 1.44269504088896340735992468100189;
/// A log normaliser up to this size is known to 5e-7, and so are the weights made of it.
constexpr float blurred = 16;

/// One head's gradient, tile after tile.
class HeadGradient {
 public:
  HeadGradient(const kernels::Head& head, const kernels::GradientHead& gradient, const float* output, const float* log_normalizer)
      : given_(head), ordinary_(head), gradient_(gradient), output_(output), log_normalizer_(log_normalizer), base_(head.n), share_(head.n), along_(head.n) {
    odd_.look(ordinary_, kernels::ordinary_gradient, kernels::ordinary_gradient, {0, static_cast<std::uint32_t>(head.m)});
    for (const float* rows : {static_cast<const float*>(gradient.upstream), output}) odd_.look_at_queries(rows, head.n, head.v, kernels::ordinary_gradient);
    for (std::size_t row = 0; row < head.n; ++row) {
      if (!(log_normalizer[row] < std::numeric_limits<float>::infinity())) odd_.add_query(row);
    }
    gradient_.keys = ordinary_.keys;
    gradient_.values = ordinary_.values;
    gradient_.base = base_.data();
    gradient_.share = share_.data();
    gradient_.along = along_.data();
  }

  [[nodiscard]] bool any_odd() const noexcept { return odd_.any(); }

  /// `spans` are read where there is a mask or something odd.
  void tile(std::size_t first, std::size_t count, const kernels::TileRows* mask, const SpanBlock& spans, Room<float>& scratch, kernels::TileCounts& counts) {
    bool again = false;
    left_ = 0;
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t row = first + r;
      const float normalizer = log_normalizer_[row];
      share_[row] = 0;
      if (any_odd() && odd_.row(row, spans.row(r)) != OddRows::Kind::ordinary) {
        left_out_[left_++] = r;
        continue;
      }
      if (normalizer == -std::numeric_limits<float>::infinity()) continue;  // no key
      again = again || std::fabs(normalizer) > blurred;
      // 2^-base of the weight comes out of the exponent as a whole number, the rest is a factor
      const double power = static_cast<double>(normalizer) * log2_e;
      const double whole = std::floor(power);
      base_[row] = static_cast<float>(whole);
      share_[row] = static_cast<float>(math::exp((whole - power) / log2_e));
      double along = 0;
      for (std::size_t c = 0; c < given_.v; ++c) along += static_cast<double>(gradient_.upstream[row * given_.v + c]) * static_cast<double>(output_[row * given_.v + c]);
      along_[row] = static_cast<float>(along);
    }
    if (again) normalise_again(first, count, mask, scratch);
    kernels::gradient_tile(gradient_, first, count, mask, scratch.data(), counts);
    for (std::size_t i = 0; i < left_; ++i) add_reference(first + left_out_[i], spans.row(left_out_[i]));
  }

  /// After the last tile: what the rows computed apart give to keys and values goes to what the kernel left there, all of it at once.
  void finish() {
    add_apart(key_sums_, gradient_.key_gradient);
    add_apart(value_sums_, gradient_.value_gradient);
  }

 private:
  /// The forward pass of the tile without its values: base and sum of the scores as this pass computes them, neither rounded to a logarithm.
  void normalise_again(std::size_t first, std::size_t count, const kernels::TileRows* mask, Room<float>& scratch) {
    if (best_.size() == 0) best_.reset(given_.n);
    if (sum_.size() == 0) sum_.reset(given_.n);
    kernels::Head scores = ordinary_;
    scores.v = scores.output_stride = 0;
    scores.best = best_.data();
    scores.sum = sum_.data();
    kernels::TileCounts unused;
    kernels::fused_tile(scores, first, count, mask, scratch.data(), unused);
    for (std::size_t row = first; row < first + count; ++row) {
      if (share_[row] == 0 || !(sum_[row] > 0)) continue;
      base_[row] = best_[row];
      share_[row] = 1 / sum_[row];
    }
  }

  void add_reference(std::size_t query, std::span<const KeySpan> spans) {
    row_.weigh(given_, query, spans);
    const std::size_t d = given_.d;
    const std::size_t v = given_.v;
    const float* upstream = gradient_.upstream + query * v;
    slopes_.reset(row_.keys.size());
    double along = 0;
    for (std::size_t i = 0; i < slopes_.size(); ++i) {
      if (row_.weights[i] == 0) continue;
      for (std::size_t c = 0; c < v; ++c) slopes_[i] += static_cast<double>(upstream[c]) * static_cast<double>(given_.values[row_.keys[i] * v + c]);
      slopes_[i] *= row_.weights[i];
      along += slopes_[i];
    }
    own_.reset(d);
    // made where the first such row is
    if (key_sums_.size() == 0) key_sums_.reset(given_.m * d);
    if (value_sums_.size() == 0) value_sums_.reset(given_.m * v);
    for (std::size_t i = 0; i < slopes_.size(); ++i) {
      const double weight = row_.weights[i];
      if (weight == 0) continue;
      const std::size_t key = row_.keys[i];
      for (std::size_t c = 0; c < v; ++c) value_sums_[key * v + c] += weight * static_cast<double>(upstream[c]);
      const double slope = (slopes_[i] - weight * along) * static_cast<double>(given_.scale);
      if (slope == 0) continue;
      for (std::size_t c = 0; c < d; ++c) {
        own_[c] += slope * static_cast<double>(given_.keys[key * d + c]);
        key_sums_[key * d + c] += slope * static_cast<double>(given_.queries[query * d + c]);
      }
    }
    for (std::size_t c = 0; c < d; ++c) gradient_.query_gradient[query * d + c] = static_cast<float>(own_[c]);
  }

  static void add_apart(const Room<double>& sums, float* to) {
    for (const double sum : sums) {
      if (sum != 0) *to = static_cast<float>(static_cast<double>(*to) + sum);
      ++to;
    }
  }

  kernels::Head given_, ordinary_;
  kernels::GradientHead gradient_;
  const float* output_;
  const float* log_normalizer_;
  OddRows odd_;
  Room<float> base_, share_, along_, best_, sum_;
  std::array<std::size_t, kernels::tile_queries> left_out_{};
  std::size_t left_ = 0;
  ReferenceRow row_;
  Room<double> slopes_, own_;
  Room<double> key_sums_, value_sums_;  ///< of the rows computed apart: a sum may be a float though a part of it is none
};

}  // namespace

std::optional<Error> calls::check_gradient(const Gradient& call) {
  const auto& [operands, forward, upstream, mask, gradient] = call;
  const Shape4& q = operands.queries.shape;
  const Shape4& k = operands.keys.shape;
  const Shape4& v = operands.values.shape;
  if (auto error = check_fused_shapes(q, k, v)) return error;
  const Shape4 output{q[0], q[1], q[2], v[3]};
  const std::span<const std::size_t> wanted(output);
  const struct {
    const char* name;
    std::span<const std::size_t> shape, wanted;
  } tensors[] = {{"output", forward.output.shape, wanted}, {"log_normalizer", forward.log_normalizer.shape, wanted.first(3)}, {"upstream", upstream.shape, wanted},
                 {"gradient", gradient.queries.shape, q}, {"gradient", gradient.keys.shape, k}, {"gradient", gradient.values.shape, v}};
  for (const auto& tensor : tensors) {
    if (!std::equal(tensor.shape.begin(), tensor.shape.end(), tensor.wanted.begin())) return misfit(tensor.name, tensor.shape, tensor.wanted);
  }
  return check_mask(mask, q, {}, k[2]);
}

FusedTiles calls::run_gradient(const Gradient& call) {
  const Shape4 q = call.operands.queries.shape;
  const std::size_t keys = call.operands.keys.shape[2];
  const std::size_t v = call.operands.values.shape[3];
  std::fill_n(call.gradient.keys.data, call.gradient.keys.size(), 0.0f);
  std::fill_n(call.gradient.values.data, call.gradient.values.size(), 0.0f);
  if (q[0] == 0 || q[1] == 0 || q[2] == 0 || keys == 0) {
    std::fill_n(call.gradient.queries.data, call.gradient.queries.size(), 0.0f);
    return {};
  }
  KeyRows rows(call.mask, q, {}, keys);
  const bool masked = rows.any();
  kernels::TileCounts counts;
  Room<float> scratch(std::max(kernels::gradient_scratch(q[3], v), kernels::fused_scratch(q[3], 0)));
  for (std::size_t at = 0; at < q[0] * q[1]; ++at) {
    const float scale = q[3] == 0 ? 1.0f : static_cast<float>(1 / std::sqrt(static_cast<double>(q[3])));
    const kernels::GradientHead head{.queries = call.operands.queries.data + at * q[2] * q[3],
                                     .keys = call.operands.keys.data + at * keys * q[3],
                                     .values = call.operands.values.data + at * keys * v,
                                     .upstream = call.upstream.data + at * q[2] * v,
                                     .base = nullptr, .share = nullptr, .along = nullptr,
                                     .query_gradient = call.gradient.queries.data + at * q[2] * q[3],
                                     .key_gradient = call.gradient.keys.data + at * keys * q[3],
                                     .value_gradient = call.gradient.values.data + at * keys * v,
                                     .n = q[2], .m = keys, .d = q[3], .v = v, .scale = scale};
    const kernels::Head operands_of{.queries = head.queries, .keys = head.keys, .values = head.values,
                                    .output = nullptr, .best = nullptr, .sum = nullptr, .n = q[2], .m = keys, .d = q[3], .v = v,
                                    .query_stride = q[3], .key_stride = q[3], .value_stride = v, .output_stride = v, .scale = scale};
    HeadGradient one(operands_of, head, call.forward.output.data + at * q[2] * v, call.forward.log_normalizer.data + at * q[2]);
    for (std::size_t first = 0; first < q[2]; first += kernels::tile_queries) {
      const std::size_t count = std::min(kernels::tile_queries, q[2] - first);
      kernels::TileRows tile{};
      if (masked || one.any_odd()) rows.tile(at, first, count, tile);
      one.tile(first, count, masked ? &tile : nullptr, rows.rows(), scratch, counts);
    }
    one.finish();
    if (keys > 1 || one.any_odd()) continue;
    // a single key weighs 1 whatever its score; the kernel would leave roundings
    std::fill_n(head.query_gradient, q[2] * q[3], 0.0f);
    std::fill_n(head.key_gradient, q[3], 0.0f);
  }
  return {counts.full, counts.mixed, counts.empty};
}

Result<FusedTiles> fused_gradient_into(const FusedOperands& operands, const FusedResults& forward, const View<const float, 4>& upstream,
                                       const MaskView& mask, const FusedGradientViews& gradient) {
  const calls::Gradient call{operands, forward, upstream, mask, gradient};
  if (auto error = check_gradient(call)) return *std::move(error);
  return run_gradient(call);
}

Result<FusedGradient> fused_gradient(const Tensor<float, 4>& queries, const Tensor<float, 4>& keys, const Tensor<float, 4>& values, const Tensor<float, 4>& output,
                                     const Tensor<float, 3>& log_normalizer, const Tensor<float, 4>& upstream, const MaskView& mask) {
  FusedGradient result{Tensor<float, 4>::from_shape(queries.shape()), Tensor<float, 4>::from_shape(keys.shape()), Tensor<float, 4>::from_shape(values.shape()), {}};
  const auto tiles = fused_gradient_into({view_of(queries), view_of(keys), view_of(values)}, {view_of(output), view_of(log_normalizer)}, view_of(upstream), mask,
                                         {view_of(result.queries), view_of(result.keys), view_of(result.values)});
  if (!tiles) return tiles.error();
  result.tiles = tiles.value();
  return result;
}

}  // namespace attn

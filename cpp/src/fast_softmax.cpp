// Rows and masks of the fast softmax; see attn/fast_softmax.hpp. A row whose allowed keys are one span is computed where it stands;
// several spans are gathered, computed and put back. Rows with NaN or +infinity are dealt with here: they need no exponential.
#include "attn/fast_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fast_calls.hpp"
#include "fast_shapes.hpp"
#include "fused_rows.hpp"
#include "kernels/fast.hpp"

namespace attn {
namespace {

/// A row with NaN or +infinity: NaN everywhere, or the infinite scores share all weight.
void limit_row(const float* in, float* out, std::size_t count) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  bool nan = false;
  std::size_t infinite = 0;
  for (std::size_t j = 0; j < count; ++j) {
    nan = nan || std::isnan(in[j]);
    infinite += in[j] == infinity ? 1 : 0;
  }
  const float share = nan ? std::numeric_limits<float>::quiet_NaN() : 1.0f / static_cast<float>(infinite);
  for (std::size_t j = 0; j < count; ++j) out[j] = nan || in[j] == infinity ? share : 0.0f;
}

void softmax(const kernels::FastKernels& fast, const float* in, float* out, std::size_t count, std::size_t total) {
  if (fast.softmax(in, out, count, total)) return;
  limit_row(in, out, count);
  std::fill(out + count, out + total, 0.0f);
}

}  // namespace

std::optional<Error> calls::check_softmax(const Softmax& call) {
  if (auto error = check_output(call.weights.shape, call.scores.shape)) return error;
  return check_mask(call.mask, call.scores.shape, {}, call.scores.shape[3]);
}

void calls::run_softmax(const Softmax& call) {
  const auto [batch, heads, queries, keys] = call.scores.shape;
  if (call.scores.size() == 0) return;
  KeyRows rows(call.mask, call.scores.shape, {}, keys);
  const kernels::FastKernels& fast = kernels::fast_kernels();
  Room<float> gathered(keys);
  const bool same = rows.same_for_queries();
  const float* in = call.scores.data;
  float* out = call.weights.data;
  for (std::size_t slice = 0; slice < batch * heads; ++slice) {
    for (std::size_t q = 0; q < queries; ++q, in += keys, out += keys) {
      const std::size_t row = same ? 0 : q % SpanRows::most;
      if (row == 0 && (q == 0 || !same)) rows.read(slice, q, same ? 1 : std::min(queries - q, SpanRows::most));
      const auto spans = rows.rows().row(row);
      if (spans.size() == 1) {
        const auto [begin, end] = spans.front();
        softmax(fast, in + begin, out + begin, end - begin, keys - begin);
        std::fill(out, out + begin, 0.0f);
        continue;
      }
      float* to = gathered.data();
      for (const auto& [begin, end] : spans) to = std::copy(in + begin, in + end, to);
      const auto count = static_cast<std::size_t>(to - gathered.data());
      softmax(fast, gathered.data(), gathered.data(), count, count);
      std::fill(out, out + keys, 0.0f);
      const float* from = gathered.data();
      for (const auto& [begin, end] : spans) {
        std::copy(from, from + (end - begin), out + begin);
        from += end - begin;
      }
    }
  }
}

std::optional<Error> fast_masked_softmax_into(const View<const float, 4>& scores, const MaskView& mask, const View<float, 4>& weights) {
  const calls::Softmax call{scores, mask, weights};
  if (auto error = check_softmax(call)) return error;
  run_softmax(call);
  return std::nullopt;
}

Result<Tensor<float, 3>> fast_masked_softmax(const Tensor<float, 3>& scores, const MaskView& mask) {
  const auto [batch, queries, keys] = shape_of(scores);
  Tensor<float, 3> weights = Tensor<float, 3>::from_shape({batch, queries, keys});
  const std::array<std::size_t, 4> shape{batch, 1, queries, keys};
  if (auto error = fast_masked_softmax_into({scores.data(), shape}, mask, {weights.data(), shape})) return *std::move(error);
  return weights;
}

}  // namespace attn

// Shapes and panels of the fast entropies; see attn/fast_entropy.hpp. Queries stand in lanes: a panel of them is transposed once, all
// keys are multiplied with it, and both forms of the entropy read the same scores. Rows with NaN, infinities or giants are computed
// here, in double: the readable form.
#include "attn/fast_entropy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "attn/entropy.hpp"
#include "attn/softmax.hpp"
#include "fast_calls.hpp"
#include "fast_shapes.hpp"
#include "kernels/dot.hpp"
#include "kernels/fast.hpp"
#include "kernels/fused.hpp"
#include "ln_near.hpp"
#include "room.hpp"

namespace attn {
namespace {

/// Up to this width all scores are computed in double. Beyond it those that weigh much are, and floats are summed in parts: a long float
/// sum errs by its largest part at every step.
constexpr std::size_t narrow = 32;
constexpr std::size_t depth_block(std::size_t d) { return d < 128 ? 16 : 32; }
/// How far below the largest score weighs much, in nats: one part in 250 of its weight.
constexpr float near_score = 5.5f;
/// Fewer queries an example than these leave most lanes empty.
constexpr std::size_t few_queries = 4;
/// How far below the largest a score may lie for the kernel to take it: weightless, and a float.
constexpr double lowest = -1e38;
/// Columns of the widest target's panel.
constexpr std::size_t most_panel = 32;

/// One query in double.
double entropy_of(const float* query, const float* keys, std::size_t m, std::size_t d, double factor) {
  Room<double> scores(m);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < d; ++i) scores[j] += static_cast<double>(query[i]) * static_cast<double>(keys[j * d + i]);
    scores[j] *= factor;
  }
  Room<double> weights(m);
  softmax_row(scores.all(), weights.all());
  return entropy(std::span<const double>(weights.all()));
}

/// Scores that weigh much once more, in double: `close` names them as key * panel + query, and their lane's largest is among them. What
/// is left in `scores` is small and relative to that, so a float holds it well. Where the largest stands alone there is nothing to sharpen.
void sharpen(const float* queries, const float* keys, std::size_t d, std::size_t panel, std::size_t rows, std::span<const std::uint32_t> close, Room<float>& scores) {
  std::array<double, most_panel> largest;
  largest.fill(-std::numeric_limits<double>::infinity());
  std::array<std::size_t, most_panel> rivals{};
  const std::size_t lane_of = panel - 1;
  for (const std::uint32_t at : close) ++rivals[at & lane_of];
  Room<double> exact(close.size());
  const int shift = std::countr_zero(panel);
  for (std::size_t i = 0; i < close.size(); ++i) {
    const std::size_t lane = close[i] & lane_of;
    if (lane >= rows || rivals[lane] == 1) continue;
    exact[i] = kernels::dot(queries + lane * d, keys + (close[i] >> shift) * d, d);
    largest[lane] = std::max(largest[lane], exact[i]);
  }
  for (std::size_t i = 0; i < close.size(); ++i) {
    const std::size_t lane = close[i] & lane_of;
    if (lane < rows && rivals[lane] > 1) scores[close[i]] = static_cast<float>(exact[i] - largest[lane]);
  }
}

/// Too few queries for the lanes of a panel: every row of the whole batch is a lane, its scores computed in double one after the other.
void by_rows(const kernels::FastKernels& fast, const View<const float, 3>& queries, const View<const float, 3>& keys, const std::array<double, 2>& factors, const std::array<double*, 2>& out) {
  const auto [batch, n, d] = queries.shape;
  const std::size_t m = keys.shape[1];
  const std::size_t panel = fast.panel;
  Room<double> exact(m);
  Room<float> scores(m * panel);
  Room<double> sum(panel);
  Room<double> weighted(panel);
  std::array<bool, most_panel> odd{};
  for (std::size_t first = 0; first < batch * n; first += panel) {
    const std::size_t rows = std::min(panel, batch * n - first);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t row = first + r;
      kernels::dots(queries.data + row * d, keys.data + row / n * m * d, m, d, exact.data());
      double largest = exact[0];
      bool finite = true;
      for (const double score : exact.all()) {
        largest = std::max(largest, score);
        finite = finite && std::isfinite(score);
      }
      odd[r] = !finite;
      for (std::size_t j = 0; j < m; ++j) scores[j * panel + r] = finite ? static_cast<float>(std::max(exact[j] - largest, lowest)) : 0.0f;
    }
    for (std::size_t form = 0; form < 2; ++form) {
      fast.spread(scores.data(), m, static_cast<float>(factors[form]), sum.data(), weighted.data());
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t row = first + r;
        out[form][row] = odd[r] ? entropy_of(queries.data + row * d, keys.data + row / n * m * d, m, d, factors[form]) : ln_near(sum[r]) - weighted[r] / sum[r];
      }
    }
  }
}

}  // namespace

std::optional<Error> calls::check_entropies(const Entropies& call, std::size_t panel) {
  const auto& queries = call.queries.shape;
  const auto& keys = call.keys.shape;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{2}}) {
    if (keys[axis] != queries[axis]) return misfit("keys", keys, "queries", queries, axis, queries[axis]);
  }
  if (const auto elements = checked_elements("queries", std::array{queries[2], panel}, sizeof(float)); !elements) return elements.error();
  if (const auto elements = checked_elements("keys", std::array{keys[1], panel, std::size_t{2}}, sizeof(float)); !elements) return elements.error();
  return std::nullopt;
}

void calls::run_entropies(const Entropies& call) {
  const auto& [queries, keys, scaled, unscaled] = call;
  const auto [batch, n, d] = queries.shape;
  const std::size_t m = keys.shape[1];
  const kernels::FastKernels& fast = kernels::fast_kernels();
  const std::size_t panel = fast.panel;
  if (batch * n == 0) return;
  if (m == 0) {
    std::fill(scaled, scaled + batch * n, 0.0);
    std::fill(unscaled, unscaled + batch * n, 0.0);
    return;
  }

  const std::array<double, 2> factors{d == 0 ? 1.0 : 1.0 / std::sqrt(static_cast<double>(d)), 1.0};
  const std::array<double*, 2> out{scaled, unscaled};
  if (n < few_queries) return by_rows(fast, queries, keys, factors, out);

  Room<float> packed(d * panel);
  Room<float> scores(m * panel);
  Room<double> sum(panel);
  Room<double> weighted(panel);
  Room<std::uint32_t> close(d > narrow ? m * panel : 0);
  Room<double> room(d > narrow ? 0 : m * panel);
  Room<double> wide_queries(d > narrow ? 0 : d * panel);
  Room<double> wide_keys(d > narrow ? 0 : m * d);
  Room<std::uint8_t> odd(std::max(n, m));
  for (std::size_t b = 0; b < batch; ++b) {
    const float* q = queries.data + b * n * d;
    const float* k = keys.data + b * m * d;
    std::fill(odd.begin(), odd.end(), std::uint8_t{0});
    const bool odd_key = kernels::mark_odd_rows(k, d, m, d, kernels::ordinary, odd.data());
    std::fill(odd.begin(), odd.end(), odd_key ? std::uint8_t{1} : std::uint8_t{0});
    kernels::mark_odd_rows(q, d, n, d, kernels::ordinary, odd.data());
    if (d <= narrow) fast.widen(k, m * d, wide_keys.data());
    for (std::size_t first = 0; first < n; first += panel) {
      const std::size_t rows = std::min(panel, n - first);
      fast.transpose(q + first * d, d, rows, d, 1.0f, packed.data());
      if (d <= narrow) {
        fast.widen(packed.data(), d * panel, wide_queries.data());
        fast.exact(wide_queries.data(), wide_keys.data(), m, d, room.data(), scores.data());
      } else {
        for (std::size_t i = 0; i < d; i += depth_block(d)) {
          fast.product(k + i, d, m, packed.data() + i * panel, panel, std::min(depth_block(d), d - i), scores.data(), panel, i > 0);
        }
        const std::size_t found = fast.shift(scores.data(), m, near_score, close.data());
        sharpen(q + first * d, k, d, panel, rows, close.all().first(found), scores);
      }
      for (std::size_t form = 0; form < 2; ++form) {
        double* to = out[form] + b * n + first;
        fast.spread(scores.data(), m, static_cast<float>(factors[form]), sum.data(), weighted.data());
        for (std::size_t r = 0; r < rows; ++r) {
          to[r] = odd[first + r] != 0 ? entropy_of(q + (first + r) * d, k, m, d, factors[form]) : ln_near(sum[r]) - weighted[r] / sum[r];
        }
      }
    }
  }
}

std::optional<Error> fast_entropies_into(const View<const float, 3>& queries, const View<const float, 3>& keys, double* scaled, double* unscaled) {
  const calls::Entropies call{queries, keys, scaled, unscaled};
  if (auto error = check_entropies(call, kernels::fast_kernels().panel)) return error;
  run_entropies(call);
  return std::nullopt;
}

Result<FastEntropies> fast_entropies(const Tensor<float, 3>& queries, const Tensor<float, 3>& keys) {
  const std::array<std::size_t, 2> shape{shape_of(queries)[0], shape_of(queries)[1]};
  if (const auto elements = checked_elements("output", shape, sizeof(double)); !elements) return elements.error();
  FastEntropies found{Tensor<double, 2>::from_shape(shape), Tensor<double, 2>::from_shape(shape)};
  if (auto error = fast_entropies_into(view_of(queries), view_of(keys), found.scaled.data(), found.unscaled.data())) return *std::move(error);
  return found;
}

}  // namespace attn

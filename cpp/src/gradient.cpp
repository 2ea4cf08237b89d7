// Vector-Jacobian products. With G the upstream gradient of the scores, already divided by the rule's divisor, and x_i, y_j the
// two sides of the inner product: X' = G Y, Y' = G^T X, and then
//   Dot, ScaledDot  x = q, y = k: q' = X', k' = Y'
//   Gaussian        q' = X' - q sum_j G_ij (with the query's norm), k' = Y' - k sum_i G_ij
//   Bilinear        x = M^T q, y = k: M' = sum q X'^T, q' = M X', k' = Y'
//   LowRank         x = A^T q, y = B^T k: A' = sum q X'^T, B' = sum k Y'^T, q' = A X', k' = B Y'
//   Cosine          x = q / |q|: q' = (X' - x (x . X')) / |q|, the same for keys
//   Additive        z = G_ij w_v f'(a_i + b_j), a = W_q q, b = W_k k: a'_i = sum_j z, b'_j = sum_i z, w_v' = sum G_ij f(a_i + b_j),
//                   W_q' = sum a' q^T, W_k' = sum b' k^T, q' = W_q^T a', k' = W_k^T b'; f' = 1 - tanh^2 or 1
#include "attn/gradient.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "attn/math.hpp"
#include "products.hpp"
#include "score_detail.hpp"

namespace attn {
namespace {

using products::Batch;
using products::Named;
using Shape = std::array<std::size_t, 3>;

std::optional<Error> check_equal(const char* name, const Shape& own, const char* other_name, const Shape& other) {
  constexpr std::array<const char*, 3> axes{"batch", "queries", "last"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (auto error = products::misfit({name, own}, axis, axes[axis], {other_name, other}, axis)) return error;
  }
  return std::nullopt;
}

/// `gradient` -= x times the row's sum of G, for the norms of the Gaussian. A sum of 0 reads nothing.
void subtract_scaled(Batch& gradient, const Batch& x, const std::vector<double>& sums) {
  const std::size_t c = x.shape()[2];
  for (std::size_t row = 0; row < sums.size(); ++row) {
    if (sums[row] == 0) continue;
    for (std::size_t i = 0; i < c; ++i) gradient.data()[row * c + i] -= x.data()[row * c + i] * sums[row];
  }
}

/// From the gradient of rows of length 1 to that of the rows they were made of.
void through_unit_rows(Batch& gradient, const Batch& units, const std::vector<double>& lengths) {
  const std::size_t c = units.shape()[2];
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    double* g = gradient.data() + row * c;
    const double* x = units.data() + row * c;
    if (std::all_of(g, g + c, [](double entry) { return entry == 0; })) continue;
    const double along = products::dot(x, g, c);
    for (std::size_t i = 0; i < c; ++i) g[i] = lengths[row] == 0 ? 0 : (g[i] - x[i] * along) / lengths[row];
  }
}

ScoreGradient additive_vjp(const Additive& rule, const Batch& queries, const Batch& keys, const Batch& upstream) {
  const Batch a = products::times_transposed(queries, rule.query_map);
  const Batch b = products::times_transposed(keys, rule.key_map);
  const auto [batch, n, m] = shape_of(upstream);
  const std::size_t h = a.shape()[2];
  const bool bent = rule.activation == Activation::tanh;
  Batch da = a;
  Batch db = b;
  Additive parameters = rule;
  da.fill(0);
  db.fill(0);
  parameters.score_vector.fill(0);
  for (std::size_t row = 0; row < batch * n; ++row) {
    for (std::size_t j = 0; j < m; ++j) {
      const double g = upstream.data()[row * m + j];
      if (g == 0) continue;
      const std::size_t key = row / n * m + j;
      for (std::size_t i = 0; i < h; ++i) {
        const double sum = a.data()[row * h + i] + b.data()[key * h + i];
        const double f = bent ? math::tanh(sum) : sum;
        const double z = g * rule.score_vector.data()[i] * (bent ? (1 - f) * (1 + f) : 1);
        da.data()[row * h + i] += z;
        db.data()[key * h + i] += z;
        parameters.score_vector.data()[i] += g * f;
      }
    }
  }
  parameters.query_map = products::outer(da, queries);
  parameters.key_map = products::outer(db, keys);
  return {products::times(da, rule.query_map), products::times(db, rule.key_map), std::move(parameters)};
}

ScoreGradient double_vjp(const ScoreRule& rule, const Batch& queries, const Batch& keys, Batch upstream) {
  if (const auto* additive = std::get_if<Additive>(&rule)) return additive_vjp(*additive, queries, keys, upstream);
  const double by = detail::divisor(rule, queries.shape()[2]);
  if (by != 1) {
    for (double& g : upstream) g /= by;
  }
  if (const auto* bilinear = std::get_if<Bilinear>(&rule)) {
    Batch dx = products::weighted(upstream, keys);
    Batch dk = products::weighted_transposed(upstream, products::times(queries, bilinear->matrix));
    return {products::times_transposed(dx, bilinear->matrix), std::move(dk), Bilinear{products::outer(queries, dx), bilinear->keys_first}};
  }
  if (const auto* low_rank = std::get_if<LowRank>(&rule)) {
    const Batch dx = products::weighted(upstream, products::times(keys, low_rank->key_map));
    const Batch dy = products::weighted_transposed(upstream, products::times(queries, low_rank->query_map));
    return {products::times_transposed(dx, low_rank->query_map), products::times_transposed(dy, low_rank->key_map),
            LowRank{products::outer(queries, dx), products::outer(keys, dy), low_rank->scaled}};
  }
  if (std::holds_alternative<Cosine>(rule)) {
    std::vector<double> query_lengths;
    std::vector<double> key_lengths;
    const Batch x = detail::unit_rows(queries, query_lengths);
    const Batch y = detail::unit_rows(keys, key_lengths);
    Batch dq = products::weighted(upstream, y);
    Batch dk = products::weighted_transposed(upstream, x);
    through_unit_rows(dq, x, query_lengths);
    through_unit_rows(dk, y, key_lengths);
    return {std::move(dq), std::move(dk), rule};
  }
  Batch dq = products::weighted(upstream, keys);
  Batch dk = products::weighted_transposed(upstream, queries);
  if (const auto* gaussian = std::get_if<Gaussian>(&rule)) {
    const auto [batch, n, m] = shape_of(upstream);
    std::vector<double> of_queries(batch * n);
    std::vector<double> of_keys(batch * m);
    for (std::size_t row = 0; row < batch * n; ++row) {
      for (std::size_t j = 0; j < m; ++j) {
        const double g = upstream.data()[row * m + j];
        of_queries[row] += g;
        of_keys[row / n * m + j] += g;
      }
    }
    if (gaussian->query_norm) subtract_scaled(dq, queries, of_queries);
    subtract_scaled(dk, keys, of_keys);
  }
  return {std::move(dq), std::move(dk), rule};
}

/// ds_j = u_j g_j - w_j sum_l u_l g_l of every row: w the weights, u the weights after dropout.
Batch softmax_vjp(const Batch& weights, const Batch& pooled, const Batch& upstream) {
  const auto [batch, n, m] = shape_of(weights);
  Batch out = Batch::from_shape({batch, n, m});
  for (std::size_t row = 0; row < batch * n; ++row) {
    const double* w = weights.data() + row * m;
    const double* u = pooled.data() + row * m;
    const double* g = upstream.data() + row * m;
    double* to = out.data() + row * m;
    double sum = 0;
    for (std::size_t j = 0; j < m; ++j) {
      to[j] = u[j] == 0 ? 0 : u[j] * g[j];
      sum += to[j];
    }
    for (std::size_t j = 0; j < m; ++j) {
      if (w[j] == 0) to[j] = 0;
      else to[j] -= w[j] * sum;
    }
  }
  return out;
}

}  // namespace

Result<ScoreGradient> scores_vjp(const ScoreRule& rule, const Tensor<double, 3>& queries, const Tensor<double, 3>& keys,
                                 const Tensor<double, 3>& upstream) {
  const Shape q = shape_of(queries);
  const Shape k = shape_of(keys);
  if (auto error = detail::check_scores(rule, q, k)) return *std::move(error);
  if (auto error = check_equal("upstream", shape_of(upstream), "scores", {q[0], q[1], k[1]})) return *std::move(error);
  return double_vjp(rule, queries, keys, upstream);
}

Result<Tensor<double, 3>> masked_softmax_vjp(const Tensor<double, 3>& weights, const Tensor<double, 3>& upstream) {
  if (auto error = check_equal("upstream", shape_of(upstream), "weights", shape_of(weights))) return *std::move(error);
  return softmax_vjp(weights, weights, upstream);
}

Result<AttentionGradient> attention_vjp(const ScoreRule& rule, const Tensor<double, 3>& queries, const Tensor<double, 3>& keys,
                                        const Tensor<double, 3>& values, const Attention<double>& forward,
                                        const Tensor<double, 3>& upstream) {
  const Shape q = shape_of(queries);
  const Shape k = shape_of(keys);
  const Shape v = shape_of(values);
  if (auto error = detail::check_scores(rule, q, k)) return *std::move(error);
  if (auto error = check_equal("values", v, "keys", {k[0], k[1], v[2]})) return *std::move(error);
  const Shape pairs{q[0], q[1], k[1]};
  if (auto error = check_equal("forward", shape_of(forward.weights), "scores", pairs)) return *std::move(error);
  if (auto error = check_equal("forward", shape_of(forward.pooled_weights), "scores", pairs)) return *std::move(error);
  if (auto error = check_equal("upstream", shape_of(upstream), "output", {q[0], q[1], v[2]})) return *std::move(error);

  // g_ij = dO_i . V_j is read only where the weight after dropout is not 0.
  const Batch ds = softmax_vjp(forward.weights, forward.pooled_weights, products::inner(upstream, values));
  ScoreGradient through = double_vjp(rule, queries, keys, ds);
  return AttentionGradient{std::move(through.queries), std::move(through.keys),
                           products::weighted_transposed(forward.pooled_weights, upstream), std::move(through.parameters)};
}

}  // namespace attn

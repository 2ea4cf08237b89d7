// The scoring rules in double. Every rule but the additive one is an inner product of rows made of queries and keys, plus, for
// the Gaussian, norms that are broadcast. See score.hpp.
#include "attn/score.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "attn/math.hpp"
#include "score_detail.hpp"

namespace attn {
namespace detail {
namespace {

using products::Batch;
using products::Matrix;
using products::Named;

/// Half the squared norm of every row.
std::vector<double> half_norms(const Batch& x) {
  const auto [batch, n, c] = shape_of(x);
  std::vector<double> halves(batch * n);
  for (std::size_t row = 0; row < halves.size(); ++row) {
    const double* from = x.data() + row * c;
    halves[row] = 0.5 * products::dot(from, from, c);
  }
  return halves;
}

/// The Gaussian's score of one pair whose squares leave the range of double: -|q - k|^2 / 2 from the differences, or without the
/// query's norm k . (q - k / 2), of numbers brought near 1 by a power of two. What then is too large for a double is its infinity.
double gaussian_in_range(const double* q, const double* k, std::size_t c, bool query_norm) {
  double largest = 0;
  for (std::size_t i = 0; i < c; ++i) {
    largest = query_norm ? std::max(largest, std::fabs(q[i] - k[i])) : std::max({largest, std::fabs(q[i]), std::fabs(k[i])});
  }
  if (std::isinf(largest)) return -largest;
  int exponent = 0;
  std::frexp(largest, &exponent);
  const auto near_1 = [=](double entry) { return std::ldexp(entry, -exponent); };
  const double sum = products::ordered_sum(c, [=](std::size_t i) {
    if (!query_norm) return near_1(k[i]) * (near_1(q[i]) - 0.5 * near_1(k[i]));
    const double apart = near_1(q[i] - k[i]);
    return -0.5 * (apart * apart);
  });
  return std::ldexp(sum, 2 * exponent);
}

bool all_finite(const double* row, std::size_t c) {
  return std::all_of(row, row + c, [](double entry) { return std::isfinite(entry); });
}

void subtract_norms(const Gaussian& rule, const Batch& queries, const Batch& keys, Batch& scores) {
  const auto [batch, n, m] = shape_of(scores);
  const std::size_t c = keys.shape()[2];
  const std::vector<double> of_keys = half_norms(keys);
  const std::vector<double> of_queries = rule.query_norm ? half_norms(queries) : std::vector<double>(batch * n);
  double* score = scores.data();
  for (std::size_t row = 0; row < batch * n; ++row) {
    const double* q = queries.data() + row * c;
    for (std::size_t j = 0; j < m; ++j, ++score) {
      const double* k = keys.data() + (row / n * m + j) * c;
      *score = (*score - of_keys[row / n * m + j]) - of_queries[row];
      if (!std::isfinite(*score) && all_finite(q, c) && all_finite(k, c)) *score = gaussian_in_range(q, k, c, rule.query_norm);
    }
  }
}

Batch additive_scores(const Additive& rule, const Batch& queries, const Batch& keys) {
  const Batch q = products::times_transposed(queries, rule.query_map);
  const Batch k = products::times_transposed(keys, rule.key_map);
  const auto [batch, n, h] = shape_of(q);
  const std::size_t m = k.shape()[1];
  const double* v = rule.score_vector.data();
  const bool bent = rule.activation == Activation::tanh;
  Batch out = Batch::from_shape({batch, n, m});
  double* to = out.data();
  for (std::size_t row = 0; row < batch * n; ++row) {
    const double* a = q.data() + row * h;
    for (std::size_t j = 0; j < m; ++j) {
      const double* b = k.data() + (row / n * m + j) * h;
      *to++ = products::ordered_sum(h, [=](std::size_t i) { return v[i] * (bent ? math::tanh(a[i] + b[i]) : a[i] + b[i]); });
    }
  }
  return out;
}

}  // namespace

std::optional<Error> check_scores(const ScoreRule& rule, const std::array<std::size_t, 3>& queries,
                                  const std::array<std::size_t, 3>& keys) {
  const Named q{"queries", queries};
  const Named k{"keys", keys};
  if (auto error = products::misfit(k, 0, "batch", q, 0)) return error;
  if (auto error = products::too_large(q)) return error;
  if (auto error = products::too_large(k)) return error;
  const std::array<std::size_t, 3> scores{queries[0], queries[1], keys[1]};
  if (auto error = products::too_large({"scores", scores})) return error;

  if (const auto* bilinear = std::get_if<Bilinear>(&rule)) {
    const auto shape = shape_of(bilinear->matrix);
    const Named matrix{"matrix", shape};
    if (auto error = products::misfit(matrix, 0, "width of the queries", q, 2)) return error;
    return products::misfit(matrix, 1, "width of the keys", k, 2);
  }
  if (const auto* low_rank = std::get_if<LowRank>(&rule)) {
    const auto a_shape = shape_of(low_rank->query_map);
    const auto b_shape = shape_of(low_rank->key_map);
    const Named a{"query_map", a_shape};
    const Named b{"key_map", b_shape};
    if (auto error = products::misfit(a, 0, "width of the queries", q, 2)) return error;
    if (auto error = products::misfit(b, 0, "width of the keys", k, 2)) return error;
    if (auto error = products::misfit(b, 1, "rank", a, 1)) return error;
    if (a_shape[1] == 0) {
      return Error{ErrorCode::out_of_range, "query_map",
                   std::string("query_map: shape ").append(shape_text(a_shape)).append(" has rank 0; allowed are ranks from 1")};
    }
    return std::nullopt;
  }
  if (const auto* additive = std::get_if<Additive>(&rule)) {
    const auto wq_shape = shape_of(additive->query_map);
    const auto wk_shape = shape_of(additive->key_map);
    const auto wv_shape = shape_of(additive->score_vector);
    const Named wq{"query_map", wq_shape};
    const Named wk{"key_map", wk_shape};
    if (auto error = products::misfit(wq, 1, "width of the queries", q, 2)) return error;
    if (auto error = products::misfit(wk, 1, "width of the keys", k, 2)) return error;
    if (auto error = products::misfit(wk, 0, "hidden units", wq, 0)) return error;
    return products::misfit({"score_vector", wv_shape}, 0, "hidden units", wq, 0);
  }
  return products::misfit(k, 2, "width", q, 2);
}

double divisor(const ScoreRule& rule, std::size_t width) {
  const auto* gaussian = std::get_if<Gaussian>(&rule);
  const auto* low_rank = std::get_if<LowRank>(&rule);
  const bool by_width = std::holds_alternative<ScaledDot>(rule) || (gaussian != nullptr && gaussian->scaled);
  if (low_rank != nullptr && low_rank->scaled) width = low_rank->query_map.shape()[1];
  else if (!by_width || width == 0) return 1;
  return std::sqrt(static_cast<double>(width));
}

Batch unit_rows(const Batch& x, std::vector<double>& lengths) {
  const auto [batch, n, c] = shape_of(x);
  Batch out = x;
  lengths.assign(batch * n, 0);
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    double* entries = out.data() + row * c;
    double largest = 0;
    for (std::size_t i = 0; i < c; ++i) largest = std::max(largest, std::fabs(entries[i]));
    // Squares stay in range when the largest entry is brought near 1, by a power of two, which rounds nothing that counts.
    int exponent = 0;
    if (largest > 0 && std::isfinite(largest)) std::frexp(largest, &exponent);
    for (std::size_t i = 0; i < c; ++i) entries[i] = std::ldexp(entries[i], -exponent);
    const double length = std::sqrt(products::dot(entries, entries, c));
    if (length == 0) continue;
    for (std::size_t i = 0; i < c; ++i) entries[i] /= length;
    lengths[row] = std::ldexp(length, exponent);
  }
  return out;
}

Batch double_scores(const ScoreRule& rule, const Batch& queries, const Batch& keys) {
  if (const auto* additive = std::get_if<Additive>(&rule)) return additive_scores(*additive, queries, keys);
  Batch scores;
  if (const auto* bilinear = std::get_if<Bilinear>(&rule)) {
    scores = bilinear->keys_first ? products::inner(queries, products::times_transposed(keys, bilinear->matrix))
                                  : products::inner(products::times(queries, bilinear->matrix), keys);
  } else if (const auto* low_rank = std::get_if<LowRank>(&rule)) {
    scores = products::inner(products::times(queries, low_rank->query_map), products::times(keys, low_rank->key_map));
  } else if (std::holds_alternative<Cosine>(rule)) {
    std::vector<double> lengths;
    scores = products::inner(unit_rows(queries, lengths), unit_rows(keys, lengths));
  } else {
    scores = products::inner(queries, keys);
    if (const auto* gaussian = std::get_if<Gaussian>(&rule)) subtract_norms(*gaussian, queries, keys, scores);
  }
  const double by = divisor(rule, queries.shape()[2]);
  if (by != 1) {
    for (double& score : scores) score /= by;
  }
  return scores;
}

}  // namespace detail

template <class T>
Result<Tensor<T, 3>> scores(const ScoreRule& rule, const Tensor<T, 3>& queries, const Tensor<T, 3>& keys) {
  if (auto error = detail::check_scores(rule, shape_of(queries), shape_of(keys))) return *std::move(error);
  return products::rounded<T>(detail::double_scores(rule, products::widened(queries), products::widened(keys)));
}

template Result<Tensor<float, 3>> scores(const ScoreRule&, const Tensor<float, 3>&, const Tensor<float, 3>&);
template Result<Tensor<double, 3>> scores(const ScoreRule&, const Tensor<double, 3>&, const Tensor<double, 3>&);

}  // namespace attn

// What the page of Additive scoring states about counts, evaluation orders, ranks and the variance of the factored score. Counts
// are proved by scoring with a number that counts its operations. See evidence.hpp.
#include <algorithm>
#include <cmath>

#include "additive_claims.hpp"
#include "additive_counts.hpp"
#include "additive_factored.hpp"
#include "additive_model.hpp"
#include "attn/math.hpp"
#include "attn/random/jax.hpp"
#include "evidence.hpp"

namespace attn::studies {
namespace {

using namespace additive_counts;
using additive_model::draw;
using additive_model::Example;

/// A number that tells a counter of every operation made with it.
struct Counted {
  double value = 0;
  double* operations = nullptr;
  friend Counted operator+(Counted a, Counted b) { return a.made(a.value + b.value); }
  friend Counted operator*(Counted a, Counted b) { return a.made(a.value * b.value); }
  [[nodiscard]] Counted bent() const { return made(math::tanh(value)); }
  [[nodiscard]] Counted over(double divisor) const { return made(value / divisor); }

 private:
  [[nodiscard]] Counted made(double result) const {
    *operations += 1;
    return {result, operations};
  }
};

struct Rows {
  std::size_t rows = 0, columns = 0;
  std::vector<Counted> entries;
  [[nodiscard]] const Counted& at(std::size_t r, std::size_t c) const { return entries[r * columns + c]; }
};

template <class T>
Rows rows_of(const T& tensor, std::size_t rows, std::size_t columns, double& operations) {
  Rows out{rows, columns, {}};
  for (const double value : tensor) out.entries.push_back({value, &operations});
  return out;
}

/// A B^T, every inner product started from 0; and A B.
Rows times_transposed(const Rows& a, const Rows& b, double& operations) {
  Rows out{a.rows, b.rows, {}};
  for (std::size_t r = 0; r < a.rows; ++r) {
    for (std::size_t c = 0; c < b.rows; ++c) {
      Counted sum{0, &operations};
      for (std::size_t i = 0; i < a.columns; ++i) sum = sum + a.at(r, i) * b.at(c, i);
      out.entries.push_back(sum);
    }
  }
  return out;
}

Rows transposed(const Rows& a) {
  Rows out{a.columns, a.rows, {}};
  for (std::size_t c = 0; c < a.columns; ++c) {
    for (std::size_t r = 0; r < a.rows; ++r) out.entries.push_back(a.at(r, c));
  }
  return out;
}

double distance(const Rows& rows, const Tensor<double, 3>& scored) {
  double most = rows.entries.size() == scored.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < rows.entries.size() && most < 1e300; ++i) most = std::max(most, std::fabs(rows.entries[i].value - scored.data()[i]));
  return most;
}

constexpr std::array<additive_model::Sizes, 3> tried{{{3, 6, 20, 2, 8}, {1, 1, 1, 1, 1}, {5, 4, 3, 7, 6}}};

Finding additive_count() {
  Proof proof;
  for (const auto& sizes : tried) {
    const auto [n, m, dq, dk, h] = sizes;
    const Example example = draw(sizes, false, 3);
    double operations = 0;
    const Rows q = times_transposed(rows_of(example.queries, n, dq, operations), rows_of(example.rule.query_map, h, dq, operations), operations);
    const Rows k = times_transposed(rows_of(example.keys, m, dk, operations), rows_of(example.rule.key_map, h, dk, operations), operations);
    Rows scored{n, m, {}};
    std::size_t features = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        Counted sum{0, &operations};
        for (std::size_t unit = 0; unit < h; ++unit, ++features) {
          sum = sum + Counted{example.rule.score_vector(unit), &operations} * (q.at(i, unit) + k.at(j, unit)).bent();
        }
        scored.entries.push_back(sum);
      }
    }
    const Cost cost = costs({n, m, dq, dk, h, 1, 1})[0];
    proof.require(operations == cost.operations, std::to_string(static_cast<long>(cost.operations)).append(" operations"));
    const std::size_t parameters = example.rule.query_map.size() + example.rule.key_map.size() + example.rule.score_vector.size();
    proof.require(static_cast<double>(parameters) == cost.parameters, std::to_string(parameters).append(" parameters"));
    proof.require(static_cast<double>(features) == cost.largest && cost.largest >= static_cast<double>(std::max(q.entries.size(), k.entries.size())), std::to_string(features).append(" entries at most"));
    proof.within("distance from the core", distance(scored, additive_model::scores_of(example, 1, Activation::tanh)), 0, 1e-14);
  }
  return proof.finding();
}

Finding dot_count() {
  Proof proof;
  for (const std::size_t d : {1U, 5U, 64U}) {
    const Example example = draw({5, 4, d, d, 1}, false, 4);
    double operations = 0;
    Rows scored = times_transposed(rows_of(example.queries, 5, d, operations), rows_of(example.keys, 4, d, operations), operations);
    for (Counted& score : scored.entries) score = score.over(std::sqrt(static_cast<double>(d)));
    const Cost cost = costs({5, 4, 1, 1, 1, d, 1})[1];
    proof.require(operations == cost.operations, std::to_string(static_cast<long>(cost.operations)).append(" operations"));
    proof.require(cost.parameters == 0 && cost.largest == static_cast<double>(scored.entries.size()), "no parameters, largest tensor the scores");
    proof.within("distance from the core", distance(scored, scores(ScoreRule{ScaledDot{}}, example.queries, example.keys).value()), 0, 1e-14);
  }
  return proof.finding();
}

Finding at_512() {
  Proof proof;
  const auto counted = costs({512, 512, 64, 64, 64, 64, 16});
  proof.within("ratio of operations", counted[0].operations / counted[1].operations, 2.23, 2.24);
  proof.require(counted[0].largest == 64 * counted[1].largest, "64 times the largest tensor");
  return proof.finding();
}

/// Both orders of the bilinear score by counting, against the formulas and the core.
Finding order_count() {
  Proof proof;
  for (const auto& sizes : tried) {
    const auto [n, m, dq, dk, h] = sizes;
    const Example example = draw(sizes, true, 5);
    const Example for_matrix = draw({dq, 1, dk, 1, 1}, true, 6);  // its queries (d_q, d_k) serve as M
    Bilinear rule{Tensor<double, 2>::from_shape({dq, dk}), false};
    std::copy(for_matrix.queries.begin(), for_matrix.queries.end(), rule.matrix.data());
    std::array<double, 2> operations{};
    std::array<double, 2> apart{};
    for (const std::size_t order : {0U, 1U}) {
      double& count = operations[order];
      const Rows q = rows_of(example.queries, n, dq, count), k = rows_of(example.keys, m, dk, count), matrix = rows_of(rule.matrix, dq, dk, count);
      const Rows scored = order == 0 ? times_transposed(times_transposed(q, transposed(matrix), count), k, count)
                                     : times_transposed(q, times_transposed(k, matrix, count), count);
      rule.keys_first = order == 1;
      apart[order] = distance(scored, scores(ScoreRule{rule}, example.queries, example.keys).value());
    }
    const auto steps = order_steps({n, m, dq, dk, h, 1, 1});
    for (const std::size_t order : {0U, 1U}) {
      proof.require(operations[order] == steps[order][0] + steps[order][1], std::to_string(static_cast<long>(operations[order])).append(" operations"));
      proof.within("distance from the core", apart[order], 0, 1e-12);
    }
  }
  return proof.finding();
}

Finding order_rule() {
  Proof proof;
  // In whole numbers: (1/m + 1/d_q < 1/n + 1/d_k) times n m d_q d_k, against the counts of the two products.
  std::size_t wrong = 0;
  std::size_t tied = 0;
  for (std::size_t n = 1; n <= 9; ++n) {
    for (std::size_t m = 1; m <= 9; ++m) {
      for (std::size_t dq = 1; dq <= 9; ++dq) {
        for (std::size_t dk = 1; dk <= 9; ++dk) {
          const auto steps = order_steps({n, m, dq, dk, 1, 1, 1});
          const double first = steps[0][0] + steps[0][1];
          const double second = steps[1][0] + steps[1][1];
          const std::size_t left = n * dq * dk + n * m * dk;
          const std::size_t right = m * dq * dk + n * m * dq;
          wrong += (left < right) != (first < second) ? 1U : 0U;
          tied += left == right && first == second ? 1U : 0U;
        }
      }
    }
  }
  proof.require(wrong == 0, "the rule decides as the counts do for all sizes up to 9");
  proof.require(tied > 0, "ties included");
  return proof.finding();
}

Finding order_section() {
  Proof proof;
  const auto steps = order_steps({});
  proof.require(steps[0][0] + steps[0][1] == 312, "(QM)K' 312");
  proof.require(steps[1][0] + steps[1][1] == 1200, "Q(MK') 1200");
  return proof.finding();
}

Finding rank_saves() {
  Proof proof;
  std::size_t wrong = 0;
  std::size_t unlimited = 0;
  for (std::size_t dq = 1; dq <= 40; ++dq) {
    for (std::size_t dk = 1; dk <= 40; ++dk) {
      Widths widths;
      widths.query_width = dq;
      widths.key_width = dk;
      for (std::size_t r = 1; r <= 41; ++r) {
        widths.rank = r;
        const auto counted = costs(widths);
        const bool saves = counted[3].parameters < counted[2].parameters;
        wrong += saves != (r * (dq + dk) < dq * dk) || saves != (r <= largest_saving_rank(widths)) ? 1U : 0U;
        unlimited += saves && r >= std::min(dq, dk) ? 1U : 0U;
      }
      wrong += break_even_rank(widths) < static_cast<double>(std::min(dq, dk)) ? 0U : 1U;
    }
  }
  proof.require(wrong == 0, "the threshold decides for all widths up to 40");
  proof.require(unlimited == 0, "every saving rank is below both widths");
  return proof.finding();
}

/// W_q^T W_k of r rows each, from one example's maps.
std::vector<double> product_of(const Example& example) {
  const auto& q = example.rule.query_map;
  const auto& k = example.rule.key_map;
  std::vector<double> product;
  for (std::size_t a = 0; a < q.shape()[1]; ++a) {
    for (std::size_t b = 0; b < k.shape()[1]; ++b) {
      double sum = 0;
      for (std::size_t j = 0; j < q.shape()[0]; ++j) sum += q(j, a) * k(j, b);
      product.push_back(sum);
    }
  }
  return product;
}

/// Pivots of elimination with full pivoting, greatest first: as many are not rounding as the rank.
std::size_t numerical_rank(std::vector<double> matrix, std::size_t rows, std::size_t columns) {
  std::size_t rank = 0;
  for (; rank < std::min(rows, columns); ++rank) {
    std::size_t at = rank * columns + rank;
    for (std::size_t r = rank; r < rows; ++r) {
      for (std::size_t c = rank; c < columns; ++c) {
        if (std::fabs(matrix[r * columns + c]) > std::fabs(matrix[at])) at = r * columns + c;
      }
    }
    if (std::fabs(matrix[at]) < 1e-12) return rank;
    for (std::size_t c = 0; c < columns; ++c) std::swap(matrix[rank * columns + c], matrix[at / columns * columns + c]);
    for (std::size_t r = 0; r < rows; ++r) std::swap(matrix[r * columns + rank], matrix[r * columns + at % columns]);
    for (std::size_t r = rank + 1; r < rows; ++r) {
      const double factor = matrix[r * columns + rank] / matrix[rank * columns + rank];
      for (std::size_t c = rank; c < columns; ++c) matrix[r * columns + c] -= factor * matrix[rank * columns + c];
    }
  }
  return rank;
}

Finding rank_limits() {
  Proof proof;
  for (const std::size_t r : {1U, 2U, 3U, 7U, 9U}) {
    const std::size_t rank = numerical_rank(product_of(draw({1, 1, 9, 7, r}, false, 70 + r)), 9, 7);
    proof.require(rank == std::min<std::size_t>(r, 7), std::string("r = ").append(std::to_string(r)).append(" gives rank ").append(std::to_string(rank)));
  }
  return proof.finding();
}

/// Variance of the factored score over fresh queries and keys, and over fresh maps too or under one pair of them: the sample
/// variance about 0 and its standard error. Entries are normal, or uniform of the same variance.
std::pair<double, double> direct_variance(std::size_t r, std::size_t dq, std::size_t dk, bool normal, const Example* maps, std::uint64_t seed) {
  const std::size_t count = 4000;
  const double root_q = std::sqrt(static_cast<double>(dq)), root_k = std::sqrt(static_cast<double>(dk));
  const auto keys = random::jax::split(random::jax::key(seed), 4);
  const auto fill = [&](random::Key key, std::size_t size) {
    std::vector<float> draws(size);
    if (normal) {
      random::jax::normal(key, 0, draws);
    } else {
      random::jax::uniform(key, 0, draws);
      for (float& each : draws) each = (each - 0.5F) * std::sqrt(12.0F);
    }
    return draws;
  };
  const auto q = fill(keys[0], count * dq), k = fill(keys[1], count * dk);
  const auto wq = fill(keys[2], maps == nullptr ? count * r * dq : 1), wk = fill(keys[3], maps == nullptr ? count * r * dk : 1);
  double second = 0;
  double fourth = 0;
  for (std::size_t s = 0; s < count; ++s) {
    double score = 0;
    for (std::size_t j = 0; j < r; ++j) {
      double u = 0;
      double t = 0;
      for (std::size_t a = 0; a < dq; ++a) u += static_cast<double>(q[s * dq + a]) * (maps != nullptr ? maps->rule.query_map(j, a) : static_cast<double>(wq[(s * r + j) * dq + a]) / root_q);
      for (std::size_t a = 0; a < dk; ++a) t += static_cast<double>(k[s * dk + a]) * (maps != nullptr ? maps->rule.key_map(j, a) : static_cast<double>(wk[(s * r + j) * dk + a]) / root_k);
      score += u * t;
    }
    second += score * score / count;
    fourth += score * score * score * score / count;
  }
  return {second, std::sqrt((fourth - second * second) / count)};
}

Finding factored_variance() {
  Proof proof;
  struct Case {
    std::size_t r, dq, dk;
    bool normal;
  };
  for (const auto& [r, dq, dk, normal] : {Case{1, 20, 2, true}, Case{4, 20, 2, true}, Case{16, 20, 2, false}, Case{4, 3, 9, false}, Case{8, 30, 30, true}}) {
    const auto [variance, error] = direct_variance(r, dq, dk, normal, nullptr, 90 + r + dq);
    const auto rank = static_cast<double>(r);
    proof.within(std::string(normal ? "normal, r = " : "uniform, r = ").append(std::to_string(r)).append(", distance in standard errors"), (variance - rank) / error, -4, 4);
    proof.within("standard error over r", error / rank, 0, 0.1);
  }
  // What the study draws has the same variances.
  for (const bool torch : {false, true}) {
    const auto spreads = additive_factored::spreads(20, 2, torch, 11);
    double worst = 0;
    for (std::size_t r = 1; r <= additive_factored::most_ranks; ++r) worst = std::max(worst, std::fabs(spreads[r - 1].variance - static_cast<double>(r)) / spreads[r - 1].standard_error);
    proof.within("the study’s own, worst of 64 ranks in standard errors", worst, 0, 4.5);
  }
  return proof.finding();
}

Finding fixed_maps() {
  Proof proof;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Example maps = draw({1, 1, 20, 2, 8}, false, 200 + seed);
    double squares = 0;
    for (const double entry : product_of(maps)) squares += entry * entry;
    const auto [variance, error] = direct_variance(8, 20, 2, true, &maps, 300 + seed);
    proof.within("distance from the sum of squares in standard errors", (variance - squares) / error, -4, 4);
    proof.within("standard error over the variance", error / squares, 0, 0.1);
  }
  return proof.finding();
}

}  // namespace

std::vector<Claim> additive_cost_claims() {
  return {
      {"additive-count", "The additive rule has h(d_q + d_k + 1) parameters, takes 2h(n d_q + m d_k) + 4nmh operations, and its largest intermediate is the hidden layer, n m h entries.", proof(additive_count)},
      {"dot-count", "The scaled dot product has no parameters and takes 2nmd + nm operations; its largest intermediate is the scores, n m entries.", proof(dot_count)},
      {"at-512", "At n = m = 512 with every width 64 the additive rule takes 2.2 times the operations of the scaled dot product, and an intermediate 64 times as large.", proof(at_512)},
      {"order-count", "(QM)Kᵀ takes 2n d_k(d_q + m) operations and Q(MKᵀ) takes 2m d_q(d_k + n); the scores are the same but for rounding.", proof(order_count)},
      {"order-rule", "(QM)Kᵀ is the cheaper exactly when 1/m + 1/d_q < 1/n + 1/d_k.", proof(order_rule)},
      {"order-section", "For three queries of width 20 and six keys of width 2 the counts are 312 and 1200.", proof(order_section)},
      {"rank-saves", "Two factors of rank r have fewer parameters than M exactly when r < d_q d_k/(d_q + d_k), which is less than either width.", proof(rank_saves)},
      {"rank-limits", "A product of two factors with r rows has rank r at most.", proof(rank_limits)},
      {"factored-variance", "With maps drawn as in the section the factored score has variance r, whatever the widths, so 1/√r takes the place of 1/√d.", proof(factored_variance)},
      {"fixed-maps", "Under one fixed pair of maps the variance is the sum of the squared entries of their product M.", proof(fixed_maps)},
  };
}

}  // namespace attn::studies

// Scoring rules against plain triple loops in long double, against each other, and at their edges.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "attn/chains.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/score.hpp"
#include "attn/softmax.hpp"
#include "kernels/dot.hpp"
#include "layers_support.hpp"

using namespace attn;
using namespace layers;

namespace {

using Real = long double;

/// A score as the formula says it, and the sum of the magnitudes that were added: what rounding errors are relative to.
struct Plain {
  Real value = 0;
  Real magnitude = 0;
  void add(Real term) {
    value += term;
    magnitude += std::fabs(term);
  }
  void divide(Real by) {
    value /= by;
    magnitude /= by;
  }
};

Plain plain_score(const ScoreRule& rule, const double* q, std::size_t dq, const double* k, std::size_t dk) {
  Plain s;
  const auto root = [](std::size_t n) { return std::sqrt(static_cast<Real>(n)); };
  if (const auto* r = std::get_if<Bilinear>(&rule)) {
    for (std::size_t a = 0; a < dq; ++a) {
      for (std::size_t b = 0; b < dk; ++b) s.add(Real{q[a]} * Real{r->matrix(a, b)} * Real{k[b]});
    }
  } else if (const auto* l = std::get_if<LowRank>(&rule)) {
    const std::size_t rank = l->query_map.shape()[1];
    for (std::size_t c = 0; c < rank; ++c) {
      for (std::size_t a = 0; a < dq; ++a) {
        for (std::size_t b = 0; b < dk; ++b) s.add(Real{q[a]} * Real{l->query_map(a, c)} * Real{l->key_map(b, c)} * Real{k[b]});
      }
    }
    if (l->scaled) s.divide(root(rank));
  } else if (const auto* w = std::get_if<Additive>(&rule)) {
    for (std::size_t h = 0; h < w->score_vector.size(); ++h) {
      Real sum = 0;
      Real magnitude = 0;
      for (std::size_t a = 0; a < dq; ++a) sum += Real{w->query_map(h, a)} * Real{q[a]}, magnitude += std::fabs(Real{w->query_map(h, a)} * Real{q[a]});
      for (std::size_t b = 0; b < dk; ++b) sum += Real{w->key_map(h, b)} * Real{k[b]}, magnitude += std::fabs(Real{w->key_map(h, b)} * Real{k[b]});
      s.add(Real{w->score_vector(h)} * (w->activation == Activation::tanh ? std::tanh(sum) : sum));
      s.magnitude += std::fabs(Real{w->score_vector(h)}) * magnitude;
    }
  } else if (const auto* g = std::get_if<Gaussian>(&rule)) {
    // The definition itself, a sum over differences; without the query's norm that is added back.
    for (std::size_t i = 0; i < dq; ++i) {
      s.add(-(Real{q[i]} - Real{k[i]}) * (Real{q[i]} - Real{k[i]}) / 2);
      if (!g->query_norm) s.add(Real{q[i]} * Real{q[i]} / 2);
      s.magnitude += Real{q[i]} * Real{q[i]} + Real{k[i]} * Real{k[i]};
    }
    if (g->scaled) s.divide(root(dq));
  } else {
    Real norms = 1;
    if (std::holds_alternative<Cosine>(rule)) {
      Real qq = 0;
      Real kk = 0;
      for (std::size_t i = 0; i < dq; ++i) qq += Real{q[i]} * Real{q[i]}, kk += Real{k[i]} * Real{k[i]};
      norms = std::sqrt(qq * kk);
    }
    for (std::size_t i = 0; i < dq; ++i) s.add(Real{q[i]} * Real{k[i]} / norms);
    if (std::holds_alternative<ScaledDot>(rule)) s.divide(root(dq));
  }
  return s;
}

/// Rules of every kind for these widths; those that need equal widths only where they are.
std::vector<ScoreRule> rules_for(support::Bits& bits, std::size_t dq, std::size_t dk) {
  const std::size_t rank = 1 + bits.below(5);
  const std::size_t hidden = 1 + bits.below(12);
  std::vector<ScoreRule> rules{Bilinear{random_matrix(bits, dq, dk), bits.below(2) == 1},
                               LowRank{random_matrix(bits, dq, rank), random_matrix(bits, dk, rank), bits.below(2) == 1}};
  for (const Activation activation : {Activation::tanh, Activation::identity}) {
    rules.emplace_back(Additive{random_matrix(bits, hidden, dq), random_matrix(bits, hidden, dk), random_vector(bits, hidden), activation});
  }
  if (dq != dk) return rules;
  for (const ScoreRule& rule : {ScoreRule{Dot{}}, ScoreRule{ScaledDot{}}, ScoreRule{Cosine{}}}) rules.push_back(rule);
  for (const bool scaled : {false, true}) {
    for (const bool norm : {false, true}) rules.emplace_back(Gaussian{scaled, norm});
  }
  return rules;
}

Batch weights_under(const ScoreRule& rule, const Batch& queries, const Batch& keys) {
  return masked_softmax(scores(rule, queries, keys).value()).value();
}

template <class T>
Tensor<T, 3> shifted(Tensor<T, 3> x, const std::vector<double>& c) {
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] += static_cast<T>(c[i % c.size()]);
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("every rule is its formula, term by term", "[score]", float, double) {
  support::Bits bits(201);
  double worst = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t batch = 1 + bits.below(3), n = 1 + bits.below(4), m = 1 + bits.below(5), dq = 1 + bits.below(33);
    const std::size_t dk = bits.below(2) == 1 ? dq : 1 + bits.below(20);
    const auto queries = support::random_scores<TestType>(bits, batch, n, dq, 2);
    const auto keys = support::random_scores<TestType>(bits, batch, m, dk, 2);
    const Batch q = cast<double>(queries);
    const Batch k = cast<double>(keys);
    for (const ScoreRule& rule : rules_for(bits, dq, dk)) {
      const auto got = scores(rule, queries, keys).value();
      REQUIRE(shape_of(got) == std::array<std::size_t, 3>{batch, n, m});
      for (std::size_t i = 0; i < batch * n; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
          const Plain exact = plain_score(rule, q.data() + i * dq, dq, k.data() + (i / n * m + j) * dk, dk);
          const double error = static_cast<double>(std::fabs(static_cast<Real>(got.data()[i * m + j]) - exact.value));
          // For floats one rounding more, of half an ULP of the score.
          const double rounding = sizeof(TestType) == 4 ? 0x1p-24 * static_cast<double>(std::fabs(exact.value)) : 0;
          worst = std::max(worst, (error - rounding) / (double_epsilon * static_cast<double>(exact.magnitude)));
        }
      }
    }
  }
  INFO("worst error " << worst << " double_epsilon of the sum of magnitudes");
  // A sum of 33 terms in eight parts is at most 8 additions deep, on each side of a second sum; products and divisors add a few.
  CHECK(worst <= 12);
}

TEST_CASE("a dot product of floats has the bits of the kernel's", "[score]") {
  support::Bits bits(202);
  for (const std::size_t d : {1U, 7U, 8U, 9U, 64U, 100U}) {
    const auto queries = support::random_scores<float>(bits, 1, 2, d, 3);
    const auto keys = support::random_scores<float>(bits, 1, 3, d, 3);
    const auto exact = scores(Dot{}, cast<double>(queries), cast<double>(keys)).value();
    const auto rounded = scores(Dot{}, queries, keys).value();
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        REQUIRE(exact(0, i, j) == kernels::dot(queries.data() + i * d, keys.data() + j * d, d));
        REQUIRE(rounded(0, i, j) == static_cast<float>(exact(0, i, j)));
      }
    }
  }
}

TEST_CASE("rules that are special cases of each other agree", "[score]") {
  support::Bits bits(203);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t d = 1 + bits.below(20), rank = 1 + bits.below(6), dk = 1 + bits.below(9);
    const auto q = support::random_scores<double>(bits, 2, 3, d, 2);
    const auto k = support::random_scores<double>(bits, 2, 4, d, 2);
    const Batch dot = scores(Dot{}, q, k).value();
    REQUIRE(scores(ScaledDot{}, q, k).value() == Batch(dot / std::sqrt(static_cast<double>(d))));
    REQUIRE(scores(Bilinear{identity(d)}, q, k).value() == dot);
    REQUIRE(scores(Bilinear{identity(d), true}, q, k).value() == dot);
    REQUIRE(scores(LowRank{identity(d), identity(d)}, q, k).value() == dot);
    REQUIRE(scores(LowRank{identity(d), identity(d), true}, q, k).value() == scores(ScaledDot{}, q, k).value());
    REQUIRE(scores(Gaussian{true}, q, k).value() == Batch(scores(Gaussian{}, q, k).value() / std::sqrt(static_cast<double>(d))));

    const auto narrow = support::random_scores<double>(bits, 2, 4, dk, 2);
    const LowRank factors{random_matrix(bits, d, rank), random_matrix(bits, dk, rank)};
    Matrix product = Matrix::from_shape({d, dk});
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b < dk; ++b) {
        product(a, b) = 0;
        for (std::size_t r = 0; r < rank; ++r) product(a, b) += factors.query_map(a, r) * factors.key_map(b, r);
      }
    }
    // Magnitudes: at most d dk rank products of 2 * 1 * 1 * 2.
    const double bound = 20 * double_epsilon * 4 * static_cast<double>(d * dk * rank);
    const Batch low = scores(factors, q, narrow).value();
    REQUIRE(distance(low, scores(Bilinear{product}, q, narrow).value()) <= bound);
    REQUIRE(distance(low, scores(Bilinear{product, true}, q, narrow).value()) <= bound);
  }
}

TEST_CASE("the Gaussian is 0 where query and key are one, and the dot product where key norms are equal", "[score]") {
  support::Bits bits(204);
  const auto q = support::random_scores<double>(bits, 2, 3, 17, 5);
  const Batch self = scores(Gaussian{}, q, q).value();
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t i = 0; i < 3; ++i) CHECK(self(b, i, i) == 0);
  }
  auto keys = support::random_scores<double>(bits, 2, 6, 17, 1);
  for (std::size_t row = 0; row < 12; ++row) {
    double norm = 0;
    for (std::size_t i = 0; i < 17; ++i) norm += keys.data()[row * 17 + i] * keys.data()[row * 17 + i];
    for (std::size_t i = 0; i < 17; ++i) keys.data()[row * 17 + i] *= 2 / std::sqrt(norm);
  }
  // Scores up to 43, norms of keys equal to a few double_epsilon: weights equal to a few hundred.
  CHECK(distance(weights_under(Gaussian{}, q, keys), weights_under(Dot{}, q, keys)) <= 500 * double_epsilon);
  CHECK(distance(weights_under(Gaussian{true}, q, keys), weights_under(ScaledDot{}, q, keys)) <= 500 * double_epsilon);
  // The query's norm cancels in the softmax.
  CHECK(distance(weights_under(Gaussian{false, false}, q, keys), weights_under(Gaussian{}, q, keys)) <= 2000 * double_epsilon);
}

TEST_CASE("shifts and rotations leave the weights that they must and move the others", "[score]") {
  support::Bits bits(205);
  const auto q = support::random_scores<double>(bits, 1, 4, 2, 1.5);
  const auto k = support::random_scores<double>(bits, 1, 7, 2, 1.5);
  const std::vector<double> c{0.75, -1.25};
  const auto rotated = [](Batch x) {
    for (std::size_t row = 0; row < x.size() / 2; ++row) {
      const double a = x.data()[2 * row], b = x.data()[2 * row + 1];
      x.data()[2 * row] = 0.6 * a - 0.8 * b;
      x.data()[2 * row + 1] = 0.8 * a + 0.6 * b;
    }
    return x;
  };
  const double tight = 200 * double_epsilon;
  const Batch dot = weights_under(ScaledDot{}, q, k);
  const Batch gauss = weights_under(Gaussian{}, q, k);
  CHECK(distance(dot, weights_under(ScaledDot{}, q, shifted(k, c))) <= tight);
  CHECK(distance(gauss, weights_under(Gaussian{}, q, shifted(k, c))) > 0.05);
  CHECK(distance(dot, weights_under(ScaledDot{}, shifted(q, c), shifted(k, c))) > 0.05);
  CHECK(distance(gauss, weights_under(Gaussian{}, shifted(q, c), shifted(k, c))) <= tight);
  CHECK(distance(dot, weights_under(ScaledDot{}, rotated(q), rotated(k))) <= tight);
  CHECK(distance(gauss, weights_under(Gaussian{}, rotated(q), rotated(k))) <= tight);
}

TEST_CASE("the additive rule gives both frameworks' printed weights", "[score]") {
  // Dive into Deep Learning, section 10.2.4: three queries of width 20, six keys of width 2, eight hidden units.
  const auto built = [](const std::vector<float>& q, const std::vector<float>& k, const std::vector<float>& wq, const std::vector<float>& wk, const std::vector<float>& wv) {
    const auto fill = [](auto& tensor, const std::vector<float>& from, double by) {
      std::transform(from.begin(), from.end(), tensor.data(), [by](float x) { return static_cast<double>(x) / std::sqrt(by); });
    };
    Batch queries = Batch::from_shape({1, 3, 20}), keys = Batch::from_shape({1, 6, 2});
    Additive rule{Matrix::from_shape({8, 20}), Matrix::from_shape({8, 2}), Tensor<double, 1>::from_shape({8})};
    fill(queries, q, 1), fill(keys, k, 1), fill(rule.query_map, wq, 20), fill(rule.key_map, wk, 2), fill(rule.score_vector, wv, 8);
    return weights_under(rule, queries, keys);
  };
  std::vector<float> q(60), k(12), wq(160), wk(16), wv(8);
  random::torch::Generator generator(0);
  generator.randn(q), generator.randn(k), generator.randn(wq), generator.randn(wk), generator.randn(wv);
  const Batch torch = batch_of(1, 3, 6, {0.1692, 0.1612, 0.1816, 0.1560, 0.1502, 0.1818, 0.1664, 0.1849, 0.1657, 0.1338, 0.1623, 0.1870, 0.1517, 0.2188, 0.1441, 0.1317, 0.2166, 0.1371});
  CHECK(distance(built(q, k, wq, wk, wv), torch) <= 0.00005);
  const auto split = random::jax::split(random::jax::key(0), 5);
  random::jax::normal(split[0], 0, q), random::jax::normal(split[1], 0, k);
  random::jax::normal(split[2], 0, wq), random::jax::normal(split[3], 0, wk), random::jax::normal(split[4], 0, wv);
  const Batch jax = batch_of(1, 3, 6, {0.13390937, 0.3772766, 0.17127123, 0.1027277, 0.06276076, 0.15205443, 0.19218282, 0.31524566, 0.14511336, 0.08953383, 0.07662669, 0.18129766, 0.15669951, 0.3378386, 0.15281527, 0.11713327, 0.09428051, 0.1412329});
  CHECK(distance(built(q, k, wq, wk, wv), jax) <= 2e-7);  // printed from a float32 chain
}

TEST_CASE("the additive rule of a batch is that of its examples, and without tanh it forgets the query", "[score]") {
  support::Bits bits(206);
  const Additive rule{random_matrix(bits, 5, 4), random_matrix(bits, 5, 3), random_vector(bits, 5)};
  const auto q = support::random_scores<double>(bits, 3, 4, 4, 2);
  const auto k = support::random_scores<double>(bits, 3, 6, 3, 2);
  const Batch together = scores(rule, q, k).value();
  for (std::size_t b = 0; b < 3; ++b) {
    const Batch one_q = xt::view(q, xt::range(b, b + 1), xt::all(), xt::all());
    const Batch one_k = xt::view(k, xt::range(b, b + 1), xt::all(), xt::all());
    CHECK(scores(rule, one_q, one_k).value() == Batch(xt::view(together, xt::range(b, b + 1), xt::all(), xt::all())));
  }
  Additive linear = rule;
  linear.activation = Activation::identity;
  const Batch weights = weights_under(linear, q, k);
  const Batch bent = weights_under(rule, q, k);
  double apart = 0;
  for (std::size_t j = 0; j < 6; ++j) {
    CHECK(std::fabs(weights(0, 0, j) - weights(0, 3, j)) <= 20 * double_epsilon);
    apart = std::max(apart, std::fabs(bent(0, 0, j) - bent(0, 3, j)));
  }
  CHECK(apart > 0.01);
}

TEST_CASE("nothing to compute has documented results", "[score]") {
  const auto empty = [](std::size_t b, std::size_t n, std::size_t d) { return Batch::from_shape({b, n, d}); };
  for (const ScoreRule& rule : {ScoreRule{Dot{}}, ScoreRule{ScaledDot{}}, ScoreRule{Gaussian{true}}, ScoreRule{Cosine{}},
                                ScoreRule{Bilinear{Matrix::from_shape({0, 0})}}, ScoreRule{LowRank{Matrix::from_shape({0, 2}), Matrix::from_shape({0, 2}), true}},
                                ScoreRule{Additive{Matrix::from_shape({0, 0}), Matrix::from_shape({0, 0}), Tensor<double, 1>::from_shape({0})}}}) {
    INFO("rule " << rule.index());
    const auto flat = scores(rule, empty(2, 3, 0), empty(2, 4, 0)).value();
    CHECK(shape_of(flat) == std::array<std::size_t, 3>{2, 3, 4});
    CHECK(all_plus_zero(flat));
    CHECK(shape_of(scores(rule, empty(2, 3, 0), empty(2, 0, 0)).value()) == std::array<std::size_t, 3>{2, 3, 0});
    CHECK(shape_of(scores(rule, empty(2, 0, 0), empty(2, 4, 0)).value()) == std::array<std::size_t, 3>{2, 0, 4});
    CHECK(shape_of(scores(rule, empty(0, 3, 0), empty(0, 4, 0)).value()) == std::array<std::size_t, 3>{0, 3, 4});
  }
}

TEST_CASE("the cosine knows zero vectors, and neither large nor small entries spoil it", "[score]") {
  CHECK(scores(Cosine{}, batch_of(1, 1, 2, {0, 0}), batch_of(1, 1, 2, {3, 4})).value()(0, 0, 0) == 0);
  for (const double size : {1e-320, 1e-300, 1.0, 1e300}) {
    INFO(size);
    CHECK(std::fabs(scores(Cosine{}, batch_of(1, 1, 2, {3 * size, 4 * size}), batch_of(1, 1, 2, {4, 3})).value()(0, 0, 0) - 0.96) <= (size < 1e-310 ? 1e-3 : 4 * double_epsilon));
  }
  CHECK(scores(Cosine{}, batch_of(1, 1, 2, {2, 0}), batch_of(1, 2, 2, {5, 0, -7, 0})).value() == batch_of(1, 1, 2, {1, -1}));
}

TEST_CASE("the Gaussian of entries whose squares leave the range is its limit, not NaN", "[score]") {
  const auto score = [](bool query_norm, double q, double k) {
    return scores(Gaussian{.scaled = false, .query_norm = query_norm}, batch_of(1, 1, 2, {0, q}), batch_of(1, 1, 2, {0, k})).value()(0, 0, 0);
  };
  CHECK(score(true, 1e200, 1e200) == 0);
  CHECK(score(true, 1e200, -1e200) == -inf);
  CHECK(score(true, 1.5e308, -1.5e308) == -inf);
  CHECK(score(true, 0x1p540, 0x1p540 + 0x1p488) == -0x1p975);
  CHECK(score(false, 1e200, 1e200) == inf);
  CHECK(score(false, 1e200, 2e200) == 0);
  CHECK(score(false, 1e200, 3e200) == -inf);
  // one pair that is out of range leaves the others as they are
  const auto both = scores(Gaussian{}, batch_of(1, 1, 2, {1e200, 1}), batch_of(1, 2, 2, {1e200, 3, not_a_number, 0})).value();
  CHECK(both(0, 0, 0) == -2);
  CHECK(std::isnan(both(0, 0, 1)));
}

TEST_CASE("what is not finite passes through, to its own pairs alone", "[score]") {
  for (const double odd : {not_a_number, inf}) {
    const auto s = scores(Dot{}, batch_of(1, 2, 2, {1, 2, odd, 1}), batch_of(1, 2, 2, {1, 1, 1, 0.5})).value();
    CHECK((std::isfinite(s(0, 0, 0)) && std::isfinite(s(0, 0, 1))));
    CHECK((support::same(s(0, 1, 0), odd) && support::same(s(0, 1, 1), odd)));
  }
  CHECK(std::isnan(scores(Dot{}, batch_of(1, 1, 1, {inf}), batch_of(1, 1, 1, {0})).value()(0, 0, 0)));
  CHECK(std::isnan(scores(Cosine{}, batch_of(1, 1, 1, {inf}), batch_of(1, 1, 1, {1})).value()(0, 0, 0)));
}

TEST_CASE("misfits of shapes name both and the axis", "[score][errors]") {
  const Batch q = Batch::from_shape({2, 3, 20});
  const Batch k = Batch::from_shape({2, 6, 2});
  for (const ScoreRule& rule : {ScoreRule{Dot{}}, ScoreRule{ScaledDot{}}, ScoreRule{Gaussian{}}, ScoreRule{Cosine{}}}) {
    CHECK(complaint(scores(rule, q, k)) ==
          "wrong_shape keys | keys: shape (2, 6, 2) does not fit queries of shape (2, 3, 20); axis 2 (width) is 2, allowed is 20");
  }
  CHECK(complaint(scores(Dot{}, q, Batch(Batch::from_shape({3, 6, 20})))) ==
        "wrong_shape keys | keys: shape (3, 6, 20) does not fit queries of shape (2, 3, 20); axis 0 (batch) is 3, allowed is 2");
  CHECK(complaint(scores(Bilinear{Matrix::from_shape({2, 20})}, q, k)) ==
        "wrong_shape matrix | matrix: shape (2, 20) does not fit queries of shape (2, 3, 20); axis 0 (width of the queries) is 2, allowed is 20, axis 2 of queries");
  CHECK(complaint(scores(Bilinear{Matrix::from_shape({20, 3})}, q, k)).starts_with("wrong_shape matrix | matrix: shape (20, 3) does not fit keys of shape (2, 6, 2); axis 1"));
  CHECK(complaint(scores(LowRank{Matrix::from_shape({20, 3}), Matrix::from_shape({2, 4})}, q, k)) ==
        "wrong_shape key_map | key_map: shape (2, 4) does not fit query_map of shape (20, 3); axis 1 (rank) is 4, allowed is 3");
  CHECK(complaint(scores(LowRank{Matrix::from_shape({20, 0}), Matrix::from_shape({2, 0})}, q, k)) ==
        "out_of_range query_map | query_map: shape (20, 0) has rank 0; allowed are ranks from 1");
  const auto additive = [](std::size_t h, std::size_t h2, std::size_t h3) {
    return Additive{Matrix::from_shape({h, 20}), Matrix::from_shape({h2, 2}), Tensor<double, 1>::from_shape({h3})};
  };
  CHECK(complaint(scores(additive(8, 7, 8), q, k)) ==
        "wrong_shape key_map | key_map: shape (7, 2) does not fit query_map of shape (8, 20); axis 0 (hidden units) is 7, allowed is 8");
  CHECK(complaint(scores(additive(8, 8, 9), q, k)) ==
        "wrong_shape score_vector | score_vector: shape (9,) does not fit query_map of shape (8, 20); axis 0 (hidden units) is 9, allowed is 8");
  const Batch many = Batch::from_shape({std::size_t{1}, std::size_t{1} << 20, std::size_t{0}});
  CHECK(complaint(scores(Dot{}, many, many)).starts_with("too_large scores | "));
}

TEST_CASE("reported cases: the square root of the head's width, and transposed keys", "[score][cases]") {
  // 44: one division by sqrt(4), neither none, nor two, nor another width.
  const auto weights = weights_under(ScaledDot{}, batch_of(1, 1, 4, {1, 1, 1, 1}), batch_of(1, 2, 4, {1, 1, 1, 1, 0, 0, 0, 0}));
  CHECK(std::fabs(weights(0, 0, 0) - 0.8807970779778824) <= 1e-12);
  CHECK(std::fabs(weights(0, 0, 1) - 0.11920292202211755) <= 1e-12);
  // 56: keys that arrive as a transposed view have the shape and the order of what they show.
  const Batch stored = batch_of(1, 2, 2, {1, 3, 2, 4});
  const Batch keys = xt::transpose(stored, {0, 2, 1});
  CHECK(keys == batch_of(1, 2, 2, {1, 2, 3, 4}));
  const auto seen = weights_under(ScaledDot{}, batch_of(1, 1, 2, {1, 0}), keys);
  CHECK(std::fabs(seen(0, 0, 0) / 0.19557031749 - 1) <= 1e-8);
  CHECK(std::fabs(seen(0, 0, 1) / 0.80442968251 - 1) <= 1e-8);
}

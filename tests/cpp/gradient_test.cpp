// Vector-Jacobian products against central differences, and against each other.
#include <catch2/catch_test_macros.hpp>

#include <functional>

#include "attn/entropy.hpp"
#include "attn/gradient.hpp"
#include "attn/random/jax.hpp"
#include "attn/softmax.hpp"
#include "layers_support.hpp"

using namespace attn;
using namespace layers;

namespace {

constexpr double allowed = 1e-6;  // of the largest entry

double contracted(const Batch& upstream, const Batch& result) {
  double sum = 0;
  for (std::size_t i = 0; i < upstream.size(); ++i) sum += upstream.data()[i] * result.data()[i];
  return sum;
}

/// The largest difference between `gradient` and central differences of `loss` in the entries of `argument`, relative to the
/// largest entry of the gradient. Steps of 2^-17: truncation is a few 1e-11, rounding a few 1e-11, where losses are of size 1.
template <class A>
double disagreement(A& argument, const A& gradient, const std::function<double()>& loss) {
  REQUIRE(argument.shape() == gradient.shape());
  constexpr double step = 0x1p-17;
  double worst = 0;
  for (std::size_t i = 0; i < argument.size(); ++i) {
    double& entry = argument.data()[i];
    const double kept = entry;
    entry = kept + step;
    const double above = loss();
    entry = kept - step;
    const double below = loss();
    entry = kept;
    const double difference = std::fabs((above - below) / (2 * step) - gradient.data()[i]);
    worst = difference <= worst ? worst : std::isnan(difference) ? inf : difference;
  }
  const double scale = largest(gradient);
  // Where a gradient is zero throughout (a softmax over one key) differences are rounding errors of losses.
  return scale < 1e-9 ? (worst <= 1e-9 ? 0 : inf) : worst / scale;
}

/// The same for the tensors of a rule.
double parameter_disagreement(ScoreRule& rule, const ScoreRule& gradient, const std::function<double()>& loss) {
  REQUIRE(rule.index() == gradient.index());
  if (auto* r = std::get_if<Bilinear>(&rule)) return disagreement(r->matrix, std::get<Bilinear>(gradient).matrix, loss);
  if (auto* r = std::get_if<LowRank>(&rule)) {
    const auto& g = std::get<LowRank>(gradient);
    return std::max(disagreement(r->query_map, g.query_map, loss), disagreement(r->key_map, g.key_map, loss));
  }
  if (auto* r = std::get_if<Additive>(&rule)) {
    const auto& g = std::get<Additive>(gradient);
    return std::max({disagreement(r->query_map, g.query_map, loss), disagreement(r->key_map, g.key_map, loss),
                     disagreement(r->score_vector, g.score_vector, loss)});
  }
  return 0;
}

ScoreRule rule_of(support::Bits& bits, std::size_t kind, std::size_t dq, std::size_t dk) {
  const std::size_t rank = 1 + bits.below(3);
  const std::size_t hidden = 1 + bits.below(5);
  switch (kind) {
    case 0: return Dot{};
    case 1: return ScaledDot{};
    case 2: return Gaussian{};
    case 3: return Gaussian{true, false};
    case 4: return Bilinear{random_matrix(bits, dq, dk)};
    case 5: return Bilinear{random_matrix(bits, dq, dk), true};
    case 6: return LowRank{random_matrix(bits, dq, rank), random_matrix(bits, dk, rank)};
    case 7: return LowRank{random_matrix(bits, dq, rank), random_matrix(bits, dk, rank), true};
    case 8: return Additive{random_matrix(bits, hidden, dq), random_matrix(bits, hidden, dk), random_vector(bits, hidden)};
    case 9: return Additive{random_matrix(bits, hidden, dq), random_matrix(bits, hidden, dk), random_vector(bits, hidden), Activation::identity};
    default: return Cosine{};
  }
}
constexpr std::size_t kinds = 11;
bool equal_widths(std::size_t kind) { return kind < 4 || kind == 10; }

/// Operands of one trial of a kind of rule.
struct Operands {
  Batch q, k, v;
  ScoreRule rule;
  Operands(support::Bits& bits, std::size_t kind) {
    const std::size_t batch = 1 + bits.below(2), n = 1 + bits.below(3), m = 1 + bits.below(5), dq = 1 + bits.below(4);
    const std::size_t dk = equal_widths(kind) ? dq : 1 + bits.below(4);
    q = support::random_scores<double>(bits, batch, n, dq, 1.5);
    k = support::random_scores<double>(bits, batch, m, dk, 1.5);
    v = support::random_scores<double>(bits, batch, m, 1 + bits.below(3), 1.5);
    rule = rule_of(bits, kind, dq, dk);
    if (kind == 10) {
      // A cosine bends like 1 / |q|^2: away from 0, so that the step is small.
      for (Batch* x : {&q, &k}) {
        for (double& entry : *x) entry += entry < 0 ? -0.5 : 0.5;
      }
    }
  }
};

}  // namespace

TEST_CASE("gradients of every rule agree with central differences", "[gradient]") {
  support::Bits bits(501);
  double worst = 0;
  for (int trial = 0; trial < 12; ++trial) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      Operands o(bits, kind);
      const Batch upstream = support::random_scores<double>(bits, o.q.shape()[0], o.q.shape()[1], o.k.shape()[1], 1);
      const auto loss = [&] { return contracted(upstream, scores(o.rule, o.q, o.k).value()); };
      const auto gradient = scores_vjp(o.rule, o.q, o.k, upstream).value();
      const double here = std::max({disagreement(o.q, gradient.queries, loss), disagreement(o.k, gradient.keys, loss),
                                    parameter_disagreement(o.rule, gradient.parameters, loss)});
      INFO("kind " << kind << ", trial " << trial << ": " << here);
      CHECK(here <= allowed);
      worst = std::max(worst, here);
    }
  }
  INFO("worst " << worst);
  CHECK(worst <= allowed);
}

TEST_CASE("the gradient of masked softmax agrees with central differences, masked and empty rows included", "[gradient]") {
  support::Bits bits(502);
  double worst = 0;
  std::size_t empty = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t batch = 1 + bits.below(2), n = 1 + bits.below(4), m = 1 + bits.below(6);
    Batch s = support::random_scores<double>(bits, batch, n, m, 2);
    const Batch upstream = support::random_scores<double>(bits, batch, n, m, 1);
    Mask mask = Mask::from_shape({batch, n, m});
    for (bool& cell : mask) cell = bits.unit() < 0.6;
    empty += empty_rows(mask).size();
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (!mask.data()[i] && bits.below(2) == 1) s.data()[i] = not_a_number;
    }
    const Batch weights = masked_softmax(s, mask).value();
    const Batch gradient = masked_softmax_vjp(weights, upstream).value();
    for (std::size_t i = 0; i < s.size(); ++i) REQUIRE((mask.data()[i] || support::plus_zero(gradient.data()[i])));
    worst = std::max(worst, disagreement(s, gradient, [&] { return contracted(upstream, masked_softmax(s, mask).value()); }));
    // Shifting a row changes nothing: its gradients sum to 0.
    for (std::size_t row = 0; row < batch * n; ++row) {
      double sum = 0;
      for (std::size_t j = 0; j < m; ++j) sum += gradient.data()[row * m + j];
      REQUIRE(std::fabs(sum) <= 10 * double_epsilon);
    }
  }
  INFO("worst " << worst);
  CHECK(worst <= allowed);
  CHECK(empty > 0);
}

TEST_CASE("the gradient of softmax is its Jacobian times the upstream gradient", "[gradient]") {
  support::Bits bits(503);
  const Batch weights = masked_softmax(support::random_scores<double>(bits, 1, 1, 9, 3)).value();
  const Batch upstream = support::random_scores<double>(bits, 1, 1, 9, 2);
  const Batch gradient = masked_softmax_vjp(weights, upstream).value();
  const Matrix jacobian = softmax_jacobian(std::span(weights.data(), 9)).value();
  for (std::size_t i = 0; i < 9; ++i) {
    double product = 0;
    for (std::size_t j = 0; j < 9; ++j) product += jacobian(i, j) * upstream(0, 0, j);
    CHECK(std::fabs(gradient(0, 0, i) - product) <= 20 * double_epsilon);
  }
}

TEST_CASE("gradients of attention agree with central differences, under masks, empty rows and dropout", "[gradient]") {
  support::Bits bits(504);
  double worst = 0;
  std::size_t empty = 0;
  for (int trial = 0; trial < 16; ++trial) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      Operands o(bits, kind);
      const std::size_t batch = o.q.shape()[0], n = o.q.shape()[1], m = o.k.shape()[1];
      Mask mask = Mask::from_shape({batch, n, m});
      for (bool& cell : mask) cell = bits.unit() < 0.7;
      // A key that nobody sees, with NaN for entries and value.
      const std::size_t hidden = bits.below(m);
      for (std::size_t i = 0; i < n; ++i) mask(0, i, hidden) = false;
      for (std::size_t c = 0; c < o.k.shape()[2]; ++c) o.k(0, hidden, c) = not_a_number;
      for (std::size_t c = 0; c < o.v.shape()[2]; ++c) o.v(0, hidden, c) = not_a_number;
      empty += empty_rows(mask).size();
      const Dropout dropout{trial % 2 == 0 ? 0 : 0.4, random::jax::key(static_cast<std::uint64_t>(trial)), Mode::training};
      const auto forward = [&] { return attention(o.rule, o.q, o.k, o.v, mask, dropout).value(); };
      const Batch upstream = support::random_scores<double>(bits, batch, n, o.v.shape()[2], 1);
      const auto loss = [&] { return contracted(upstream, forward().output); };
      const auto gradient = attention_vjp(o.rule, o.q, o.k, o.v, forward(), upstream).value();
      for (std::size_t c = 0; c < o.k.shape()[2]; ++c) CHECK(gradient.keys(0, hidden, c) == 0);
      const double here = std::max({disagreement(o.q, gradient.queries, loss), disagreement(o.k, gradient.keys, loss),
                                    disagreement(o.v, gradient.values, loss), parameter_disagreement(o.rule, gradient.parameters, loss)});
      INFO("kind " << kind << ", trial " << trial << ": " << here);
      CHECK(here <= allowed);
      worst = std::max(worst, here);
    }
  }
  INFO("worst " << worst);
  CHECK(worst <= allowed);
  CHECK(empty > 20);
}

TEST_CASE("gradients of rules that are special cases of each other agree", "[gradient]") {
  support::Bits bits(505);
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t d = 1 + bits.below(9), dk = 1 + bits.below(6), rank = 1 + bits.below(4);
    const auto q = support::random_scores<double>(bits, 2, 3, d, 2);
    const auto k = support::random_scores<double>(bits, 2, 4, d, 2);
    const auto narrow = support::random_scores<double>(bits, 2, 4, dk, 2);
    const auto g = support::random_scores<double>(bits, 2, 3, 4, 1);
    const auto dot = scores_vjp(Dot{}, q, k, g).value();
    const double root = std::sqrt(static_cast<double>(d));
    const double tight = 100 * double_epsilon * static_cast<double>(d);
    CHECK(distance(scores_vjp(ScaledDot{}, q, k, g).value().queries, Batch(dot.queries / root)) <= tight);
    CHECK(distance(scores_vjp(ScaledDot{}, q, k, g).value().keys, Batch(dot.keys / root)) <= tight);
    for (const ScoreRule& same : {ScoreRule{Bilinear{identity(d)}}, ScoreRule{LowRank{identity(d), identity(d)}}}) {
      const auto got = scores_vjp(same, q, k, g).value();
      CHECK(distance(got.queries, dot.queries) <= tight);
      CHECK(distance(got.keys, dot.keys) <= tight);
    }
    // Low rank is bilinear with M = A B^T, so A' = M' B and B' = M'^T A.
    const LowRank factors{random_matrix(bits, d, rank), random_matrix(bits, dk, rank)};
    Matrix product = Matrix::from_shape({d, dk});
    product.fill(0);
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b < dk; ++b) {
        for (std::size_t r = 0; r < rank; ++r) product(a, b) += factors.query_map(a, r) * factors.key_map(b, r);
      }
    }
    const auto low = scores_vjp(factors, q, narrow, g).value();
    const auto full = scores_vjp(Bilinear{product}, q, narrow, g).value();
    const double loose = 1000 * double_epsilon * static_cast<double>(d * dk);
    CHECK(distance(low.queries, full.queries) <= loose);
    CHECK(distance(low.keys, full.keys) <= loose);
    const Matrix& m = std::get<Bilinear>(full.parameters).matrix;
    Matrix da = Matrix::from_shape({d, rank});
    Matrix db = Matrix::from_shape({dk, rank});
    da.fill(0), db.fill(0);
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b < dk; ++b) {
        for (std::size_t r = 0; r < rank; ++r) da(a, r) += m(a, b) * factors.key_map(b, r), db(b, r) += m(a, b) * factors.query_map(a, r);
      }
    }
    CHECK(distance(std::get<LowRank>(low.parameters).query_map, da) <= loose);
    CHECK(distance(std::get<LowRank>(low.parameters).key_map, db) <= loose);
    // A cosine does not change along its vectors.
    const auto cosine = scores_vjp(Cosine{}, q, k, g).value();
    for (std::size_t row = 0; row < 6; ++row) {
      double along = 0;
      for (std::size_t c = 0; c < d; ++c) along += cosine.queries.data()[row * d + c] * q.data()[row * d + c];
      CHECK(std::fabs(along) <= tight);
    }
    // Weights do not see a shift of all keys under the dot product: the gradients of keys sum to 0 (exercise 1).
    const auto values = support::random_scores<double>(bits, 2, 4, 3, 2);
    const auto upstream = support::random_scores<double>(bits, 2, 3, 3, 1);
    const auto shift = attention_vjp(ScaledDot{}, q, k, values, dot_product_attention(q, k, values).value(), upstream).value();
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t c = 0; c < d; ++c) {
        double sum = 0;
        for (std::size_t j = 0; j < 4; ++j) sum += shift.keys(b, j, c);
        CHECK(std::fabs(sum) <= 200 * double_epsilon);
      }
    }
  }
}

TEST_CASE("what is masked reaches no gradient, and edges have documented gradients", "[gradient]") {
  support::Bits bits(506);
  // An upstream gradient of 0 reads nothing, whatever the rule: the pair's query and key may be NaN.
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    INFO("kind " << kind);
    auto q = support::random_scores<double>(bits, 1, 2, 3, 1);
    auto k = support::random_scores<double>(bits, 1, 2, 3, 1);
    const ScoreRule rule = rule_of(bits, kind, 3, 3);
    const Batch upstream = batch_of(1, 2, 2, {1, 0, 0, 0});
    const auto clean = scores_vjp(rule, q, k, upstream).value();
    for (std::size_t c = 0; c < 3; ++c) q(0, 1, c) = k(0, 1, c) = not_a_number;
    const auto got = scores_vjp(rule, q, k, upstream).value();
    CHECK(got.queries == clean.queries);
    CHECK(got.keys == clean.keys);
    for (std::size_t c = 0; c < 3; ++c) CHECK((got.queries(0, 1, c) == 0 && got.keys(0, 1, c) == 0));
    if (kind == 4) CHECK(std::get<Bilinear>(got.parameters).matrix == std::get<Bilinear>(clean.parameters).matrix);
    if (kind == 6) CHECK(std::get<LowRank>(got.parameters).key_map == std::get<LowRank>(clean.parameters).key_map);
    if (kind == 8) CHECK(std::get<Additive>(got.parameters).key_map == std::get<Additive>(clean.parameters).key_map);
  }
  const auto zero = scores_vjp(Cosine{}, batch_of(1, 1, 2, {0, 0}), batch_of(1, 1, 2, {3, 4}), batch_of(1, 1, 1, {1})).value();
  CHECK(all_plus_zero(zero.queries));
  const auto none = attention_vjp(ScaledDot{}, Batch(Batch::from_shape({1, 2, 3})), Batch(Batch::from_shape({1, 0, 3})), Batch(Batch::from_shape({1, 0, 4})),
                                  dot_product_attention<double>(Batch::from_shape({1, 2, 3}), Batch::from_shape({1, 0, 3}), Batch::from_shape({1, 0, 4})).value(),
                                  Batch(xt::ones<double>({1, 2, 4}))).value();
  CHECK((none.queries.size() == 6 && all_plus_zero(none.queries)));
  CHECK(none.keys.size() == 0);
  // A saturated softmax stops the gradient to queries and keys, not the one to values.
  const Batch q = batch_of(1, 1, 1, {1}), k = batch_of(1, 2, 1, {0, 800}), v = batch_of(1, 2, 1, {5, 6});
  const auto stuck = attention_vjp(Dot{}, q, k, v, attention(Dot{}, q, k, v).value(), batch_of(1, 1, 1, {1})).value();
  CHECK((stuck.queries(0, 0, 0) == 0 && stuck.keys(0, 1, 0) == 0));
  CHECK(stuck.values == batch_of(1, 2, 1, {0, 1}));
}

TEST_CASE("a NaN in a row reaches its allowed keys and no masked one", "[gradient]") {
  const auto got = masked_softmax_vjp(batch_of(1, 2, 3, {0.5, 0.5, 0, 0.25, 0.75, 0}), batch_of(1, 2, 3, {1, not_a_number, 2, 1, 2, not_a_number})).value();
  CHECK((std::isnan(got(0, 0, 0)) && std::isnan(got(0, 0, 1)) && support::plus_zero(got(0, 0, 2))));
  CHECK(Batch(xt::view(got, xt::all(), xt::range(1, 2), xt::all())) == batch_of(1, 1, 3, {-0.1875, 0.1875, 0}));
}

TEST_CASE("upstream gradients and forward results of another shape are refused", "[gradient][errors]") {
  const auto shaped = [](std::size_t a, std::size_t b, std::size_t c) { return Batch::from_shape({a, b, c}); };
  CHECK(complaint(scores_vjp(Dot{}, shaped(2, 3, 4), shaped(2, 5, 4), shaped(2, 3, 6))) ==
        "wrong_shape upstream | upstream: shape (2, 3, 6) does not fit scores of shape (2, 3, 5); axis 2 (last) is 6, allowed is 5");
  CHECK(complaint(masked_softmax_vjp(shaped(1, 2, 3), shaped(1, 1, 3))).starts_with("wrong_shape upstream | "));
  const Attention<double> forward{shaped(1, 2, 4), shaped(1, 2, 3), shaped(1, 2, 3)};
  CHECK(complaint(attention_vjp(Dot{}, shaped(1, 2, 1), shaped(1, 3, 1), shaped(1, 3, 4), forward, shaped(1, 2, 5))).starts_with("wrong_shape upstream | "));
  CHECK(complaint(attention_vjp(Dot{}, shaped(1, 2, 1), shaped(1, 4, 1), shaped(1, 4, 4), forward, shaped(1, 2, 4))).starts_with("wrong_shape forward | "));
  CHECK(complaint(attention_vjp(Dot{}, shaped(1, 2, 1), shaped(1, 3, 1), shaped(1, 2, 4), forward, shaped(1, 2, 4))).starts_with("wrong_shape values | "));
}

// Additive scoring: both printed tables by text, the run's series against plain loops in long double and against the core's rule,
// the order in epsilon against exact power laws, counts against counting loops, moments against two passes, and mended choices.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include "additive_counts.hpp"
#include "additive_factored.hpp"
#include "additive_model.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "layers_support.hpp"
#include "ledger_printed.hpp"
#include "studies.hpp"

using namespace attn;
using namespace attn::studies;
using Sizes = additive_model::Sizes;

namespace {

using Real = long double;

std::map<std::string, Series> series_of(const Given& given) {
  Workspace workspace;
  const auto done = run(studies::additive(), given, workspace);
  REQUIRE(done.ok());
  std::map<std::string, Series> by_name;
  for (const Series& series : done.value().series) by_name[series.name] = series;
  REQUIRE(by_name.size() == done.value().series.size());
  return by_name;
}

Value text(const char* value) { return std::string(value); }

/// The factor the reader's parameter gives, found again by long double arithmetic from the run's own inputs.
struct Plain {
  std::vector<Real> scores, weights;
};

Plain plain(const std::map<std::string, Series>& series, bool bent) {
  const auto& q = series.at("queries");
  const auto& k = series.at("keys");
  const auto& wq = series.at("w_q").data;
  const auto& wk = series.at("w_k").data;
  const auto& wv = series.at("w_v").data;
  const std::size_t n = q.shape[0], dq = q.shape[1], m = k.shape[0], dk = k.shape[1];
  Plain out;
  for (std::size_t i = 0; i < n; ++i) {
    Real sum = 0;
    for (std::size_t j = 0; j < m; ++j) {
      Real score = 0;
      for (std::size_t u = 0; u < wv.size(); ++u) {
        Real argument = 0;
        for (std::size_t a = 0; a < dq; ++a) argument += Real{wq[u * dq + a]} * Real{q.data[i * dq + a]};
        for (std::size_t a = 0; a < dk; ++a) argument += Real{wk[u * dk + a]} * Real{k.data[j * dk + a]};
        score += Real{wv[u]} * (bent ? std::tanh(argument) : argument);
      }
      out.scores.push_back(score);
      sum += std::exp(score);
    }
    for (std::size_t j = 0; j < m; ++j) out.weights.push_back(std::exp(out.scores[i * m + j]) / sum);
  }
  return out;
}

double distance(const std::vector<double>& got, const std::vector<Real>& expected) {
  REQUIRE(got.size() == expected.size());
  Real most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) most = std::max(most, std::fabs(Real{got[i]} - expected[i]));
  return static_cast<double>(most);
}

}  // namespace

TEST_CASE("the section's tables come out by text, and only where its roundings are known", "[additive]") {
  std::size_t compared = 0;
  for (const PrintedTable& table : printed_tables()) {
    if (table.about != "weights of the additive score") continue;
    const auto series = series_of({{"generator", text(table.framework.c_str())}});
    CHECK(series.at("weights_text").words == table.printed);
    CHECK(series.at("weights_text").shape == std::vector<std::size_t>{3, 6});
    CHECK(series.at("as_printed").data[0] == 1);
    compared += table.printed.size();
    for (const Given& other : {Given{{"epsilon", 0.5}}, Given{{"activation", text("identity")}}, Given{{"hidden", 7.0}}, Given{{"queries", 2.0}}}) {
      Given given = other;
      given.emplace_back("generator", text(table.framework.c_str()));
      const auto changed = series_of(given);
      CHECK(changed.at("as_printed").data[0] == 0);
      CHECK(changed.at("weights_text").words[0].size() == 6);
      CHECK(std::fabs(std::strtod(changed.at("weights_text").words[1].c_str(), nullptr) - changed.at("weights").data[1]) < 0.000051);
    }
  }
  CHECK(compared == 36);
}

TEST_CASE("the inputs are the draws of the calls the code names", "[additive]") {
  const auto jax = series_of({{"seed", 5.0}, {"queries", 2.0}, {"epsilon", 0.25}});
  const auto keys = random::jax::split(random::jax::key(5), 5);
  std::vector<float> draws(160);
  random::jax::normal(keys[2], 0, draws);
  for (std::size_t i = 0; i < draws.size(); ++i) REQUIRE(jax.at("w_q").data[i] == static_cast<double>(draws[i]) / std::sqrt(20.0) * 0.25);
  const auto torch = series_of({{"seed", 5.0}, {"queries", 2.0}, {"generator", text("torch")}});
  random::torch::Generator generator(5);
  std::vector<float> q(40), k(12), wq(160), wk(16), wv(8);
  for (auto* each : {&q, &k, &wq, &wk, &wv}) generator.randn(*each);
  for (std::size_t i = 0; i < 12; ++i) REQUIRE(torch.at("keys").data[i] == static_cast<double>(k[i]));
  for (std::size_t i = 0; i < 8; ++i) REQUIRE(torch.at("w_v").data[i] == static_cast<double>(wv[i]) / std::sqrt(8.0));
}

TEST_CASE("scores, weights and the hidden layer agree with plain loops and with the core", "[additive]") {
  support::Bits bits(61);
  for (int trial = 0; trial < 60; ++trial) {
    const bool bent = trial % 3 != 0;
    Given given{{"queries", static_cast<double>(1 + bits.below(8))}, {"keys", static_cast<double>(1 + bits.below(12))}, {"d_q", static_cast<double>(1 + bits.below(64))},
                {"d_k", static_cast<double>(1 + bits.below(64))}, {"hidden", static_cast<double>(1 + bits.below(64))}, {"seed", static_cast<double>(trial)},
                {"epsilon", std::pow(10.0, bits.real(-3, 1))}, {"activation", text(bent ? "tanh" : "identity")}, {"generator", text(trial % 2 == 0 ? "jax" : "torch")}};
    const auto series = series_of(given);
    const Plain expected = plain(series, bent);
    // Sums of up to 64 terms of a few units times epsilon, in double.
    CHECK(distance(series.at("scores").data, expected.scores) < 1e-12);
    CHECK(distance(series.at("weights").data, expected.weights) < 1e-12);

    const std::size_t n = series.at("queries").shape[0], m = series.at("keys").shape[0], h = series.at("w_v").data.size();
    std::vector<Real> sums(n * m), features;
    for (std::size_t i = 0; i < n * m * h; ++i) sums[i / h] += series.at("contributions").data[i];
    CHECK(distance(series.at("scores").data, sums) < 1e-12);
    for (std::size_t i = 0; i < n * m * h; ++i) {
      const Real argument = Real{series.at("query_parts").data[i / h / m * h + i % h]} + Real{series.at("key_parts").data[i / h % m * h + i % h]};
      features.push_back(bent ? std::tanh(argument) : argument);
    }
    CHECK(distance(series.at("features").data, features) < 1e-13);

    Additive rule{layers::Matrix::from_shape({h, series.at("queries").shape[1]}), layers::Matrix::from_shape({h, series.at("keys").shape[1]}), Tensor<double, 1>::from_shape({h}),
                  bent ? Activation::tanh : Activation::identity};
    std::copy(series.at("w_q").data.begin(), series.at("w_q").data.end(), rule.query_map.data());
    std::copy(series.at("w_k").data.begin(), series.at("w_k").data.end(), rule.key_map.data());
    std::copy(series.at("w_v").data.begin(), series.at("w_v").data.end(), rule.score_vector.data());
    layers::Batch queries = layers::Batch::from_shape({1, n, series.at("queries").shape[1]}), keys = layers::Batch::from_shape({1, m, series.at("keys").shape[1]});
    std::copy(series.at("queries").data.begin(), series.at("queries").data.end(), queries.data());
    std::copy(series.at("keys").data.begin(), series.at("keys").data.end(), keys.data());
    const auto scored = scores(ScoreRule{rule}, queries, keys).value();
    CHECK(std::equal(scored.begin(), scored.end(), series.at("scores").data.begin()));
  }
}

TEST_CASE("each hidden curve passes through its keys, and covers them", "[additive]") {
  for (const double epsilon : {0.1, 1.0, 10.0}) {
    const auto series = series_of({{"epsilon", epsilon}, {"query", 2.0}, {"key", 5.0}});
    const auto& x = series.at("hidden_curve_x").data;
    const auto& curves = series.at("hidden_curves");
    REQUIRE(curves.shape == std::vector<std::size_t>{3, 8, x.size()});
    CHECK(x[x.size() / 2] == 0);
    CHECK(std::is_sorted(x.begin(), x.end()));
    for (std::size_t k = 0; k < 6; ++k) {
      for (std::size_t u = 0; u < 8; ++u) {
        const double t = series.at("key_parts").data[k * 8 + u];
        REQUIRE((x.front() < t && t < x.back()));
        const auto above = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), t) - x.begin());
        const double* curve = curves.data.data() + (1 * 8 + u) * x.size();
        const double at = series.at("contributions").data[(1 * 6 + k) * 8 + u];
        // Monotone in t, so the key lies between its neighbours on the grid.
        CHECK((std::min(curve[above - 1], curve[above]) <= at + 1e-15 && at <= std::max(curve[above - 1], curve[above]) + 1e-15));
      }
    }
    CHECK(series.at("chosen_score").data[0] == series.at("scores").data[1 * 6 + 4]);
    CHECK(series.at("chosen_weight").data[0] == series.at("weights").data[1 * 6 + 4]);
  }
}

TEST_CASE("differences between rows follow the derived order", "[additive]") {
  for (const char* generator : {"jax", "torch"}) {
    for (double seed = 0; seed < 6; ++seed) {
      const auto series = series_of({{"generator", text(generator)}, {"seed", seed}, {"epsilon", 0.03}});
      const auto& eps = series.at("eps").data;
      const auto& difference = series.at("eps_difference").data;
      const auto& line = series.at("predicted_line").data;
      for (std::size_t i = 0; i < eps.size(); ++i) {
        CHECK(std::fabs(line[i] / line[0] / std::pow(eps[i] / eps[0], 3) - 1) < 1e-12);
        // Relative correction of first order: at most about ten times epsilon in these draws.
        if (eps[i] <= 0.01) CHECK(std::fabs(difference[i] / line[i] - 1) < 10 * eps[i]);
      }
      CHECK(std::fabs(series.at("fitted_slope").data[0] - 3) < 0.1);
      CHECK(std::fabs(series.at("asked_slopes").data[2] - 3) < 0.3);
      CHECK(series.at("row_difference").data[0] == series.at("asked_difference").data[3]);
      CHECK(series.at("asked_difference").data[0] == difference[12]);
      CHECK(eps[12] == 1);
      CHECK(series.at("identity_difference").data[0] < 1e-15);
    }
  }
}

TEST_CASE("one query or one key leaves nothing to fit", "[additive]") {
  for (const char* single : {"queries", "keys"}) {
    const auto series = series_of({{single, 1.0}});
    CHECK(series.at("row_difference").data[0] == 0);
    CHECK(std::isnan(series.at("fitted_slope").data[0]));
    CHECK(std::all_of(series.at("predicted_line").data.begin(), series.at("predicted_line").data.end(), [](double y) { return y == 0; }));
  }
}

TEST_CASE("the fit finds the exponent of a power law and leaves out what is beyond its range", "[additive]") {
  std::vector<double> x, y;
  for (const double each : additive_model::epsilons()) {
    x.push_back(each);
    y.push_back(each > 0.1 ? 1 : 7 * std::pow(each, 2.5));
  }
  CHECK(std::fabs(additive_model::fitted_slope(x, y, 0.001, 0.1) - 2.5) < 1e-12);
  CHECK(std::fabs(additive_model::fitted_slope(x, y, 0.001, 10) - 2.5) > 0.1);
  y[3] = 0;
  CHECK(std::isnan(additive_model::fitted_slope(x, y, 0.001, 0.1)));
}

TEST_CASE("counts are those of loops that count", "[additive]") {
  support::Bits bits(62);
  for (int trial = 0; trial < 200; ++trial) {
    const additive_counts::Widths w{1 + bits.below(9), 1 + bits.below(9), 1 + bits.below(9), 1 + bits.below(9), 1 + bits.below(9), 1 + bits.below(9), 1 + bits.below(9)};
    const auto product = [](std::size_t rows, std::size_t inner, std::size_t columns) {
      double operations = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          for (std::size_t i = 0; i < inner; ++i) operations += 2;
        }
      }
      return operations;
    };
    const std::size_t n = w.queries, m = w.keys, dq = w.query_width, dk = w.key_width, h = w.hidden, d = w.shared, r = w.rank;
    const auto counted = additive_counts::costs(w);
    double additive = product(n, dq, h) + product(m, dk, h);
    for (std::size_t pair = 0; pair < n * m; ++pair) {
      for (std::size_t u = 0; u < h; ++u) additive += 1 + 1 + 2;
    }
    CHECK(counted[0].operations == additive);
    CHECK(counted[1].operations == product(n, d, m) + static_cast<double>(n * m));
    const double first = product(n, dq, dk) + product(n, dk, m);
    const double second = product(dq, dk, m) + product(n, dq, m);
    CHECK(counted[2].operations == std::min(first, second));
    CHECK(additive_counts::cheaper_order(w) == (first <= second ? 0U : 1U));
    CHECK(counted[3].operations == product(n, dq, r) + product(m, dk, r) + product(n, r, m) + static_cast<double>(n * m));
    CHECK(counted[0].largest == static_cast<double>(std::max({n * m * h, n * h, m * h, n * m})));
    CHECK(counted[1].largest == static_cast<double>(n * m));
    CHECK(counted[2].largest == static_cast<double>(std::max(n * m, first <= second ? n * dk : dq * m)));
    CHECK(counted[3].largest == static_cast<double>(std::max({n * m, n * r, m * r})));
    CHECK(counted[0].parameters == static_cast<double>(h * dq + h * dk + h));
    std::size_t saving = 0;
    for (std::size_t rank = 1; rank * (dq + dk) < dq * dk; ++rank) saving = rank;
    CHECK(additive_counts::largest_saving_rank(w) == saving);
  }
}

TEST_CASE("counts of the exercises stand in the run", "[additive]") {
  const auto series = series_of({});
  CHECK(series.at("order_operations").data == std::vector<double>{312, 1200});
  CHECK(series.at("cheaper").data[0] == 0);
  CHECK(series.at("bilinear_parameters").data[0] == 40);
  CHECK(series.at("largest_saving_rank").data[0] == 1);
  CHECK(series.at("rank_bound").data[0] == 2);
  CHECK(series.at("score_factor").data[0] == 1 / std::sqrt(8.0));
  const auto wide = series_of({{"n", 8192.0}, {"m", 8192.0}, {"d_q", 64.0}, {"d_k", 64.0}, {"hidden", 64.0}, {"d", 1024.0}, {"rank", 64.0}});
  CHECK(wide.at("largest_intermediate").data[0] == 4294967296.0);
  CHECK(wide.at("operations").data[1] == 2.0 * 8192 * 8192 * 1024 + 8192.0 * 8192);
  CHECK(wide.at("ranks").data.back() == 64);
}

TEST_CASE("variances of the factored score are those of two passes, and their errors are honest", "[additive]") {
  using namespace additive_factored;
  const auto found = spreads(7, 3, false, 12);
  const auto keys = random::jax::split(random::jax::fold_in(random::jax::key(12), 9), 4);
  std::vector<float> q(repeats * 7), k(repeats * 3), u(repeats * most_ranks), t(repeats * most_ranks);
  for (auto [key, draws] : {std::pair{keys[0], &q}, std::pair{keys[1], &k}, std::pair{keys[2], &u}, std::pair{keys[3], &t}}) random::jax::normal(key, 0, *draws);
  for (const std::size_t r : {1U, 8U, 64U}) {
    std::vector<Real> scored;
    Real mean = 0;
    for (std::size_t s = 0; s < repeats; ++s) {
      Real qq = 0, kk = 0, score = 0;
      for (std::size_t a = 0; a < 7; ++a) qq += Real{q[s * 7 + a]} * Real{q[s * 7 + a]} / 7;
      for (std::size_t a = 0; a < 3; ++a) kk += Real{k[s * 3 + a]} * Real{k[s * 3 + a]} / 3;
      for (std::size_t j = 0; j < r; ++j) score += std::sqrt(qq * kk) * Real{u[s * most_ranks + j]} * Real{t[s * most_ranks + j]};
      scored.push_back(score);
      mean += score / repeats;
    }
    Real squares = 0, fourth = 0;
    for (const Real score : scored) squares += (score - mean) * (score - mean), fourth += (score - mean) * (score - mean) * (score - mean) * (score - mean) / repeats;
    const Real variance = squares / (repeats - 1);
    CHECK(std::fabs(found[r - 1].variance / static_cast<double>(variance) - 1) < 1e-12);
    const Real error = std::sqrt((fourth - variance * variance * (repeats - 3) / (repeats - 1)) / repeats);
    CHECK(std::fabs(found[r - 1].standard_error / static_cast<double>(error) - 1) < 1e-10);
  }
  // Over 300 seeds the distance from r has a spread of one standard error: about 1, to within 4 of its own errors (1 / sqrt(600)).
  for (const std::size_t r : {4U, 32U}) {
    double squares = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const Spread spread = spreads(20, 20, seed % 2 == 0, 1000 + seed)[r - 1];
      const double distance = (spread.variance - static_cast<double>(r)) / spread.standard_error;
      squares += distance * distance / 300;
    }
    INFO("rank " << r << ": " << squares);
    CHECK(std::fabs(std::sqrt(squares) - 1) < 4 / std::sqrt(600.0) + 0.05);
  }
}

TEST_CASE("the chosen pair exists", "[additive]") {
  const Study& study = studies::additive();
  const auto refused = validate(study, {{"query", 5.0}});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().param == "query");
  CHECK(refused.error().message == "query is 5; allowed are integers from 1 to 3, the number of queries");
  CHECK(validate(study, {{"query", 5.0}, {"queries", 5.0}}).ok());
  const Repaired repaired = repair(study, {{"keys", text("2")}, {"key", text("6")}});
  CHECK(repaired.params.integer("key") == 2);
  CHECK(repaired.notices.size() == 1);
  CHECK(validate(study, {{"epsilon", 0.0005}}).error().code == ErrorCode::out_of_range);
  CHECK(validate(study, {{"epsilon", 0.123456789}}).value().number("epsilon") == 0.123456789);
}

TEST_CASE("the snippet says what the run does", "[additive]") {
  Workspace workspace;
  const auto code = [&](Given given) { return run(studies::additive(), given, workspace).value().code; };
  const std::string jax = code({{"seed", 7.0}, {"epsilon", 0.3}, {"rank", 5.0}});
  CHECK(jax.find("jax.random.split(jax.random.key(7), 5)") != std::string::npos);
  CHECK(jax.find("print(additive_weights(0.3))") != std::string::npos);
  CHECK(jax.find("[:, :5]") != std::string::npos);
  const std::string torch = code({{"seed", 7.0}, {"generator", text("torch")}, {"activation", text("identity")}});
  CHECK(torch.find("torch.manual_seed(7)") != std::string::npos);
  CHECK(torch.find("print(additive_weights(1, lambda x: x))") != std::string::npos);
}

// The study One square root: every series against the core's own statistics at each width, in both units and of both generators, and the
// draw against a plain loop. The statistics themselves are tested in attention_test.cpp, claims about them by claims_test.cpp.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "attn/attention.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "saturation_equivalent.hpp"
#include "studies.hpp"
#include "study_support.hpp"

using namespace attn;
using studies_support::run_of;
using studies_support::series;
using studies_support::single;

namespace {

constexpr std::array<const char*, 2> forms{"unscaled", "scaled"};

/// At the reader's d: name, value, whether it is an entropy, whether it has a standard error.
void check_at(const Run& run, const std::string& form, const AttentionStats& stats, double per_unit) {
  INFO(form);
  CHECK(single(run, "at_entropy_" + form) == stats.entropy.mean / per_unit);
  CHECK(single(run, "at_entropy_" + form + "_se") == stats.entropy.standard_error / per_unit);
  CHECK(single(run, "at_jacobian_" + form) == stats.jacobian_norm.mean);
  CHECK(single(run, "at_jacobian_" + form + "_se") == stats.jacobian_norm.standard_error);
  CHECK(single(run, "at_largest_" + form) == stats.largest_weight.mean);
  CHECK(single(run, "at_largest_" + form + "_se") == stats.largest_weight.standard_error);
  // exp and root of the C library and of the core: an ulp or two apart
  CHECK(std::fabs(single(run, "at_effective_" + form) / std::exp(stats.entropy.mean) - 1) < 1e-14);
  CHECK(std::fabs(single(run, "at_spread_" + form) / std::sqrt(stats.score_variance.mean) - 1) < 1e-15);
}

}  // namespace

TEST_CASE("curves and the values at d are the core's statistics, entropies in the unit asked for", "[saturation]") {
  for (const std::string unit : {"nats", "bits"}) {
    const double per_unit = unit == "bits" ? std::log(2.0) : 1.0;
    const Run run = run_of(studies::saturation(), {{"d", 10.0}, {"keys", 20.0}, {"draws", 12.0}, {"seed", 3.0}, {"unit", unit}});
    AttentionStatsOptions options{};
    options.num_keys = 20;
    options.num_queries = 12;
    options.seed = 3;
    for (std::size_t f = 0; f < 2; ++f) {
      const std::string form = forms[f];
      options.scaled = f == 1;
      for (std::size_t i = 0; i < 8; ++i) {
        options.d = studies::section_widths[i];
        const AttentionStats stats = attention_stats(options).value();
        CHECK(series(run, "dims").data[i] == static_cast<double>(options.d));
        CHECK(std::fabs(series(run, "entropy_" + form).data[i] - stats.entropy.mean / per_unit) < 1e-14);
        CHECK(std::fabs(series(run, "entropy_" + form + "_se").data[i] - stats.entropy.standard_error / per_unit) < 1e-14);
        CHECK(series(run, "jacobian_" + form).data[i] == stats.jacobian_norm.mean);
        CHECK(series(run, "jacobian_" + form + "_se").data[i] == stats.jacobian_norm.standard_error);
      }
      options.d = 10;
      check_at(run, form, attention_stats(options).value(), per_unit);
      CHECK(series(run, "entropy_" + form).unit == unit);
      CHECK(series(run, "at_entropy_" + form).unit == unit);
    }
    CHECK(std::fabs(single(run, "uniform_entropy") - std::log(20.0) / per_unit) < 1e-15 * 20);
    CHECK(single(run, "uniform_jacobian") == std::sqrt(19.0) / 20);
    CHECK(std::fabs(single(run, "theory_scaled") - (std::log(20.0) - 0.5) / per_unit) < 1e-14);
    const auto& dims = series(run, "theory_dims").data;
    REQUIRE(dims.size() == 33);
    CHECK(std::fabs(dims.back() - 2 * std::log(20.0)) < 1e-14);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      CHECK(std::fabs(series(run, "theory_unscaled").data[i] - std::max(0.0, std::log(20.0) - dims[i] / 2) / per_unit) < 1e-14);
    }
    CHECK(std::fabs(single(run, "at_z_deviation_unscaled") / std::sqrt(std::expm1(10.0) / 20) - 1) < 1e-14);
    CHECK(std::fabs(single(run, "z_deviation_scaled") / std::sqrt(std::expm1(1.0) / 20) - 1) < 1e-14);
  }
}

TEST_CASE("with PyTorch the widths share a generator, and a width between has a fresh one for both forms", "[saturation]") {
  AttentionStatsOptions options{};
  options.num_keys = 9;
  options.num_queries = 5;
  options.seed = 8;
  const Run run = run_of(studies::saturation(), {{"d", 12.0}, {"keys", 9.0}, {"draws", 5.0}, {"seed", 8.0}, {"generator", std::string("torch")}});
  random::torch::Generator shared(8), fresh(8);
  for (std::size_t f = 0; f < 2; ++f) {
    options.scaled = f == 1;
    const std::string form = forms[f];
    for (std::size_t i = 0; i < 8; ++i) {
      options.d = studies::section_widths[i];
      const AttentionStats stats = attention_stats(options, shared).value();
      CHECK(series(run, "entropy_" + form).data[i] == stats.entropy.mean);
      CHECK(series(run, "jacobian_" + form).data[i] == stats.jacobian_norm.mean);
    }
    options.d = 12;
    check_at(run, form, attention_stats(options, fresh).value(), 1);
  }
  // at a width of the figure: the figure's own point
  const Run of_figure = run_of(studies::saturation(), {{"d", 16.0}, {"keys", 9.0}, {"draws", 5.0}, {"seed", 8.0}, {"generator", std::string("torch")}});
  CHECK(single(of_figure, "at_entropy_scaled") == series(run, "entropy_scaled").data[2]);
}

TEST_CASE("the draw is the first query over its keys, by either generator", "[saturation]") {
  // 2 queries of width 6 over 4 keys each: as many normals in a row, so that PyTorch's last block matters
  constexpr std::size_t d = 6, keys = 4, queries = 2;
  for (const bool torch : {false, true}) {
    std::vector<float> q(queries * d), k(queries * keys * d);
    if (torch) {
      random::torch::Generator generator(5);
      generator.randn(q);
      generator.randn(k);
    } else {
      const auto of = random::jax::split(random::jax::key(5), 2);
      random::jax::normal(of[0], 0, q);
      random::jax::normal(of[1], 0, k);
    }
    const Run run = run_of(studies::saturation(), {{"d", 6.0}, {"keys", 4.0}, {"draws", 2.0}, {"seed", 5.0}, {"generator", std::string(torch ? "torch" : "jax")}});
    for (std::size_t f = 0; f < 2; ++f) {
      const std::string form = forms[f];
      std::array<double, keys> score{};
      double sum = 0;
      for (std::size_t j = 0; j < keys; ++j) {
        for (std::size_t i = 0; i < d; ++i) score[j] += static_cast<double>(q[i]) * static_cast<double>(k[j * d + i]);
        if (f == 1) score[j] /= std::sqrt(6.0);
        sum += std::exp(score[j]);
      }
      for (std::size_t j = 0; j < keys; ++j) {
        CHECK(std::fabs(series(run, "draw_scores_" + form).data[j] - score[j]) < 1e-14);  // six products below 10 in another order
        CHECK(std::fabs(series(run, "draw_weights_" + form).data[j] - std::exp(score[j]) / sum) < 1e-14);
      }
    }
  }
}

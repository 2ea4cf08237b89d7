// The study of number formats against native float and double arithmetic bit for bit, against hand-made expectations of exercises
// 5 and 6.3, and on reports of fills that failed in practice.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attn/math.hpp"
#include "precision_layers.hpp"
#include "precision_row.hpp"
#include "studies.hpp"
#include "support.hpp"

using namespace attn;
using namespace attn::studies::precision_row;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The same steps in the machine's own T, written once more and plainly.
template <class T>
Row native(const Case& row, T fill, bool additive, bool zeroing) {
  T x[keys], most = -std::numeric_limits<T>::infinity(), e[keys], sum = 0;
  for (std::size_t k = 0; k < keys; ++k) {
    const T score = static_cast<T>(row.scores[k]);
    if (additive) {
      const T bias = (row.term1[k] ? T{0} : fill) + (row.term2[k] ? T{0} : fill);
      x[k] = score + bias;
    } else {
      x[k] = row.allowed(k) ? score : fill;
    }
    most = std::max(most, x[k]);
  }
  for (std::size_t k = 0; k < keys; ++k) sum += e[k] = static_cast<T>(math::exp(static_cast<double>(x[k] - most)));
  Row weights{};
  for (std::size_t k = 0; k < keys; ++k) weights[k] = zeroing && !row.any_allowed() ? 0.0 : static_cast<double>(e[k] / sum);
  return weights;
}

Trace of(const char* row, const char* fill, Setting setting) { return trace(case_named(row), fill_named(fill), setting); }

/// A row of reported scores, excluded keys behind them where fewer than six were reported.
Case reported(std::initializer_list<double> scores, std::initializer_list<bool> allowed) {
  Case row{"reported", {}, {}, {true, true, true, true, true, true}};
  row.scores.fill(-30000);  // below every reported fill but excluded; weighs nothing where the report's keys do
  std::copy(scores.begin(), scores.end(), row.scores.begin());
  std::copy(allowed.begin(), allowed.end(), row.term1.begin());
  return row;
}

}  // namespace

TEST_CASE("float32 and float64 are the machine's own arithmetic, bit for bit", "[precision]") {
  std::size_t compared = 0;
  for (const Case& row : cases) {
    for (const Fill& fill : fills) {
      for (const bool additive : {false, true}) {
        for (const bool zeroing : {false, true}) {
          const auto single = trace(row, fill, {Dtype::float32, Dtype::float32, additive, zeroing});
          const auto twice = trace(row, fill, {Dtype::float64, Dtype::float64, additive, zeroing});
          const Row f = native<float>(row, static_cast<float>(fill.value(Dtype::float32)), additive, zeroing);
          const Row d = native<double>(row, fill.value(Dtype::float64), additive, zeroing);
          for (std::size_t k = 0; k < keys; ++k, compared += 2) {
            INFO(row.name << " " << fill.name << " " << additive << zeroing << " key " << k);
            CHECK(support::same(single.weights[k], f[k]));
            CHECK(support::same(twice.weights[k], d[k]));
          }
        }
      }
    }
  }
  CHECK(compared == 6 * 6 * 4 * 12);
}

TEST_CASE("exercise 5.1: the uniform row and the NaN, traced through the maximum", "[precision]") {
  const auto uniform = of("masked", "lowest", {Dtype::float32, Dtype::float32, false, false});
  CHECK(uniform.row_max == lowest(Dtype::float32));
  for (std::size_t k = 0; k < keys; ++k) {
    CHECK(uniform.difference[k] == 0);
    CHECK(uniform.exponential[k] == 1);
    CHECK(uniform.weights[k] == static_cast<double>(1.0f / 6.0f));
  }
  CHECK(uniform.outcome == "uniform over invalid keys");
  CHECK(uniform.sum == 6);
  const auto nan = of("masked", "-infinity", {Dtype::float32, Dtype::float32, false, false});
  CHECK(nan.row_max == -infinity);
  CHECK(std::isnan(nan.difference[0]));
  CHECK(nan.outcome == "NaN");
  CHECK(std::isnan(nan.leak));
}

TEST_CASE("exercise 5.2: a million in float16", "[precision]") {
  const Setting half{Dtype::float16, Dtype::float16, false, false};
  CHECK(of("masked", "-1e6", half).fill == -infinity);
  CHECK(of("masked", "-1e6", half).outcome == "NaN");
  CHECK(of("one-key", "-1e6", half).outcome == "exact");
  CHECK(of("one-key", "-1e6", half).weights == Row{0, 0, 1, 0, 0, 0});
  CHECK(of("masked", "-1e4", half).outcome == "uniform over invalid keys");
  // The same code in the formats it was written for, and in bfloat16, which has their range.
  for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::bfloat16}) {
    CHECK(of("masked", "-1e6", {dtype, dtype, false, false}).outcome == "uniform over invalid keys");
    CHECK(of("one-key", "-1e6", {dtype, dtype, false, false}).outcome == "exact");
  }
}

TEST_CASE("exercises 5.1 and 6.3 in every format", "[precision]") {
  struct Expected {
    const char *row, *fill;
    bool additive;
    const char* outcome;
  };
  constexpr const char* uniform = "uniform over invalid keys";
  const Expected all[] = {
      {"masked", "lowest", false, uniform}, {"masked", "-infinity", false, "NaN"}, {"masked", "two-lowest", false, "NaN"},
      {"masked", "lowest", true, uniform},  {"twice", "lowest", false, uniform},   {"twice", "lowest", true, "NaN"},
      {"by-each", "lowest", true, uniform}, {"by-each", "-infinity", true, "NaN"}, {"one-key", "-infinity", true, "exact"},
  };
  for (const auto& [row, fill, additive, outcome] : all) {
    for (const Dtype dtype : dtypes) {
      INFO(row << " " << fill << " " << name(dtype));
      CHECK(of(row, fill, {dtype, dtype, additive, false}).outcome == outcome);
      const auto zeroed = of(row, fill, {dtype, dtype, additive, true});
      CHECK(zeroed.outcome == "exact");
      CHECK(zeroed.weights == (case_named(row).any_allowed() ? Row{0, 0, 1, 0, 0, 0} : Row{}));
    }
  }
}

TEST_CASE("exercise 6.3: two biases of the lowest value", "[precision]") {
  const Setting single{Dtype::float32, Dtype::float32, true, false};
  const auto twice = of("twice", "lowest", single);
  for (const double filled : twice.filled) CHECK(filled == -infinity);
  CHECK(twice.outcome == "NaN");
  const auto each = of("by-each", "lowest", single);
  CHECK(each.filled[0] == lowest(Dtype::float32));  // the score is lost
  CHECK(each.filled[2] == -infinity);
  CHECK(each.weights == Row{0.25, 0.25, 0, 0, 0.25, 0.25});
  CHECK(each.outcome == "uniform over invalid keys");
  // A lowest value that the sums cannot hold is an infinity there.
  CHECK(of("masked", "lowest", {Dtype::float64, Dtype::float32, false, false}).outcome == "NaN");
}

TEST_CASE("fills of practice that leaked", "[precision]") {
  const Setting single{Dtype::float32, Dtype::float32, false, true};
  const Fill minus_1e4{"", [](Dtype d) { return rounded(d, -1e4); }}, minus_1e9_mistyped{"", [](Dtype d) { return rounded(d, 1e-9); }},
      minus_e{"", [](Dtype d) { return rounded(d, -2.718281828459045); }}, minus_8{"", [](Dtype d) { return rounded(d, -8); }};
  const auto& lowest_fill = fill_named("lowest");
  // -1e4 against scores of -20,000 and -9,999: each time the five excluded keys share a fill of -1e4.
  CHECK(trace(reported({-20000, 0}, {true, false}), minus_1e4, single).outcome == "leak of 1");
  CHECK(std::fabs(trace(reported({-9999, 0}, {true, false}), minus_1e4, single).leak - 5 / (5 + std::exp(1.0))) < 1e-6);
  CHECK(trace(reported({-20000, 0}, {true, false}), lowest_fill, single).weights[0] == 1);
  CHECK(trace(reported({-9999, 0}, {true, false}), lowest_fill, single).weights[0] == 1);
  // 1e-9 typed for -1e9 masks nothing.
  CHECK(trace(reported({-3, 0}, {true, false}), minus_1e9_mistyped, single).leak > 0.98);
  CHECK(trace(reported({-3, 0}, {true, false}), lowest_fill, single).outcome == "exact");
  // -e in place of a large number.
  CHECK(trace(reported({0, 5}, {true, false}), minus_e, single).leak > 0.2);
  // -8 as a stand-in for -infinity: a visible leak of e^-8 a key.
  CHECK(std::fabs(trace(reported({0, 0}, {true, false}), minus_8, single).leak - 5 * std::exp(-8.0) / (1 + 5 * std::exp(-8.0))) < 1e-8);
  CHECK(trace(reported({0, 0}, {true, false}), minus_8, single).outcome == "leak of 0.002");
  // Overlapping masks leave the third state alone: everything excluded, some twice.
  Case overlapping = reported({0.5, 1, 2, 3}, {false, false, false, false});
  overlapping.term2 = {true, true, false, false, true, true};
  CHECK(trace(overlapping, lowest_fill, {Dtype::float16, Dtype::float16, true, true}).weights == Row{});
  // The share of one such key beside the allowed one, as it was reported.
  const auto eight = trace(reported({0, 0}, {true, false}), minus_8, single);
  CHECK(std::fabs(eight.weights[1] / (eight.weights[0] + eight.weights[1]) - 0.00033535) < 1e-8);
  // -1e6 and -1e9 in float16: -infinity both, exact while a key is left, NaN without one, zeros with the zeroing.
  for (const char* fill : {"-1e6", "-1e9"}) {
    for (const Dtype accumulate : {Dtype::float16, Dtype::float32}) {
      const auto& sentinel = fill_named(fill);
      CHECK(sentinel.value(Dtype::float16) == -infinity);
      CHECK(trace(reported({1, 0}, {true, false}), sentinel, {Dtype::float16, accumulate, false, false}).weights == Row{1, 0, 0, 0, 0, 0});
      CHECK(trace(reported({1, 0}, {false, false}), sentinel, {Dtype::float16, accumulate, false, false}).outcome == "NaN");
      CHECK(trace(reported({1, 0}, {false, false}), sentinel, {Dtype::float16, accumulate, false, true}).weights == Row{});
    }
  }
  // A large excluded score does not push the allowed ones below what the format can hold.
  CHECK(trace(reported({1, 1, 100}, {true, true, false}), lowest_fill, single).weights == Row{0.5, 0.5, 0, 0, 0, 0});
}

TEST_CASE("rounding of allowed weights is told apart from the mask", "[precision]") {
  for (const Dtype dtype : dtypes) {
    const auto t = of("ordinary", "lowest", {dtype, dtype, false, true});
    CHECK(t.outcome == "exact");
    CHECK(t.error <= 4 * epsilon(dtype));
    if (dtype != Dtype::float64) CHECK(t.error > 0);
  }
  // Random rows, scores as far apart as they come: rounding never reaches the bound when the softmax's format holds the scores.
  support::Bits bits(55);
  double nearest = 0;
  for (int i = 0; i < 20000; ++i) {
    Case row{"random", {}, {true, true, true, true, true, true}, {true, true, true, true, true, true}};
    const double spread = std::ldexp(1.0, static_cast<int>(bits.below(10)) - 4);
    for (double& score : row.scores) score = bits.real(-spread, spread);
    for (const Dtype dtype : dtypes) {
      const Setting setting{dtype, dtype, false, true};
      const auto t = trace(row, fill_named("lowest"), setting);
      if (t.outcome != "exact") FAIL(name(dtype) << ": " << t.outcome << ", error " << t.error);
      nearest = std::max(nearest, t.error / rounding_bound(setting));
    }
  }
  CHECK(nearest > 0.1);  // the bound is of the size of what happens
  // Scores that the softmax's format cannot tell apart.
  const auto merged = of("large", "lowest", {Dtype::float32, Dtype::bfloat16, false, true});
  CHECK(merged.outcome == "wrong weights");
  CHECK(merged.leak == 0);
  CHECK(merged.weights[0] == rounded(Dtype::bfloat16, 1.0 / 3));
  CHECK(merged.exact[1] > 0.9999998);
  // No verdict hangs on where the bound lies: what is exact keeps to half of it, what is wrong is eight times beyond.
  for (const Case& row : cases) {
    for (const Fill& fill : fills) {
      for (const Dtype dtype : dtypes) {
        for (const Dtype accumulate : dtypes) {
          for (const bool additive : {false, true}) {
            const Setting setting{dtype, accumulate, additive, false};
            const auto t = trace(row, fill, setting);
            INFO(row.name << ", " << fill.name << ", " << name(dtype) << ", softmax in " << name(accumulate) << ", error " << t.error << ", bound " << rounding_bound(setting));
            if (t.outcome == "exact") CHECK(t.error <= 0.5 * rounding_bound(setting));
            if (t.outcome == "wrong weights") CHECK(t.error > 8 * rounding_bound(setting));
          }
        }
      }
    }
  }
  // Rounded before they are scores, the exact weights are those of the rounded ones.
  CHECK(of("large", "lowest", {Dtype::bfloat16, Dtype::bfloat16, false, true}).outcome == "exact");
}

TEST_CASE("the study returns what it declares, and its table the trace of every cell", "[precision]") {
  const Study& study = studies::precision();
  Workspace workspace;
  for (const char* way : {"where", "additive"}) {
    const auto run_of = [&](const char* row, std::string_view dtype, const char* fill, bool zeroing) {
      return run(study, {{"row", std::string(row)}, {"dtype", std::string(dtype)}, {"way", std::string(way)}, {"fill", std::string(fill)}, {"zeroing", zeroing}}, workspace).value();
    };
    const auto series_of = [&](const Run& one, std::string_view wanted) {
      return *std::find_if(one.series.begin(), one.series.end(), [&](const Series& each) { return each.name == wanted; });
    };
    for (const Case& row : cases) {
      for (const bool zeroing : {false, true}) {
        const Run table = run_of(row.name, "float32", "lowest", zeroing);
        REQUIRE(table.series.size() == study.series.size());
        for (std::size_t s = 0; s < study.series.size(); ++s) CHECK(table.series[s].name == study.series[s].name);
        for (std::size_t d = 0; d < dtypes.size(); ++d) {
          for (std::size_t f = 0; f < fills.size(); ++f) {
            const std::size_t at = d * fills.size() + f;
            const Run cell = run_of(row.name, name(dtypes[d]), fills[f].name, zeroing);
            CHECK(series_of(table, "dtype_names").words[d] == name(dtypes[d]));
            CHECK(series_of(table, "fill_names").words[f] == fills[f].name);
            CHECK(series_of(table, "table_outcome").words[at] == series_of(cell, "outcome").words[0]);
            CHECK(support::same(series_of(table, "table_leak").data[at], series_of(cell, "leak").data[0]));
            CHECK(support::same(series_of(table, "table_fill").data[at], series_of(cell, "fill_value").data[0]));
          }
        }
      }
    }
  }
  for (const Preset& preset : study.presets) CHECK(run(study, preset.params, workspace).ok());
  for (const Claim& claim : study.claims) {
    const Finding found = claim.prove();
    INFO(claim.id << ": " << found.evidence);
    CHECK(found.holds);
  }
}

TEST_CASE("a discarded NaN spreads, and does not where it is never read", "[precision]") {
  using namespace attn::studies::precision_layers;
  const auto plain = run_layers(true), core = run_layers(false);
  for (std::size_t p = 0; p < 3; ++p) {
    for (std::size_t c = 0; c < width; ++c) {
      CHECK(std::fabs(plain.values[1][p][c] - core.values[1][p][c]) < 1e-15);
      CHECK(std::isnan(plain.values[2][p][c]));
      CHECK(std::isfinite(core.values[3][p][c]));
    }
  }
  CHECK(core.values[1][3] == std::array<double, 2>{0, 0});
}

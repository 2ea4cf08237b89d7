// One square root: random queries and keys, attention over m keys, and what dividing the scores by sqrt(d) does to the
// weights. The curves run over d = 4, 8, ..., 512; the reader's d adds a point, one draw's scores and weights, and a readout.
// Source: Dive into Deep Learning, section 10.2.1.1; Vaswani et al. 2017, section 3.2.1.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "attn/entropy.hpp"
#include "attn/math.hpp"
#include "attn/softmax.hpp"
#include "saturation_claims.hpp"
#include "saturation_equivalent.hpp"
#include "saturation_notebook.hpp"
#include "saturation_theory.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

constexpr std::array<const char*, 2> forms{"unscaled", "scaled"};

AttentionStatsOptions options_of(const Params& params, std::size_t d) {
  AttentionStatsOptions options;
  options.d = d;
  options.num_keys = params.integer("keys");
  options.num_queries = params.integer("draws");
  options.seed = params.integer("seed");
  return options;
}

bool from_torch(const Params& params) { return params.text("generator") == "torch"; }

/// The points of both curves, kept in the workspace while generator, keys, draws and seed stay the same.
/// PyTorch's are drawn in the section's order from one generator: all widths unscaled, then all widths scaled.
Result<Workspace::Curve> curve_of(const Params& params, Workspace& workspace) {
  AttentionStatsOptions options = options_of(params, section_widths.front());
  const std::string& generator = params.text("generator");
  if (workspace.curve && workspace.curve->generator == generator && workspace.curve->keys == options.num_keys &&
      workspace.curve->queries == options.num_queries && workspace.curve->seed == options.seed) {
    return *workspace.curve;
  }
  Workspace::Curve curve{generator, options.num_keys, options.num_queries, options.seed, {}};
  if (from_torch(params)) {
    curve.points.resize(section_widths.size());
    random::torch::Generator state(options.seed);
    const double all = 2.0 * static_cast<double>(std::accumulate(section_widths.begin(), section_widths.end(), std::size_t{0}));
    double done = 0;
    for (std::size_t f = 0; f < forms.size(); ++f) {
      options.scaled = f == 1;
      for (std::size_t i = 0; i < section_widths.size(); ++i) {
        options.d = section_widths[i];
        auto stats = attention_stats(options, state);
        if (!stats) return stats.error();
        curve.points[i][f] = stats.value();
        if (!workspace.tell((done += static_cast<double>(section_widths[i])) / all)) return stopped();
      }
    }
  } else {
    for (const std::size_t d : section_widths) {
      auto pair = attention_stats_pair(options_of(params, d), workspace.draws);
      if (!pair) return pair.error();
      curve.points.push_back(pair.value());
    }
  }
  workspace.curve = curve;
  return curve;
}

/// Both forms at the reader's d. PyTorch: the figure's own point where d is one of its widths, else a run of its own from a
/// fresh generator, unscaled and then scaled.
Result<std::array<AttentionStats, 2>> point_of(const Params& params, const Workspace::Curve& curve, Workspace& workspace) {
  AttentionStatsOptions options = options_of(params, params.integer("d"));
  if (!from_torch(params)) return attention_stats_pair(options, workspace.draws);
  for (std::size_t i = 0; i < section_widths.size(); ++i) {
    if (section_widths[i] == options.d) return curve.points[i];
  }
  random::torch::Generator state(options.seed);
  std::array<AttentionStats, 2> point;
  for (std::size_t f = 0; f < forms.size(); ++f) {
    options.scaled = f == 1;
    auto stats = attention_stats(options, state);
    if (!stats) return stats.error();
    point[f] = stats.value();
  }
  return point;
}

Series scalar(std::string name, std::string unit, double value) {
  return {std::move(name), std::move(unit), {1}, {value}};
}

template <class Pick>
Series along(std::string name, std::string unit, const Workspace::Curve& curve, Pick pick) {
  Series series{std::move(name), std::move(unit), {curve.points.size()}, {}};
  for (const auto& point : curve.points) series.data.push_back(pick(point));
  return series;
}

Result<std::vector<Series>> run_saturation(const Params& params, Workspace& workspace) {
  const std::size_t d = params.integer("d");
  const std::string& unit = params.text("unit");
  const double per_unit = unit == "bits" ? nats_per_bit : 1.0;
  const AttentionStatsOptions options = options_of(params, d);
  const auto keys = static_cast<double>(options.num_keys);

  const auto curve = curve_of(params, workspace);
  if (!curve) return curve.error();
  const auto here = point_of(params, curve.value(), workspace);
  if (!here) return here.error();
  const auto unscaled_scores = from_torch(params) ? first_draw_scores_torch(options) : draw_scores(options, 0, workspace.draws);
  if (!unscaled_scores) return unscaled_scores.error();

  std::vector<Series> series;
  Series dims{"dims", "", {section_widths.size()}, {}};
  for (const std::size_t width : section_widths) dims.data.push_back(static_cast<double>(width));
  series.push_back(std::move(dims));
  for (std::size_t f = 0; f < forms.size(); ++f) {
    const std::string form = forms[f];
    const auto add = [&](const std::string& name, const std::string& of, auto pick) {
      series.push_back(along(name + "_" + form, of, curve.value(), [&](const auto& point) { return pick(point[f]).mean / (of.empty() ? 1.0 : per_unit); }));
      series.push_back(along(name + "_" + form + "_se", of, curve.value(), [&](const auto& point) { return pick(point[f]).standard_error / (of.empty() ? 1.0 : per_unit); }));
    };
    add("entropy", unit, [](const AttentionStats& stats) { return stats.entropy; });
    add("jacobian", "", [](const AttentionStats& stats) { return stats.jacobian_norm; });
  }
  series.push_back(scalar("uniform_entropy", unit, math::log(keys) / per_unit));
  series.push_back(scalar("uniform_jacobian", "", std::sqrt(keys - 1) / keys));
  for (std::size_t f = 0; f < forms.size(); ++f) {
    const std::string form = forms[f];
    const AttentionStats& stats = here.value()[f];
    series.push_back(scalar("at_spread_" + form, "", std::sqrt(stats.score_variance.mean)));
    series.push_back(scalar("at_entropy_" + form, unit, stats.entropy.mean / per_unit));
    series.push_back(scalar("at_entropy_" + form + "_se", unit, stats.entropy.standard_error / per_unit));
    series.push_back(scalar("at_effective_" + form, "keys", math::exp(stats.entropy.mean)));
    series.push_back(scalar("at_largest_" + form, "", stats.largest_weight.mean));
    series.push_back(scalar("at_largest_" + form + "_se", "", stats.largest_weight.standard_error));
    series.push_back(scalar("at_jacobian_" + form, "", stats.jacobian_norm.mean));
    series.push_back(scalar("at_jacobian_" + form + "_se", "", stats.jacobian_norm.standard_error));
  }
  for (std::size_t f = 0; f < forms.size(); ++f) {
    const std::string form = forms[f];
    std::vector<double> scores = unscaled_scores.value();
    if (f == 1) {
      for (double& score : scores) score /= std::sqrt(static_cast<double>(d));
    }
    std::vector<double> weights(scores.size());
    softmax_row(scores, weights);
    series.push_back({"draw_scores_" + form, "", {scores.size()}, std::move(scores)});
    series.push_back({"draw_weights_" + form, "", {weights.size()}, std::move(weights)});
  }
  add_theory(params.integer("d"), keys, per_unit, unit, series);
  return series;
}

/// Entropy and norm of the figures, and at the reader's d, in the order in which this study draws them.
std::string code_of(const Params& params) {
  const bool torch = from_torch(params);
  const std::string d = std::to_string(params.integer("d"));
  const std::string start = torch ? "torch.manual_seed(" + std::to_string(params.integer("seed")) + ")\n" : "";
  const bool between = std::find(section_widths.begin(), section_widths.end(), params.integer("d")) == section_widths.end();
  std::string code = imports_code(torch) + attention_stats_code(torch, params.integer("draws"), params.integer("keys"),
                                                                params.integer("seed"), params.text("unit"));
  code.append(start).append("for scaled in (False, True):\n    print(scaled, [attention_stats(2**k, scaled) for k in range(2, 10)])\n");
  if (between) code.append("\n").append(start).append("print(").append(d).append(", [attention_stats(").append(d).append(", scaled) for scaled in (False, True)])\n");
  return code;
}

std::vector<SeriesInfo> declared_series() {
  std::vector<SeriesInfo> series{{"dims", "width of queries and keys", "", {"points"}}};
  for (const std::string form : forms) {
    series.push_back({"entropy_" + form, "mean entropy of the weights, " + form, "nats or bits", {"points"}});
    series.push_back({"entropy_" + form + "_se", "its standard error", "nats or bits", {"points"}});
    series.push_back({"jacobian_" + form, "mean Frobenius norm of the softmax Jacobian, " + form, "", {"points"}});
    series.push_back({"jacobian_" + form + "_se", "its standard error", "", {"points"}});
  }
  series.push_back({"uniform_entropy", "entropy of equal weights", "nats or bits"});
  series.push_back({"uniform_jacobian", "Jacobian norm of equal weights", ""});
  for (const std::string form : forms) {
    series.push_back({"at_spread_" + form, "root mean sample variance of the scores at d, " + form, ""});
    series.push_back({"at_entropy_" + form, "mean entropy at d, " + form, "nats or bits"});
    series.push_back({"at_entropy_" + form + "_se", "its standard error", "nats or bits"});
    series.push_back({"at_effective_" + form, "keys in effect at d, exp of the mean entropy, " + form, "keys"});
    series.push_back({"at_largest_" + form, "mean largest weight at d, " + form, ""});
    series.push_back({"at_largest_" + form + "_se", "its standard error", ""});
    series.push_back({"at_jacobian_" + form, "mean Jacobian norm at d, " + form, ""});
    series.push_back({"at_jacobian_" + form + "_se", "its standard error", ""});
  }
  for (const std::string form : forms) {
    series.push_back({"draw_scores_" + form, "scores of the first query at d, " + form, "", {"keys"}});
    series.push_back({"draw_weights_" + form, "weights of the first query at d, " + form, "", {"keys"}});
  }
  for (SeriesInfo& info : theory_series()) series.push_back(std::move(info));
  return series;
}

Study declare() {
  Study study;
  study.id = "saturation";
  study.title = "One square root";
  study.summary = "Entropy and gradient of attention over random keys against the width d, with and without 1/sqrt(d).";
  study.parameters = {
      {.key = "d", .label = "dimension", .symbol = "d", .help = "Width of each query and key.",
       .initial = 128.0, .min = 4, .max = 512, .scale = Scale::log2},
      {.key = "keys", .label = "keys", .symbol = "m", .help = "Keys each query attends over.",
       .initial = 64.0, .min = 2, .max = 128},
      {.key = "draws", .label = "draws", .symbol = "n", .help = "Queries averaged, each with keys of its own.",
       .initial = 256.0, .min = 2, .max = 1024, .scale = Scale::log2},
      {.key = "seed", .label = "seed", .symbol = "", .help = "Seed of the generator.",
       .initial = 0.0, .min = 0, .max = 4294967295.0},
      {.key = "generator", .label = "generator", .symbol = "", .help = "Whose random numbers: jax.random or torch on the CPU.",
       .kind = Kind::choice, .initial = std::string("jax"), .choices = {"jax", "torch"}},
      {.key = "unit", .label = "entropy in", .symbol = "", .help = "Unit of every entropy.",
       .kind = Kind::choice, .initial = std::string("nats"), .choices = {"nats", "bits"}},
      {.key = "theory", .label = "approximation", .symbol = "", .help = "Draw ln m - s^2/2 over the measured entropies.", .kind = Kind::flag, .initial = false},
  };
  study.series = declared_series();
  study.presets = {
      {"textbook", "64 keys, 256 draws, nats", {{"keys", 64.0}, {"draws", 256.0}, {"seed", 0.0}, {"generator", std::string("jax")}, {"unit", std::string("nats")}, {"theory", false}}},
      {"pytorch", "the same in PyTorch", {{"keys", 64.0}, {"draws", 256.0}, {"seed", 0.0}, {"generator", std::string("torch")}, {"unit", std::string("nats")}, {"theory", false}}},
      {"five-draws", "32 keys, five draws, bits", {{"keys", 32.0}, {"draws", 5.0}, {"seed", 0.0}, {"generator", std::string("jax")}, {"unit", std::string("bits")}, {"theory", false}}},
      {"approximation", "ln m − s²/2 over the curves", {{"keys", 64.0}, {"draws", 256.0}, {"seed", 0.0}, {"generator", std::string("jax")}, {"unit", std::string("nats")}, {"theory", true}}},
  };
  study.claims = saturation_claims();
  study.run = run_saturation;
  study.code = code_of;
  return study;
}

}  // namespace

const Study& saturation() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

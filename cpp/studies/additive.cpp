// Additive scoring: a small network scores a query against a key of another width. The section's example in any size with its
// hidden units, the weights, how little they know of the query as epsilon shrinks, and what additive, dot and bilinear rules cost.
//   a(q, k) = w_v . tanh(W_q q + W_k k)
// Source: Dive into Deep Learning, section 10.2.4 and exercises 9, 11 and 12; Bahdanau et al. 2015, appendix A.1.2.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "additive_claims.hpp"
#include "additive_counts.hpp"
#include "additive_factored.hpp"
#include "additive_model.hpp"
#include "attn/math.hpp"
#include "attn/softmax.hpp"
#include "attn/text.hpp"
#include "saturation_notebook.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

using namespace additive_model;
using additive_counts::Widths;

constexpr std::size_t curve_points = 61;
constexpr std::array<double, 4> asked_factors{1, 0.3, 0.1, 0.03};  ///< of exercise 11.3
constexpr std::array<double, 2> fit_range{0.001, 0.1};

struct Setting {
  Sizes sizes;
  Widths widths;
  double epsilon = 1;
  Activation activation = Activation::tanh;
  bool torch = false;
  std::uint64_t seed = 0;
  std::size_t query = 0, key = 0;  ///< the chosen pair, counted from 0
};

Setting setting_of(const Params& params) {
  Setting setting;
  setting.sizes = {params.integer("queries"), params.integer("keys"), params.integer("d_q"), params.integer("d_k"), params.integer("hidden")};
  setting.widths = {params.integer("n"), params.integer("m"), params.integer("d_q"), params.integer("d_k"), params.integer("hidden"), params.integer("d"), params.integer("rank")};
  setting.epsilon = params.number("epsilon");
  setting.activation = params.text("activation") == "tanh" ? Activation::tanh : Activation::identity;
  setting.torch = params.text("generator") == "torch";
  setting.seed = params.integer("seed");
  setting.query = params.integer("query") - 1;
  setting.key = params.integer("key") - 1;
  return setting;
}

Series single(std::string name, double value, std::string unit = "") { return {std::move(name), std::move(unit), {1}, {value}}; }

Series list(std::string name, std::vector<double> data, std::string unit = "") {
  return {std::move(name), std::move(unit), {data.size()}, std::move(data)};
}

Series words(std::string name, std::vector<std::string> texts) {
  return {std::move(name), "", {texts.size()}, {}, std::move(texts)};
}

/// A tensor's entries over `shape`, which has as many.
template <class T>
Series table(std::string name, std::vector<std::size_t> shape, const T& tensor) {
  return {std::move(name), "", std::move(shape), std::vector<double>(tensor.begin(), tensor.end())};
}

/// Row times transposed matrix: (rows, width) and (h, width) to (rows, h), terms in order.
std::vector<double> projected(const Tensor<double, 3>& rows, const Tensor<double, 2>& map) {
  const std::size_t h = map.shape()[0];
  std::vector<double> parts;
  for (std::size_t r = 0; r < rows.shape()[1]; ++r) {
    for (std::size_t j = 0; j < h; ++j) {
      double sum = 0;
      for (std::size_t a = 0; a < rows.shape()[2]; ++a) sum += map(j, a) * rows(0, r, a);
      parts.push_back(sum);
    }
  }
  return parts;
}

/// The hidden layer of every pair, and each unit's contribution to the score as the key's part of its argument runs.
void add_hidden(const Setting& setting, const Example& example, const Additive& rule, std::vector<Series>& series) {
  const auto [n, m, dq, dk, h] = setting.sizes;
  const std::vector<double> of_queries = projected(example.queries, rule.query_map);
  const std::vector<double> of_keys = projected(example.keys, rule.key_map);
  const auto bent = [&](double x) { return setting.activation == Activation::tanh ? math::tanh(x) : x; };
  double extent = 2.5;
  for (const double part : of_keys) extent = std::max(extent, 1.1 * std::fabs(part));
  std::vector<double> x;
  for (std::size_t p = 0; p < curve_points; ++p) x.push_back(extent * (2 * static_cast<double>(p) / (curve_points - 1) - 1));
  Series features{"features", "", {n, m, h}, {}}, contributions{"contributions", "", {n, m, h}, {}};
  Series curves{"hidden_curves", "", {n, h, curve_points}, {}};
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t j = 0; j < h; ++j) {
        features.data.push_back(bent(of_queries[q * h + j] + of_keys[k * h + j]));
        contributions.data.push_back(rule.score_vector(j) * features.data.back());
      }
    }
    for (std::size_t j = 0; j < h; ++j) {
      for (const double t : x) curves.data.push_back(rule.score_vector(j) * bent(of_queries[q * h + j] + t));
    }
  }
  series.push_back({"query_parts", "", {n, h}, of_queries});
  series.push_back({"key_parts", "", {m, h}, of_keys});
  series.push_back(std::move(features));
  series.push_back(std::move(contributions));
  series.push_back(list("hidden_curve_x", std::move(x)));
  series.push_back(std::move(curves));
}

/// Four decimals, or the framework's own text where the order of its roundings is known.
Series weights_text(const Setting& setting, const Example& example, const Tensor<double, 3>& weights, bool as_printed) {
  Series text{"weights_text", "", {setting.sizes.queries, setting.sizes.keys}, {}, {}};
  if (as_printed) {
    text.words = printed_weights(example);
    return text;
  }
  for (const double weight : weights) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%.4f", weight);
    text.words.emplace_back(digits);
  }
  return text;
}

void add_weights(const Setting& setting, const Example& example, const Additive& rule, std::vector<Series>& series) {
  const std::size_t n = setting.sizes.queries;
  const std::size_t m = setting.sizes.keys;
  const Tensor<double, 3> scored = scores(ScoreRule{rule}, example.queries, example.keys).value();
  const Tensor<double, 3> weights = attn::masked_softmax(scored).value();
  const bool as_printed = printable(example) && setting.epsilon == 1 && setting.activation == Activation::tanh;
  series.push_back(table("scores", {n, m}, scored));
  series.push_back(table("weights", {n, m}, weights));
  series.push_back(weights_text(setting, example, weights, as_printed));
  series.push_back(single("as_printed", as_printed ? 1 : 0));
  series.push_back(single("chosen_score", scored(0, setting.query, setting.key)));
  series.push_back(single("chosen_weight", weights(0, setting.query, setting.key)));
  series.push_back(single("row_difference", row_difference(weights)));
}

/// Exercise 11: always the tanh, whatever the reader's activation; the identity stands beside it.
void add_epsilons(const Setting& setting, const Example& example, std::vector<Series>& series) {
  std::vector<double> differences, line, asked, slopes;
  const double leading = leading_coefficient(example);
  for (const double epsilon : epsilons()) {
    differences.push_back(row_difference(weights_of(example, epsilon, Activation::tanh)));
    line.push_back(leading * epsilon * epsilon * epsilon);
  }
  for (const double epsilon : asked_factors) asked.push_back(row_difference(weights_of(example, epsilon, Activation::tanh)));
  for (std::size_t i = 0; i + 1 < asked.size(); ++i) slopes.push_back(fitted_slope({asked_factors[i], asked_factors[i + 1]}, {asked[i], asked[i + 1]}, 0, 1));
  series.push_back(list("eps", epsilons()));
  series.push_back(list("eps_difference", differences));
  series.push_back(list("predicted_line", std::move(line)));
  series.push_back(single("predicted_slope", 3));
  series.push_back(single("fitted_slope", fitted_slope(epsilons(), differences, fit_range[0], fit_range[1])));
  series.push_back(list("fit_range", {fit_range.begin(), fit_range.end()}));
  series.push_back(list("asked_eps", {asked_factors.begin(), asked_factors.end()}));
  series.push_back(list("asked_difference", std::move(asked)));
  series.push_back(list("asked_slopes", std::move(slopes)));
  series.push_back(single("identity_difference", row_difference(weights_of(example, setting.epsilon, Activation::identity))));
}

void add_costs(const Setting& setting, std::vector<Series>& series) {
  using namespace additive_counts;
  const auto counted = costs(setting.widths);
  Series rules = words("rule_names", {}), formulas = {"cost_formulas", "", {counted.size(), 3}, {}, {}};
  Series parameters = list("parameters", {}), operations = list("operations", {}), largest = list("largest_intermediate", {});
  for (const Cost& cost : counted) {
    rules.words.push_back(cost.rule);
    parameters.data.push_back(cost.parameters);
    operations.data.push_back(cost.operations);
    largest.data.push_back(cost.largest);
    for (const std::string& formula : {cost.parameters_formula, cost.operations_formula, cost.largest_formula}) formulas.words.push_back(formula);
  }
  for (Series* each : {&rules, &parameters, &operations, &largest}) each->shape = {counted.size()};
  for (Series* each : {&rules, &parameters, &operations, &largest, &formulas}) series.push_back(std::move(*each));
}

void add_bilinear(const Setting& setting, std::vector<Series>& series) {
  using namespace additive_counts;
  const Widths& w = setting.widths;
  const auto steps = order_steps(w);
  const auto inverse = [](std::size_t x) { return 1 / static_cast<double>(x); };
  const auto both = static_cast<double>(w.query_width + w.key_width);
  series.push_back(words("order_names", {"(QM)Kᵀ", "Q(MKᵀ)"}));
  series.push_back({"order_steps", "", {2, 2}, {steps[0][0], steps[0][1], steps[1][0], steps[1][1]}});
  series.push_back(list("order_operations", {steps[0][0] + steps[0][1], steps[1][0] + steps[1][1]}));
  series.push_back(list("order_rule", {inverse(w.keys) + inverse(w.query_width), inverse(w.queries) + inverse(w.key_width)}));
  series.push_back(single("cheaper", static_cast<double>(cheaper_order(w))));
  std::vector<double> ranks, rank_parameters;
  for (std::size_t r = 1; r <= additive_factored::most_ranks; ++r) {
    ranks.push_back(static_cast<double>(r));
    rank_parameters.push_back(static_cast<double>(r) * both);
  }
  series.push_back(list("ranks", std::move(ranks)));
  series.push_back(list("rank_parameters", std::move(rank_parameters)));
  series.push_back(single("bilinear_parameters", static_cast<double>(w.query_width * w.key_width)));
  series.push_back(single("low_rank_parameters", static_cast<double>(w.rank) * both));
  series.push_back(single("break_even_rank", break_even_rank(w)));
  series.push_back(single("largest_saving_rank", static_cast<double>(largest_saving_rank(w))));
  series.push_back(single("rank_bound", static_cast<double>(std::min({w.rank, w.query_width, w.key_width}))));
}

void add_variance(const Setting& setting, std::vector<Series>& series) {
  using namespace additive_factored;
  const auto measured = spreads(setting.sizes.query_width, setting.sizes.key_width, setting.torch, setting.seed);
  std::vector<double> ranks, variance, error, divided, divided_error;
  for (std::size_t r = 1; r <= most_ranks; r *= 2) {
    const auto rank = static_cast<double>(r);
    ranks.push_back(rank);
    variance.push_back(measured[r - 1].variance);
    error.push_back(measured[r - 1].standard_error);
    divided.push_back(measured[r - 1].variance / rank);
    divided_error.push_back(measured[r - 1].standard_error / rank);
  }
  const auto rank = static_cast<double>(setting.widths.rank);
  const Spread& here = measured[setting.widths.rank - 1];
  series.push_back(list("variance_ranks", std::move(ranks)));
  series.push_back(list("rank_variance", std::move(variance)));
  series.push_back(list("rank_variance_se", std::move(error)));
  series.push_back(list("rank_variance_scaled", std::move(divided)));
  series.push_back(list("rank_variance_scaled_se", std::move(divided_error)));
  series.push_back(single("variance_draws", static_cast<double>(repeats)));
  series.push_back(single("score_variance", here.variance));
  series.push_back(single("score_variance_se", here.standard_error));
  series.push_back(single("predicted_variance", rank));
  series.push_back(single("scaled_variance", here.variance / rank));
  series.push_back(single("scaled_variance_se", here.standard_error / rank));
  series.push_back(single("score_factor", 1 / std::sqrt(rank)));
}

Result<std::vector<Series>> run_additive(const Params& params, Workspace&) {
  const Setting setting = setting_of(params);
  const auto [n, m, dq, dk, h] = setting.sizes;
  const Example example = draw(setting.sizes, setting.torch, setting.seed);
  const Additive rule = scaled(example.rule, setting.epsilon, setting.activation);
  std::vector<Series> series;
  series.push_back(table("queries", {n, dq}, example.queries));
  series.push_back(table("keys", {m, dk}, example.keys));
  series.push_back(table("w_q", {h, dq}, rule.query_map));
  series.push_back(table("w_k", {h, dk}, rule.key_map));
  series.push_back(table("w_v", {h}, rule.score_vector));
  add_hidden(setting, example, rule, series);
  add_weights(setting, example, rule, series);
  add_epsilons(setting, example, series);
  add_costs(setting, series);
  add_bilinear(setting, series);
  add_variance(setting, series);
  return series;
}

std::optional<Error> check_additive(const Params& params) {
  for (const auto& [chosen, of] : {std::pair{"query", "queries"}, std::pair{"key", "keys"}}) {
    if (params.integer(chosen) <= params.integer(of)) continue;
    return Error{ErrorCode::out_of_range, chosen,
                 std::string(chosen).append(" is ").append(std::to_string(params.integer(chosen))).append("; allowed are integers from 1 to ").append(std::to_string(params.integer(of))).append(", the number of ").append(of)};
  }
  return std::nullopt;
}

void mend_additive(Params& params, std::vector<Notice>& notices) {
  for (const auto& [chosen, of] : {std::pair{"query", "queries"}, std::pair{"key", "keys"}}) {
    const std::size_t count = params.integer(of);
    if (params.integer(chosen) <= count) continue;
    params.set(chosen, static_cast<double>(count));
    notices.push_back({chosen, std::string(chosen).append(" is now ").append(std::to_string(count)).append(", the last of the ").append(of)});
  }
}

/// Example, the four factors of exercise 11, and the variance of the factored score, in the order in which this study draws them.
std::string code_of(const Params& params) {
  const Setting setting = setting_of(params);
  const bool torch = setting.torch;
  const std::string seed = std::to_string(setting.seed);
  const auto [n, m, dq, dk, h] = setting.sizes;
  const auto text = [](std::size_t x) { return std::to_string(x); };
  std::string code = imports_code(torch);
  const std::string start = std::string(torch ? "torch.manual_seed(" : "key_q, key_k, k1, k2, k3 = jax.random.split(jax.random.key(").append(seed).append(torch ? ")\n" : "), 5)\n");
  code.append(start);
  const auto normal = [&](const char* key, const std::string& shape) {
    return torch ? std::string("torch.randn(").append(shape).append(")") : std::string("jax.random.normal(").append(key).append(", (").append(shape).append("))");
  };
  code.append("queries = ").append(normal("key_q", text(n) + ", " + text(dq))).append("\n");
  code.append("keys = ").append(normal("key_k", text(m) + ", " + text(dk))).append("\n");
  code.append("W_q = ").append(normal("k1", text(h) + ", " + text(dq))).append(" / math.sqrt(").append(text(dq)).append(")\n");
  code.append("W_k = ").append(normal("k2", text(h) + ", " + text(dk))).append(" / math.sqrt(").append(text(dk)).append(")\n");
  code.append("w_v = ").append(normal("k3", text(h) + ",")).append(" / math.sqrt(").append(text(h)).append(")\n\n");
  const std::string tanh = torch ? "torch.tanh" : "jnp.tanh";
  code.append("def additive_weights(epsilon, bend=").append(tanh).append("):\n");
  code.append("    from_queries = queries @ (epsilon * W_q).T\n    from_keys = keys @ (epsilon * W_k).T\n");
  code.append("    hidden = bend(from_queries[:, None] + from_keys)  # (").append(text(n)).append(", ").append(text(m)).append(", ").append(text(h)).append(")\n");
  code.append("    return ").append(torch ? "torch.softmax(hidden @ w_v, -1)" : "jax.nn.softmax(hidden @ w_v)").append("\n\n");
  code.append("print(additive_weights(").append(number_text(setting.epsilon)).append(setting.activation == Activation::tanh ? "" : ", lambda x: x").append("))\n");
  code.append("for epsilon in (1, 0.3, 0.1, 0.03):\n    w = additive_weights(epsilon)\n    print(epsilon, float((w.").append(torch ? "amax(0) - w.amin(0)" : "max(0) - w.min(0)").append(").max()))\n\n");
  code.append("# the factored score's variance; given q, the entries of W_q q are normals of variance |q|^2 / d_q\n");
  const std::string repeats = text(additive_factored::repeats);
  code.append(torch ? start : std::string("key_q, key_k, k1, k2 = jax.random.split(jax.random.fold_in(jax.random.key(").append(seed).append("), 9), 4)\n"));
  code.append("q, k = ").append(normal("key_q", repeats + ", " + text(dq))).append(", ").append(normal("key_k", repeats + ", " + text(dk))).append("\n");
  const std::string side = repeats + ", " + text(additive_factored::most_ranks);
  code.append("u, t = ").append(normal("k1", side)).append(", ").append(normal("k2", side)).append("\n");
  const std::string root = torch ? "(x ** 2).mean(-1, keepdim=True).sqrt()" : "jnp.sqrt((x ** 2).mean(-1, keepdims=True))";
  code.append("spread = lambda x: ").append(root).append("\n");
  const std::string rank = text(setting.widths.rank);
  code.append("s = (spread(q) * u * spread(k) * t)[:, :").append(rank).append("].sum(-1)\n");
  code.append("print(float(s.var(").append(torch ? "" : "ddof=1").append(")), float((s / math.sqrt(").append(rank).append(")).var(").append(torch ? "" : "ddof=1").append(")))\n");
  return code;
}

std::vector<SeriesInfo> declared_series() {
  const std::vector<std::string> pair{"queries", "keys"}, pair_unit{"queries", "keys", "units"}, factors{"factors"}, rules{"rules"}, orders{"orders"}, ranks{"ranks"}, tried{"variance ranks"};
  return {
      {"queries", "queries", "", {"queries", "query width"}},
      {"keys", "keys", "", {"keys", "key width"}},
      {"w_q", "map of the queries, times epsilon", "", {"units", "query width"}},
      {"w_k", "map of the keys, times epsilon", "", {"units", "key width"}},
      {"w_v", "weight of each hidden unit in the score", "", {"units"}},
      {"query_parts", "what a query adds to each unit's argument", "", {"queries", "units"}},
      {"key_parts", "what a key adds to each unit's argument", "", {"keys", "units"}},
      {"features", "activation of each unit for each pair", "", pair_unit},
      {"contributions", "activation times the unit's weight; a pair's contributions sum to its score", "", pair_unit},
      {"hidden_curve_x", "a key's part of a unit's argument", "", {"points"}},
      {"hidden_curves", "contribution of each unit against the key's part, for each query", "", {"queries", "units", "points"}},
      {"scores", "scores", "", pair},
      {"weights", "weights, in double", "", pair},
      {"weights_text", "weights as the framework prints them where its roundings are known, else with four decimals", "", pair, true},
      {"as_printed", "1 where the texts are the framework's", ""},
      {"chosen_score", "score of the chosen query and key", ""},
      {"chosen_weight", "weight of the chosen query and key", ""},
      {"row_difference", "largest difference between two queries' weights at one key", ""},
      {"eps", "factor of both maps", "", factors},
      {"eps_difference", "row difference at each factor, with the tanh", "", factors},
      {"predicted_line", "leading term of the row difference, a constant times the factor cubed", "", factors},
      {"predicted_slope", "power of the factor in the leading term", ""},
      {"fitted_slope", "fitted power over the range of the fit; NaN where no rows differ", ""},
      {"fit_range", "least and greatest factor of the fit", "", {"ends"}},
      {"asked_eps", "factors of exercise 11.3", "", {"asked"}},
      {"asked_difference", "row difference at those factors", "", {"asked"}},
      {"asked_slopes", "power between neighbours of those factors", "", {"asked steps"}},
      {"identity_difference", "row difference with the identity in place of the tanh, at the chosen factor", ""},
      {"rule_names", "scoring rules whose costs are counted", "", rules, true},
      {"parameters", "parameters of each rule", "", rules},
      {"operations", "floating-point operations of all scores", "", rules},
      {"largest_intermediate", "entries of the largest tensor between the inputs and the weights", "", rules},
      {"cost_formulas", "formulas of parameters, operations and largest tensor", "", {"rules", "counts"}, true},
      {"order_names", "evaluation orders of the bilinear score", "", orders, true},
      {"order_steps", "operations of the first and of the second product of each order", "", {"orders", "products"}},
      {"order_operations", "operations of each order", "", orders},
      {"order_rule", "1/m + 1/d_q and 1/n + 1/d_k: the smaller names the cheaper order", "", orders},
      {"cheaper", "the cheaper order, 0 or 1", ""},
      {"ranks", "ranks", "", ranks},
      {"rank_parameters", "parameters of the two factors at each rank", "", ranks},
      {"bilinear_parameters", "parameters of the whole matrix", ""},
      {"low_rank_parameters", "parameters of the two factors at the chosen rank", ""},
      {"break_even_rank", "rank at which both have the same number of parameters", ""},
      {"largest_saving_rank", "greatest rank with fewer parameters than the whole matrix; 0 if there is none", ""},
      {"rank_bound", "greatest rank that the product of the factors can have", ""},
      {"variance_ranks", "ranks whose score variance is measured", "", tried},
      {"rank_variance", "sample variance of the factored score", "", tried},
      {"rank_variance_se", "its standard error", "", tried},
      {"rank_variance_scaled", "sample variance of the factored score divided by the root of the rank", "", tried},
      {"rank_variance_scaled_se", "its standard error", "", tried},
      {"variance_draws", "draws behind each variance", ""},
      {"score_variance", "sample variance of the factored score at the chosen rank", ""},
      {"score_variance_se", "its standard error", ""},
      {"predicted_variance", "variance of the factored score at the chosen rank", ""},
      {"scaled_variance", "sample variance after division by the root of the rank", ""},
      {"scaled_variance_se", "its standard error", ""},
      {"score_factor", "factor that takes the place of one over the root of the width", ""},
  };
}

Given sizes(double queries, double keys, double query_width, double key_width, double hidden) {
  return {{"queries", queries}, {"keys", keys}, {"d_q", query_width}, {"d_k", key_width}, {"hidden", hidden}};
}

Given with(Given given, std::initializer_list<std::pair<std::string, Value>> more) {
  given.insert(given.end(), more.begin(), more.end());
  return given;
}

Study declare() {
  Study study;
  study.id = "additive";
  study.title = "Additive scoring";
  study.summary = "A network with one hidden layer scores queries against keys of another width: its units, its weights, its cost.";
  study.parameters = {
      {.key = "queries", .label = "queries", .symbol = "", .help = "Queries of the example.", .initial = 3.0, .min = 1, .max = 8},
      {.key = "keys", .label = "keys", .symbol = "", .help = "Keys of the example.", .initial = 6.0, .min = 1, .max = 12},
      {.key = "d_q", .label = "query width", .symbol = "d_q", .help = "Width of a query.", .initial = 20.0, .min = 1, .max = 64},
      {.key = "d_k", .label = "key width", .symbol = "d_k", .help = "Width of a key.", .initial = 2.0, .min = 1, .max = 64},
      {.key = "hidden", .label = "hidden units", .symbol = "h", .help = "Hidden units of the additive rule.", .initial = 8.0, .min = 1, .max = 64},
      {.key = "epsilon", .label = "factor", .symbol = "ε", .help = "Multiplies both maps, W_q and W_k.", .kind = Kind::number, .initial = 1.0, .min = 0.001, .max = 10, .step = 0.01, .scale = Scale::log10},
      {.key = "activation", .label = "activation", .symbol = "", .help = "What bends the sum of the two projections: the tanh, or nothing.", .kind = Kind::choice, .initial = std::string("tanh"), .choices = {"tanh", "identity"}},
      {.key = "generator", .label = "generator", .symbol = "", .help = "Whose random numbers: jax.random or torch on the CPU.", .kind = Kind::choice, .initial = std::string("jax"), .choices = {"jax", "torch"}},
      {.key = "seed", .label = "seed", .symbol = "", .help = "Seed of the generator.", .initial = 0.0, .min = 0, .max = 4294967295.0},
      {.key = "query", .label = "chosen query", .symbol = "", .help = "The query whose hidden units are drawn.", .initial = 1.0, .min = 1, .max = 8},
      {.key = "key", .label = "chosen key", .symbol = "", .help = "The key that stands on them.", .initial = 1.0, .min = 1, .max = 12},
      {.key = "n", .label = "queries to count for", .symbol = "n", .help = "Queries of the counts.", .initial = 3.0, .min = 1, .max = 8192, .scale = Scale::log2},
      {.key = "m", .label = "keys to count for", .symbol = "m", .help = "Keys of the counts.", .initial = 6.0, .min = 1, .max = 8192, .scale = Scale::log2},
      {.key = "d", .label = "shared width", .symbol = "d", .help = "Width of queries and keys of the dot product.", .initial = 64.0, .min = 1, .max = 1024, .scale = Scale::log2},
      {.key = "rank", .label = "rank", .symbol = "r", .help = "Rows of the two factors of the bilinear score.", .initial = 8.0, .min = 1, .max = 64},
  };
  study.series = declared_series();
  const Given section = with(sizes(3, 6, 20, 2, 8), {{"epsilon", 1.0}, {"activation", std::string("tanh")}, {"seed", 0.0}});
  study.presets = {
      {"jax", "the section’s example in JAX", with(section, {{"generator", std::string("jax")}})},
      {"pytorch", "the same in PyTorch", with(section, {{"generator", std::string("torch")}})},
      {"identity", "exercise 11.1, without the tanh", with(sizes(3, 6, 20, 2, 8), {{"activation", std::string("identity")}}),
       "Without the tanh a query adds the same amount to the score of every key, and the softmax over keys forgets it: all rows are one."},
      {"small", "exercise 11.3, maps a tenth as large", with(sizes(3, 6, 20, 2, 8), {{"activation", std::string("tanh")}, {"epsilon", 0.1}})},
      {"large", "maps ten times as large", with(sizes(3, 6, 20, 2, 8), {{"activation", std::string("tanh")}, {"epsilon", 10.0}})},
      {"orders", "exercise 9, a rank that saves", {{"d_q", 20.0}, {"d_k", 2.0}, {"n", 3.0}, {"m", 6.0}, {"rank", 1.0}}},
      {"costs", "exercise 12, 512 by 512 at width 64", {{"d_q", 64.0}, {"d_k", 64.0}, {"hidden", 64.0}, {"d", 64.0}, {"n", 512.0}, {"m", 512.0}, {"rank", 16.0}}},
  };
  study.claims = additive_claims();
  study.check = check_additive;
  study.mend = mend_additive;
  study.run = run_additive;
  study.code = code_of;
  return study;
}

}  // namespace

const Study& additive() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

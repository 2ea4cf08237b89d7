// Additive scoring: a small network scores a query against a key of another width. The section's example in any size with its
// hidden units, the weights, how little they know of the query as epsilon shrinks, and what additive, dot and bilinear rules cost.
//   a(q, k) = w_v . tanh(W_q q + W_k k)
// Source: Dive into Deep Learning, section 10.2.4 and exercises 9, 11 and 12; Bahdanau et al. 2015, appendix A.1.2.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "additive_claims.hpp"
#include "additive_code.hpp"
#include "additive_counts.hpp"
#include "additive_factored.hpp"
#include "additive_model.hpp"
#include "additive_series.hpp"
#include "attn/math.hpp"
#include "attn/softmax.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

using namespace additive_model;
using additive_counts::Widths;

constexpr std::size_t curve_points = 61;
constexpr std::array<double, 4> asked_factors{1, 0.3, 0.1, 0.03};  ///< of exercise 11.3

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

/// What a run returns, filled by name. Plain text for names: a string a call would be code that pages download.
class Returned {
 public:
  void one(const char* name, double value) { add(name, {1}).data.push_back(value); }
  void list(const char* name, std::span<const double> data) { add(name, {data.size()}).data.assign(data.begin(), data.end()); }
  void words(const char* name, std::span<const char* const> texts) { add(name, {texts.size()}).words.assign(texts.begin(), texts.end()); }
  /// A tensor's entries over `shape`, which has as many.
  void table(const char* name, std::initializer_list<std::size_t> shape, std::span<const double> data) { add(name, shape).data.assign(data.begin(), data.end()); }
  Series& add(const char* name, std::initializer_list<std::size_t> shape) { return series.emplace_back(Series{name, "", shape, {}, {}}); }

  std::vector<Series> series;
};

template <class T>
std::span<const double> entries(const T& tensor) { return {tensor.data(), tensor.size()}; }

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
void add_hidden(const Setting& setting, const Example& example, const Additive& rule, Returned& out) {
  const auto [n, m, dq, dk, h] = setting.sizes;
  const std::vector<double> of_queries = projected(example.queries, rule.query_map);
  const std::vector<double> of_keys = projected(example.keys, rule.key_map);
  const auto bent = [&](double x) { return setting.activation == Activation::tanh ? math::tanh(x) : x; };
  double extent = 2.5;
  for (const double part : of_keys) extent = std::max(extent, 1.1 * std::fabs(part));
  std::vector<double> x;
  for (std::size_t p = 0; p < curve_points; ++p) x.push_back(extent * (2 * static_cast<double>(p) / (curve_points - 1) - 1));
  std::vector<double> features, contributions, curves;
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t j = 0; j < h; ++j) {
        features.push_back(bent(of_queries[q * h + j] + of_keys[k * h + j]));
        contributions.push_back(rule.score_vector(j) * features.back());
      }
    }
    for (std::size_t j = 0; j < h; ++j) {
      for (const double t : x) curves.push_back(rule.score_vector(j) * bent(of_queries[q * h + j] + t));
    }
  }
  out.table("query_parts", {n, h}, of_queries);
  out.table("key_parts", {m, h}, of_keys);
  out.table("features", {n, m, h}, features);
  out.table("contributions", {n, m, h}, contributions);
  out.list("hidden_curve_x", x);
  out.table("hidden_curves", {n, h, curve_points}, curves);
}

/// Four decimals, or the framework's own text where the order of its roundings is known.
std::vector<std::string> weights_text(const Example& example, const Tensor<double, 3>& weights, bool as_printed) {
  if (as_printed) return printed_weights(example);
  std::vector<std::string> texts;
  for (const double weight : weights) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%.4f", weight);
    texts.emplace_back(digits);
  }
  return texts;
}

void add_weights(const Setting& setting, const Example& example, const Additive& rule, Returned& out) {
  const std::size_t n = setting.sizes.queries;
  const std::size_t m = setting.sizes.keys;
  const Tensor<double, 3> scored = scores(ScoreRule{rule}, example.queries, example.keys).value();
  const Tensor<double, 3> weights = attn::masked_softmax(scored).value();
  const bool as_printed = printable(example) && setting.epsilon == 1 && setting.activation == Activation::tanh;
  out.table("scores", {n, m}, entries(scored));
  out.table("weights", {n, m}, entries(weights));
  out.add("weights_text", {n, m}).words = weights_text(example, weights, as_printed);
  out.one("as_printed", as_printed ? 1 : 0);
  out.one("chosen_score", scored(0, setting.query, setting.key));
  out.one("chosen_weight", weights(0, setting.query, setting.key));
  out.one("row_difference", row_difference(weights));
}

/// Exercise 11: always the tanh, whatever the reader's activation; the identity stands beside it.
void add_epsilons(const Setting& setting, const Example& example, Returned& out) {
  std::vector<double> differences, line, asked, slopes;
  const double leading = leading_coefficient(example);
  for (const double epsilon : epsilons()) {
    differences.push_back(row_difference(weights_of(example, epsilon, Activation::tanh)));
    line.push_back(leading * epsilon * epsilon * epsilon);
  }
  for (const double epsilon : asked_factors) asked.push_back(row_difference(weights_of(example, epsilon, Activation::tanh)));
  for (std::size_t i = 0; i + 1 < asked.size(); ++i) slopes.push_back(fitted_slope({asked_factors[i], asked_factors[i + 1]}, {asked[i], asked[i + 1]}, 0, 1));
  out.list("eps", epsilons());
  out.list("eps_difference", differences);
  out.list("predicted_line", line);
  out.one("predicted_slope", 3);
  out.one("fitted_slope", fitted_slope(epsilons(), differences, fit_range[0], fit_range[1]));
  out.list("fit_range", fit_range);
  out.list("asked_eps", asked_factors);
  out.list("asked_difference", asked);
  out.list("asked_slopes", slopes);
  out.one("identity_difference", row_difference(weights_of(example, setting.epsilon, Activation::identity)));
}

void add_costs(const Setting& setting, Returned& out) {
  using namespace additive_counts;
  const auto counted = costs(setting.widths);
  std::vector<double> parameters, operations, largest;
  std::vector<std::string> names, formulas;
  for (const Cost& cost : counted) {
    names.push_back(cost.rule);
    parameters.push_back(cost.parameters);
    operations.push_back(cost.operations);
    largest.push_back(cost.largest);
    for (const std::string* formula : {&cost.parameters_formula, &cost.operations_formula, &cost.largest_formula}) formulas.push_back(*formula);
  }
  out.add("rule_names", {counted.size()}).words = std::move(names);
  out.list("parameters", parameters);
  out.list("operations", operations);
  out.list("largest_intermediate", largest);
  out.add("cost_formulas", {counted.size(), 3}).words = std::move(formulas);
}

void add_bilinear(const Setting& setting, Returned& out) {
  using namespace additive_counts;
  const Widths& w = setting.widths;
  const auto steps = order_steps(w);
  const auto inverse = [](std::size_t x) { return 1 / static_cast<double>(x); };
  const auto both = static_cast<double>(w.query_width + w.key_width);
  constexpr std::array order_names{"(QM)Kᵀ", "Q(MKᵀ)"};
  out.words("order_names", order_names);
  out.table("order_steps", {2, 2}, std::array{steps[0][0], steps[0][1], steps[1][0], steps[1][1]});
  out.list("order_operations", std::array{steps[0][0] + steps[0][1], steps[1][0] + steps[1][1]});
  out.list("order_rule", std::array{inverse(w.keys) + inverse(w.query_width), inverse(w.queries) + inverse(w.key_width)});
  out.one("cheaper", static_cast<double>(cheaper_order(w)));
  std::vector<double> ranks, rank_parameters;
  for (std::size_t r = 1; r <= additive_factored::most_ranks; ++r) {
    ranks.push_back(static_cast<double>(r));
    rank_parameters.push_back(static_cast<double>(r) * both);
  }
  out.list("ranks", ranks);
  out.list("rank_parameters", rank_parameters);
  out.one("bilinear_parameters", static_cast<double>(w.query_width * w.key_width));
  out.one("low_rank_parameters", static_cast<double>(w.rank) * both);
  out.one("break_even_rank", break_even_rank(w));
  out.one("largest_saving_rank", static_cast<double>(largest_saving_rank(w)));
  out.one("rank_bound", static_cast<double>(std::min({w.rank, w.query_width, w.key_width})));
}

void add_variance(const Setting& setting, Returned& out) {
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
  out.list("variance_ranks", ranks);
  out.list("rank_variance", variance);
  out.list("rank_variance_se", error);
  out.list("rank_variance_scaled", divided);
  out.list("rank_variance_scaled_se", divided_error);
  out.one("variance_draws", static_cast<double>(repeats));
  out.one("score_variance", here.variance);
  out.one("score_variance_se", here.standard_error);
  out.one("predicted_variance", rank);
  out.one("scaled_variance", here.variance / rank);
  out.one("scaled_variance_se", here.standard_error / rank);
  out.one("score_factor", 1 / std::sqrt(rank));
}

Result<std::vector<Series>> run_additive(const Params& params, Workspace&) {
  const Setting setting = setting_of(params);
  const auto [n, m, dq, dk, h] = setting.sizes;
  const Example example = draw(setting.sizes, setting.torch, setting.seed);
  const Additive rule = scaled(example.rule, setting.epsilon, setting.activation);
  Returned out;
  out.table("queries", {n, dq}, entries(example.queries));
  out.table("keys", {m, dk}, entries(example.keys));
  out.table("w_q", {h, dq}, entries(rule.query_map));
  out.table("w_k", {h, dk}, entries(rule.key_map));
  out.table("w_v", {h}, entries(rule.score_vector));
  add_hidden(setting, example, rule, out);
  add_weights(setting, example, rule, out);
  add_epsilons(setting, example, out);
  add_costs(setting, out);
  add_bilinear(setting, out);
  add_variance(setting, out);
  return std::move(out.series);
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
      {.key = "n", .label = "counted queries", .symbol = "n", .help = "How many queries the counts are of; those drawn above are others.", .initial = 3.0, .min = 1, .max = 8192, .scale = Scale::log2},
      {.key = "m", .label = "counted keys", .symbol = "m", .help = "How many keys the counts are of.", .initial = 6.0, .min = 1, .max = 8192, .scale = Scale::log2},
      {.key = "d", .label = "dot width", .symbol = "d", .help = "Width of queries and keys of the dot product, for which both must have the same.", .initial = 64.0, .min = 1, .max = 1024, .scale = Scale::log2},
      {.key = "rank", .label = "rank", .symbol = "r", .help = "Rows of the two factors of the bilinear score.", .initial = 8.0, .min = 1, .max = 64},
  };
  study.series = additive_series();
  const Given section = with(sizes(3, 6, 20, 2, 8), {{"epsilon", 1.0}, {"activation", std::string("tanh")}, {"seed", 0.0}});
  study.presets = {
      {"jax", "the section’s example in JAX", with(section, {{"generator", std::string("jax")}})},
      {"pytorch", "the same in PyTorch", with(section, {{"generator", std::string("torch")}})},
      {"identity", "exercise 11.1, without the tanh", with(sizes(3, 6, 20, 2, 8), {{"activation", std::string("identity")}})},
      {"small", "exercise 11.3, maps a tenth as large", with(sizes(3, 6, 20, 2, 8), {{"activation", std::string("tanh")}, {"epsilon", 0.1}})},
      {"large", "maps ten times as large", with(sizes(3, 6, 20, 2, 8), {{"activation", std::string("tanh")}, {"epsilon", 10.0}})},
      {"orders", "exercise 9, a rank that saves", {{"d_q", 20.0}, {"d_k", 2.0}, {"n", 3.0}, {"m", 6.0}, {"rank", 1.0}}},
      {"costs", "exercise 12, 512 by 512 at width 64", {{"d_q", 64.0}, {"d_k", 64.0}, {"hidden", 64.0}, {"d", 64.0}, {"n", 512.0}, {"m", 512.0}, {"rank", 16.0}}},
  };
  study.claims = additive_claims();
  study.check = check_additive;
  study.mend = mend_additive;
  study.run = run_additive;
  study.code = additive_code;
  return study;
}

}  // namespace

const Study& additive() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

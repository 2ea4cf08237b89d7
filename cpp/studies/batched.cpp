// Batched attention: the section's layer from the queries to the output, stage by stage with its shapes, and what dropout does
// to the sums of the rows of weights over many draws. Beside it, a checker of shapes for batched products. Not a layer with
// projections or heads.
//   output = dropout(masked_softmax(Q K^T / sqrt(d))) V
// Source: Dive into Deep Learning, section 10.2.3 and exercise 8.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "attn/matmul.hpp"
#include "attn/text.hpp"
#include "batched_claims.hpp"
#include "batched_code.hpp"
#include "batched_dropout.hpp"
#include "batched_layer.hpp"
#include "lens.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

using namespace batched_layer;

constexpr double largest_size = 64;  // of the shapes that the checker takes

/// Which choice of the reader stands beyond which size; one of nothing is 1.
struct Choice {
  const char* param;
  const char* size;
};
constexpr std::array choices{Choice{"sequence", "batch"}, Choice{"row", "queries"}};

std::string counted(std::size_t count, const char* one) {
  return std::to_string(count).append(" ").append(one).append(count == 1 ? "" : "s");
}

std::optional<Error> check_choice(const Params& params, const Choice& choice) {
  const std::size_t largest = std::max<std::size_t>(1, params.integer(choice.size));
  if (params.integer(choice.param) <= largest) return std::nullopt;
  return Error{ErrorCode::out_of_range, choice.param,
               std::string(choice.param).append(" is ").append(std::to_string(params.integer(choice.param))).append("; with ").append(choice.size)
                   .append(" ").append(std::to_string(params.integer(choice.size))).append(" allowed are integers from 1 to ").append(std::to_string(largest))};
}

std::optional<Error> check_table(const Params& params, const Table& table) {
  const NumbersText entries = entries_of(params, table.param);
  if (!table.used || entries.values.empty() || (entries.rows == table.rows && entries.columns == table.columns)) return std::nullopt;
  return Error{ErrorCode::wrong_shape, table.param,
               std::string(table.param).append(": ").append(counted(entries.rows, "row")).append(" of ").append(std::to_string(entries.columns))
                   .append("; allowed are ").append(counted(table.rows, "row")).append(" of ").append(std::to_string(table.columns)).append(", or nothing for the draw")};
}

std::optional<Error> check_shape(const Params& params, const char* param) {
  const NumbersText sizes = entries_of(params, param);
  bool whole = sizes.rows == 1 && sizes.columns == 3;
  for (const double size : sizes.values) whole = whole && size == std::floor(size);
  if (whole) return std::nullopt;
  return Error{ErrorCode::wrong_shape, param,
               std::string(param).append(" is ").append(quoted(params.text(param))).append("; allowed are three integers from 0 to ").append(number_text(largest_size)).append(" with commas")};
}

std::optional<Error> check_batched(const Params& params) {
  for (const Choice& choice : choices) {
    if (auto error = check_choice(params, choice)) return error;
  }
  if (auto error = check_lens(params)) return error;
  for (const Table& table : tables_of(sizes_of(params), params.flag("identity"))) {
    if (auto error = check_table(params, table)) return error;
  }
  for (const char* param : {"left", "right"}) {
    if (auto error = check_shape(params, param)) return error;
  }
  return std::nullopt;
}

/// The rows and columns that still fit stay, the others are those of the draw.
void mend_table(Params& params, const Table& table, const Tensor<double, 3>& drawn, std::vector<Notice>& notices) {
  const auto error = check_table(params, table);
  if (!error) return;
  const NumbersText given = entries_of(params, table.param);
  NumbersText fitted{{}, table.rows, table.columns};
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) {
      const bool known = r < given.rows && c < given.columns;
      fitted.values.push_back(known ? given.values[r * given.columns + c] : drawn.data()[r * table.columns + c]);
    }
  }
  const std::string text = fitted.values.empty() ? std::string() : numbers_text(fitted);
  notices.push_back({table.param, std::string(error->message).append("; ").append(text.empty() ? "the draw is used" : "what fits is kept and the rest drawn")});
  params.set(table.param, text);
}

void mend_batched(Params& params, std::vector<Notice>& notices) {
  for (const Choice& choice : choices) {
    const auto error = check_choice(params, choice);
    if (!error) continue;
    const double largest = static_cast<double>(std::max<std::size_t>(1, params.integer(choice.size)));
    notices.push_back({choice.param, std::string(error->message).append("; ").append(number_text(largest)).append(" is used")});
    params.set(choice.param, largest);
  }
  mend_lens(params, notices);
  const auto setting = setting_of(params);
  if (!setting) return;
  const Inputs drawn = drawn_inputs(setting.value());
  const std::vector<Table> tables = tables_of(setting.value().sizes, setting.value().identity);
  mend_table(params, tables[0], drawn.queries, notices);
  mend_table(params, tables[1], drawn.keys, notices);
  mend_table(params, tables[2], drawn.values, notices);
  for (const auto& [param, initial] : {std::pair{"left", "2,3,4"}, std::pair{"right", "2,4,6"}}) {
    const auto error = check_shape(params, param);
    if (!error) continue;
    notices.push_back({param, std::string(error->message).append("; ").append(initial).append(" is used")});
    params.set(param, std::string(initial));
  }
}

Series tensor_series(const char* name, const Tensor<double, 3>& tensor) {
  const auto shape = shape_of(tensor);
  return {name, "", {shape.begin(), shape.end()}, {tensor.begin(), tensor.end()}};
}

/// A stage of the flow, as the plate writes it.
struct Stage {
  const char* series;
  const char* text;
  const Tensor<double, 3>* tensor;
};

void add_stages(const Inputs& inputs, const Layer& layer, std::vector<Series>& series) {
  const std::array stages{
      Stage{"queries", "queries Q", &inputs.queries},
      Stage{"keys", "keys K", &inputs.keys},
      Stage{"products", "Q Kᵀ, one product a sequence", &layer.products},
      Stage{"scaled", "divided by the square root of d", &layer.scaled},
      Stage{"allowed", "the keys a query may see", &layer.allowed},
      Stage{"weights", "softmax over those keys, 0 elsewhere", &layer.weights},
      Stage{"kept", "the tosses of dropout", &layer.kept},
      Stage{"pooled", "weights kept and divided by 1 − p, or dropped", &layer.pooled},
      Stage{"values", "values V", &inputs.values},
      Stage{"output", "the weighted sums of the values", &layer.output},
  };
  Series names{"stage_names", "", {stages.size()}, {}, {}};
  Series texts{"stage_text", "", {stages.size()}, {}, {}};
  Series shapes{"stage_shapes", "", {stages.size(), 3}, {}};
  Series counts{"non_finite", "", {stages.size()}, {}};
  for (const Stage& stage : stages) {
    series.push_back(tensor_series(stage.series, *stage.tensor));
    names.words.emplace_back(stage.series);
    texts.words.emplace_back(stage.text);
    for (const std::size_t size : shape_of(*stage.tensor)) shapes.data.push_back(static_cast<double>(size));
    counts.data.push_back(non_finite(*stage.tensor));
  }
  series.push_back(tensor_series("plain_output", layer.plain));
  for (Series* each : {&names, &texts, &shapes, &counts}) series.push_back(std::move(*each));
}

void add_checker(const Params& params, std::vector<Series>& series) {
  Shape3 left{}, right{};
  const NumbersText a = entries_of(params, "left");
  const NumbersText b = entries_of(params, "right");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    left[axis] = static_cast<std::size_t>(a.values[axis]);
    right[axis] = static_cast<std::size_t>(b.values[axis]);
  }
  const auto product = batch_matmul_shape(left, right);
  Series sizes{"product_sizes", "", {product ? std::size_t{3} : std::size_t{0}}, {}};
  if (product) {
    for (const std::size_t size : product.value()) sizes.data.push_back(static_cast<double>(size));
  }
  series.push_back({"product_ok", "", {}, {product ? 1.0 : 0.0}});
  series.push_back(std::move(sizes));
  const char* axis = product ? "" : left[0] != right[0] ? "examples" : "inner";
  series.push_back({"product_axis", "", {1}, {}, {axis}});
  series.push_back({"product_shape", "", {1}, {}, {product ? shape_text(product.value()) : torch_bmm_message(left, right)}});
  series.push_back({"product_message", "", {1}, {}, {product ? std::string() : product.error().message}});
}

void add_dropout(const Setting& setting, const Layer& layer, std::size_t row, std::size_t draws, const Workspace& workspace, std::vector<Series>& series) {
  const auto [batch, queries, keys, d, width] = setting.sizes;
  const double rate = setting.active();
  const auto drawn = batched_dropout::draw(layer.weights, {setting.torch, setting.dropout_seed, rate, draws, row}, workspace);
  const std::vector<std::size_t> rows{batch, queries};
  Series empty{"empty_rows", "", rows, {}};
  Series allowed{"allowed_keys", "keys", rows, {}};
  Series uniform{"uniform_variance", "", rows, {}};
  for (std::size_t r = 0; r < batch * queries; ++r) {
    double count = 0;
    for (std::size_t k = 0; k < keys; ++k) count += layer.allowed.data()[r * keys + k];
    empty.data.push_back(drawn.squares[r] == 0 ? 1 : 0);
    allowed.data.push_back(count);
    uniform.data.push_back(count == 0 ? 0 : rate / (1 - rate) / count);
  }
  for (Series* each : {&empty, &allowed, &uniform}) series.push_back(std::move(*each));
  series.push_back({"one_hot_variance", "", {}, {rate / (1 - rate)}});
  series.push_back({"sum_expected", "", rows, drawn.expected});
  Series pooled{"pooled_sums", "", rows, {}};
  for (std::size_t r = 0; r < batch * queries; ++r) {
    double sum = 0;
    for (std::size_t k = 0; k < keys; ++k) sum += layer.pooled.data()[r * keys + k];
    pooled.data.push_back(sum);
  }
  series.push_back(std::move(pooled));
  series.push_back({"sum_squares", "", rows, drawn.squares});
  series.push_back({"sum_mean", "", rows, drawn.mean});
  series.push_back({"sum_mean_se", "", rows, drawn.mean_se});
  series.push_back({"sum_variance", "", rows, drawn.variance});
  series.push_back({"sum_variance_se", "", rows, drawn.variance_se});
  series.push_back({"predicted_variance", "", rows, drawn.predicted});
  series.push_back({"pooled_mean", "", {batch, queries, keys}, drawn.pooled_mean});
  series.push_back({"active_rate", "", {}, {rate}});
  series.push_back({"histogram_edges", "", {drawn.edges.size()}, {drawn.edges.begin(), drawn.edges.end()}});
  series.push_back({"histogram", "draws", {drawn.histogram.size()}, drawn.histogram});
  series.push_back({"histogram_exact", "draws", {drawn.exact.size()}, drawn.exact});
  series.push_back({"histogram_one_hot", "draws", {drawn.one_hot.size()}, drawn.one_hot});
  series.push_back({"one_hot_key", "", {}, {drawn.one_hot.empty() ? 0.0 : static_cast<double>(drawn.one_hot_key + 1)}});
  series.push_back({"one_hot_zero_share", "", {}, {drawn.zero_share}});
  series.push_back({"one_hot_zero_se", "", {}, {std::sqrt(rate * (1 - rate) / static_cast<double>(draws))}});
  series.push_back({"one_hot_kept", "", {}, {1 / (1 - rate)}});
  series.push_back({"sequences", "", {1}, {static_cast<double>(std::max<std::size_t>(1, batch))}});
  series.push_back({"rows", "", {1}, {static_cast<double>(std::max<std::size_t>(1, queries))}});
}

Result<std::vector<Series>> run_batched(const Params& params, Workspace& workspace) {
  const auto setting = setting_of(params);
  if (!setting) return setting.error();
  const Inputs inputs = inputs_of(params, setting.value());
  const auto layer = layer_of(setting.value(), inputs);
  if (!layer) return layer.error();
  const Sizes& sizes = setting.value().sizes;
  const std::size_t row = (params.integer("sequence") - 1) * sizes.queries + params.integer("row") - 1;
  std::vector<Series> series;
  add_stages(inputs, layer.value(), series);
  add_dropout(setting.value(), layer.value(), sizes.queries == 0 ? batched_dropout::no_row : row, params.integer("draws"), workspace, series);
  add_checker(params, series);
  return series;
}

/// The section's sizes and draw, with what a preset changes.
Given example(Given changes) {
  Given given{{"batch", 2.0}, {"queries", 1.0}, {"keys", 10.0}, {"d", 2.0}, {"width", 4.0}, {"lens", std::string("2,6")},
              {"query_entries", std::string()}, {"key_entries", std::string()}, {"value_entries", std::string()}, {"dropout", 0.5},
              {"training", true}, {"identity", false}, {"draws", 1000.0}, {"generator", std::string("jax")}, {"seed", 0.0},
              {"dropout_seed", 0.0}, {"sequence", 1.0}, {"row", 1.0}};
  for (auto& [key, value] : changes) {
    for (auto& entry : given) {
      if (entry.first == key) entry.second = value;
    }
    if (key == "left" || key == "right") given.emplace_back(key, value);
  }
  return given;
}

Parameter table(const char* key, const char* label, const char* symbol, const char* row, const char* help) {
  return {.key = key, .label = label, .symbol = symbol, .help = help, .kind = Kind::numbers, .initial = std::string(), .min = -1000, .max = 1000, .step = 0.1, .non_finite = true, .row_name = row};
}

Parameter shape(const char* key, const char* label, const char* initial) {
  return {.key = key, .label = label, .symbol = "", .help = "Three sizes: examples, rows, columns.", .kind = Kind::numbers, .initial = std::string(initial),
          .min = 0, .max = largest_size, .step = 1, .row_name = "shape", .column_names = {"examples", "rows", "columns"}};
}

Study declare() {
  Study study;
  study.id = "batched";
  study.title = "Batched attention";
  study.summary = "Queries, keys and values through products, mask, softmax and dropout to the output, with every shape on the way.";
  study.parameters = {
      {.key = "batch", .label = "sequences", .symbol = "", .help = "Sequences in the batch; 0 is an empty batch.", .initial = 2.0, .min = 0, .max = 4},
      {.key = "queries", .label = "queries", .symbol = "n", .help = "Queries a sequence.", .initial = 1.0, .min = 0, .max = 8},
      {.key = "keys", .label = "keys", .symbol = "m", .help = "Keys a sequence, each with a value.", .initial = 10.0, .min = 0, .max = 12},
      {.key = "d", .label = "width", .symbol = "d", .help = "Width of queries and keys.", .initial = 2.0, .min = 0, .max = 16},
      {.key = "width", .label = "width of values", .symbol = "v", .help = "Width of the values, and so of the output.", .initial = 4.0, .min = 0, .max = 8},
      {.key = "lens", .label = "valid lengths", .symbol = "", .help = "How many leading keys may be seen, one length a sequence or one a query.", .kind = Kind::lengths, .initial = std::string("2,6")},
      table("query_entries", "queries", "Q", "query", "The queries of all sequences, one a row; nothing for the draw."),
      table("key_entries", "keys", "K", "key", "The keys of all sequences, one a row; nothing for the draw."),
      table("value_entries", "values", "V", "value", "The values of all sequences, one a row; nothing for the draw."),
      {.key = "dropout", .label = "dropout", .symbol = "p", .help = "Probability that a weight is dropped.", .kind = Kind::number, .initial = 0.5, .min = 0, .max = 0.99, .step = 0.05},
      {.key = "training", .label = "training", .symbol = "", .help = "Dropout works while training only.", .kind = Kind::flag, .initial = true},
      {.key = "identity", .label = "identity values", .symbol = "", .help = "Identity matrices as values, so that the output shows the weights after dropout.", .kind = Kind::flag, .initial = false},
      {.key = "draws", .label = "draws", .symbol = "", .help = "How often dropout is drawn.", .initial = 1000.0, .min = 10, .max = 20000, .scale = Scale::log10},
      {.key = "generator", .label = "generator", .symbol = "", .help = "Whose random numbers: jax.random and flax, or torch on the CPU.", .kind = Kind::choice, .initial = std::string("jax"), .choices = {"jax", "torch"}},
      {.key = "seed", .label = "seed", .symbol = "", .help = "Seed of queries, keys and values.", .initial = 0.0, .min = 0, .max = 4294967293.0},
      {.key = "dropout_seed", .label = "seed of dropout", .symbol = "", .help = "Seed of the tosses.", .initial = 0.0, .min = 0, .max = 4294967295.0},
      {.key = "sequence", .label = "sequence", .symbol = "", .help = "Whose weights are looked at.", .initial = 1.0, .min = 1, .max = 4},
      {.key = "row", .label = "query", .symbol = "", .help = "Which query of the sequence, and so which row of weights, is looked at.", .initial = 1.0, .min = 1, .max = 8},
      shape("left", "left factor", "2,3,4"),
      shape("right", "right factor", "2,4,6"),
  };
  const std::vector<std::string> scores{"batch", "queries", "keys"}, rows{"batch", "queries"}, stages{"stages"}, one{"one"};
  study.series = {
      {"queries", "queries", "", {"batch", "queries", "d"}},
      {"keys", "keys", "", {"batch", "keys", "d"}},
      {"products", "products of queries and keys", "", scores},
      {"scaled", "scores: products divided by the square root of d", "", scores},
      {"allowed", "1 where the query may attend to the key, else 0", "", scores},
      {"weights", "weights of the masked softmax, before dropout", "", scores},
      {"kept", "1 where the first call of dropout keeps, else 0", "", scores},
      {"pooled", "weights after dropout", "", scores},
      {"values", "values", "", {"batch", "keys", "width"}},
      {"output", "weighted sums of the values", "", {"batch", "queries", "width"}},
      {"plain_output", "the same by a plain matrix product, where 0 times NaN is NaN", "", {"batch", "queries", "width"}},
      {"stage_names", "series of each stage", "", stages, true},
      {"stage_text", "each stage in words", "", stages, true},
      {"stage_shapes", "shape of each stage", "", {"stages", "axes"}},
      {"non_finite", "entries of each stage that are NaN or infinite", "", stages},
      {"empty_rows", "1 where a query keeps no key, else 0", "", rows},
      {"allowed_keys", "keys that each query may attend to", "keys", rows},
      {"uniform_variance", "variance of a row sum that is uniform over the allowed keys: the least", "", rows},
      {"one_hot_variance", "variance of a row sum that is one-hot: the most", ""},
      {"sum_expected", "sum of each row before dropout", "", rows},
      {"pooled_sums", "sum of each row after the first call of dropout", "", rows},
      {"sum_squares", "sum of the squared weights of each row", "", rows},
      {"sum_mean", "mean of each row's sum over the draws", "", rows},
      {"sum_mean_se", "standard error of that mean, by the formula", "", rows},
      {"sum_variance", "variance of each row's sum over the draws", "", rows},
      {"sum_variance_se", "standard error of that variance, by the formula", "", rows},
      {"predicted_variance", "p / (1 - p) times the sum of the squared weights", "", rows},
      {"pooled_mean", "mean of each weight after dropout, over the draws", "", scores},
      {"active_rate", "rate of dropout at work: 0 in evaluation", ""},
      {"histogram_edges", "edges of the bins of row sums", "", {"edges"}},
      {"histogram", "draws by the sum of the chosen row", "draws", {"bins"}},
      {"histogram_exact", "draws to expect, from every way to toss", "draws", {"bins"}},
      {"histogram_one_hot", "draws by the sum if all weight were on the row's heaviest key", "draws", {"bins"}},
      {"one_hot_key", "that key, counted from 1; 0 where there is none", ""},
      {"one_hot_zero_share", "share of the draws that drop it", ""},
      {"one_hot_zero_se", "standard error of that share, by p", ""},
      {"one_hot_kept", "the one-hot weight where it is kept: 1 / (1 - p)", ""},
      {"sequences", "sequences to choose from, at least 1", "", one},
      {"rows", "queries to choose from, at least 1", "", one},
      {"product_ok", "1 where the two shapes can be multiplied, else 0", ""},
      {"product_sizes", "shape of their product", "", {"axes"}},
      {"product_axis", "which sizes disagree: examples or inner", "", one, true},
      {"product_shape", "shape of their product in words, or what torch.bmm says", "", one, true},
      {"product_message", "why they cannot be multiplied", "", one, true},
  };
  study.presets = {
      {"section", "the section’s example", example({{"training", false}})},
      {"pytorch", "the same in PyTorch", example({{"training", false}, {"generator", std::string("torch")}})},
      {"exercise", "exercise 8, identity values", example({{"identity", true}, {"sequence", 2.0}})},
      {"uniform", "uniform rows (d = 0)", example({{"d", 0.0}, {"sequence", 2.0}})},
      {"one-hot", "a one-hot row", example({{"lens", std::string("1,6")}})},
      {"masked-nan", "NaN behind the mask", example({{"batch", 1.0}, {"keys", 3.0}, {"width", 2.0}, {"lens", std::string("2")}, {"training", false}, {"query_entries", std::string("1,0.5")},
                                                     {"key_entries", std::string("1,0;0,1;nan,inf")}, {"value_entries", std::string("1,2;3,4;nan,-inf")}})},
      {"open-nan", "NaN in an allowed value", example({{"batch", 1.0}, {"keys", 3.0}, {"width", 2.0}, {"lens", std::string("2")}, {"training", false}, {"query_entries", std::string("1,0.5")},
                                                     {"key_entries", std::string("1,0;0,1;1,1")}, {"value_entries", std::string("1,2;nan,4;5,6")}}),
       "The second key is allowed, so its NaN is averaged in: that column of the output is NaN, the other is not."},
      {"no-keys", "no keys", example({{"keys", 0.0}, {"lens", std::string("0,0")}})},
      {"misfit", "shapes that do not fit", example({{"left", std::string("2,3,4")}, {"right", std::string("2,5,6")}}), "The columns on the left must be the rows on the right."},
  };
  study.claims = batched_claims();
  study.check = check_batched;
  study.mend = mend_batched;
  study.run = run_batched;
  study.code = batched_code;
  return study;
}

}  // namespace

const Study& batched() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

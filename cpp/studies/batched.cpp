// Batched attention: the section's layer from the queries to the output, stage by stage with its shapes, and what dropout does
// to the sums of the rows of weights over many draws. Beside it, a checker of shapes for batched products. Not a layer with
// projections or heads.
//   output = dropout(masked_softmax(Q K^T / sqrt(d))) V
// Source: Dive into Deep Learning, section 10.2.3 and exercise 8.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "attn/matmul.hpp"
#include "attn/text.hpp"
#include "batched_claims.hpp"
#include "batched_code.hpp"
#include "batched_dropout.hpp"
#include "batched_layer.hpp"
#include "batched_state.hpp"
#include "series_table.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

using namespace batched_layer;

/// One function for all series keeps the module small.
void add(std::vector<Series>& series, const char* name, std::vector<std::size_t> shape, std::vector<double> data) {
  series.push_back({name, "", std::move(shape), std::move(data)});
}
void add_number(std::vector<Series>& series, const char* name, double value) { add(series, name, {1}, {value}); }
void add_list(std::vector<Series>& series, const char* name, const std::vector<double>& data) { add(series, name, {data.size()}, data); }
void add_words(std::vector<Series>& series, const char* name, std::vector<std::string> words) {
  const std::size_t count = words.size();
  series.push_back({name, "", {count}, {}, std::move(words)});
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
  std::vector<std::string> names, texts;
  std::vector<double> shapes, counts;
  for (const Stage& stage : stages) {
    series.push_back(tensor_series(stage.series, *stage.tensor));
    names.emplace_back(stage.series);
    texts.emplace_back(stage.text);
    for (const std::size_t size : shape_of(*stage.tensor)) shapes.push_back(static_cast<double>(size));
    counts.push_back(non_finite(*stage.tensor));
  }
  series.push_back(tensor_series("plain_output", layer.plain));
  add_words(series, "stage_names", std::move(names));
  add_words(series, "stage_text", std::move(texts));
  add(series, "stage_shapes", {stages.size(), 3}, std::move(shapes));
  add_list(series, "non_finite", counts);
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
  std::vector<double> sizes;
  if (product) sizes.assign(product.value().begin(), product.value().end());
  add_number(series, "product_ok", product ? 1 : 0);
  add_list(series, "product_sizes", sizes);
  const char* axis = product ? "" : left[0] != right[0] ? "examples" : "inner";
  add_words(series, "product_axis", {axis});
  add_words(series, "product_shape", {product ? shape_text(product.value()) : torch_bmm_message(left, right)});
  add_words(series, "product_message", {product ? std::string() : product.error().message});
}

std::optional<Error> add_dropout(const Setting& setting, const Layer& layer, std::size_t row, std::size_t draws, const Workspace& workspace, std::vector<Series>& series) {
  const auto [batch, queries, keys, d, width] = setting.sizes;
  const double rate = setting.active();
  const auto done = batched_dropout::draw(layer.weights, {setting.torch, setting.dropout_seed, rate, draws, row}, workspace);
  if (!done) return done.error();
  const batched_dropout::Draws& drawn = done.value();
  const std::vector<std::size_t> rows{batch, queries};
  std::vector<double> empty, allowed, uniform, pooled;
  for (std::size_t r = 0; r < batch * queries; ++r) {
    double count = 0, sum = 0;
    for (std::size_t k = 0; k < keys; ++k) {
      count += layer.allowed.data()[r * keys + k];
      sum += layer.pooled.data()[r * keys + k];
    }
    empty.push_back(drawn.squares[r] == 0 ? 1 : 0);
    allowed.push_back(count);
    uniform.push_back(count == 0 ? 0 : rate / (1 - rate) / count);
    pooled.push_back(sum);
  }
  add(series, "empty_rows", rows, std::move(empty));
  add(series, "allowed_keys", rows, std::move(allowed));
  add(series, "uniform_variance", rows, std::move(uniform));
  add_number(series, "one_hot_variance", rate / (1 - rate));
  add(series, "sum_expected", rows, drawn.expected);
  add(series, "pooled_sums", rows, std::move(pooled));
  add(series, "sum_squares", rows, drawn.squares);
  add(series, "sum_mean", rows, drawn.mean);
  add(series, "sum_mean_se", rows, drawn.mean_se);
  add(series, "sum_variance", rows, drawn.variance);
  add(series, "sum_variance_se", rows, drawn.variance_se);
  add(series, "predicted_variance", rows, drawn.predicted);
  add(series, "pooled_mean", {batch, queries, keys}, drawn.pooled_mean);
  add_number(series, "active_rate", rate);
  add(series, "histogram_edges", {drawn.edges.size()}, {drawn.edges.begin(), drawn.edges.end()});
  add_list(series, "histogram", drawn.histogram);
  add_list(series, "histogram_exact", drawn.exact);
  add_list(series, "histogram_one_hot", drawn.one_hot);
  add_number(series, "one_hot_key", drawn.one_hot.empty() ? 0.0 : static_cast<double>(drawn.one_hot_key + 1));
  add_number(series, "one_hot_zero_share", drawn.zero_share);
  add_number(series, "one_hot_zero_se", std::sqrt(rate * (1 - rate) / static_cast<double>(draws)));
  add_number(series, "one_hot_kept", 1 / (1 - rate));
  add_list(series, "sequences", {static_cast<double>(std::max<std::size_t>(1, batch))});
  add_list(series, "rows", {static_cast<double>(std::max<std::size_t>(1, queries))});
  return std::nullopt;
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
  if (auto error = add_dropout(setting.value(), layer.value(), sizes.queries == 0 ? batched_dropout::no_row : row, params.integer("draws"), workspace, series)) return *std::move(error);
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
          .min = 0, .max = batched_state::largest_size, .step = 1, .row_name = "shape", .column_names = {"examples", "rows", "columns"}};
}

constexpr SeriesRow series_rows[] = {
    {"queries", "queries", "batch,queries,d"},
    {"keys", "keys", "batch,keys,d"},
    {"products", "products of queries and keys", "batch,queries,keys"},
    {"scaled", "scores: products divided by the square root of d", "batch,queries,keys"},
    {"allowed", "1 where the query may attend to the key, else 0", "batch,queries,keys"},
    {"weights", "weights of the masked softmax, before dropout", "batch,queries,keys"},
    {"kept", "1 where the first call of dropout keeps, else 0", "batch,queries,keys"},
    {"pooled", "weights after dropout", "batch,queries,keys"},
    {"values", "values", "batch,keys,width"},
    {"output", "weighted sums of the values", "batch,queries,width"},
    {"plain_output", "the same by a plain matrix product, where 0 times NaN is NaN", "batch,queries,width"},
    {"stage_names", "series of each stage", "stages", "", true},
    {"stage_text", "each stage in words", "stages", "", true},
    {"stage_shapes", "shape of each stage", "stages,axes"},
    {"non_finite", "entries of each stage that are NaN or infinite", "stages"},
    {"empty_rows", "1 where a query keeps no key, else 0", "batch,queries"},
    {"allowed_keys", "keys that each query may attend to", "batch,queries"},
    {"uniform_variance", "variance of a row sum that is uniform over the allowed keys: the least", "batch,queries"},
    {"one_hot_variance", "variance of a row sum that is one-hot: the most"},
    {"sum_expected", "sum of each row before dropout", "batch,queries"},
    {"pooled_sums", "sum of each row after the first call of dropout", "batch,queries"},
    {"sum_squares", "sum of the squared weights of each row", "batch,queries"},
    {"sum_mean", "mean of each row's sum over the draws", "batch,queries"},
    {"sum_mean_se", "standard error of that mean, by the formula", "batch,queries"},
    {"sum_variance", "variance of each row's sum over the draws", "batch,queries"},
    {"sum_variance_se", "standard error of that variance, by the formula", "batch,queries"},
    {"predicted_variance", "p / (1 - p) times the sum of the squared weights", "batch,queries"},
    {"pooled_mean", "mean of each weight after dropout, over the draws", "batch,queries,keys"},
    {"active_rate", "rate of dropout at work: 0 in evaluation"},
    {"histogram_edges", "edges of the bins of row sums", "edges"},
    {"histogram", "draws by the sum of the chosen row", "bins"},
    {"histogram_exact", "draws to expect, from every way to toss", "bins"},
    {"histogram_one_hot", "draws by the sum if all weight were on the row's heaviest key", "bins"},
    {"one_hot_key", "that key, counted from 1; 0 where there is none"},
    {"one_hot_zero_share", "share of the draws that drop it"},
    {"one_hot_zero_se", "standard error of that share, by p"},
    {"one_hot_kept", "the one-hot weight where it is kept: 1 / (1 - p)"},
    {"sequences", "sequences to choose from, at least 1", "one"},
    {"rows", "queries to choose from, at least 1", "one"},
    {"product_ok", "1 where the two shapes can be multiplied, else 0"},
    {"product_sizes", "shape of their product", "axes"},
    {"product_axis", "which sizes disagree: examples or inner", "one", "", true},
    {"product_shape", "shape of their product in words, or what torch.bmm says", "one", "", true},
    {"product_message", "why they cannot be multiplied", "one", "", true},
};

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
  study.series = series_table(series_rows);
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
  study.check = batched_state::check;
  study.mend = batched_state::mend;
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

// Number formats: one row of six scores through a masked softmax in float64, float32, float16 or bfloat16, every step shown, with
// the outcome named; the same row under every format and fill as a table; and three layers in which a NaN spreads.
// Source: Dive into Deep Learning, section 10.2.2.1, exercises 5 and 6.3.
#include <limits>

#include "attn/text.hpp"
#include "precision_claims.hpp"
#include "precision_layers.hpp"
#include "precision_row.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

using namespace precision_row;

Setting setting_of(const Params& params) {
  return {dtype_named(params.text("dtype")).value(), dtype_named(params.text("accumulate")).value(), params.text("way") == "additive", params.flag("zeroing")};
}

Series over_keys(std::string name, const Row& row) { return {std::move(name), "", {keys}, std::vector<double>(row.begin(), row.end())}; }

Series single(std::string name, double value) { return {std::move(name), "", {1}, {value}}; }

template <class Test>
Series flags(std::string name, const Test& test) {
  Series series{std::move(name), "", {keys}, {}};
  for (std::size_t k = 0; k < keys; ++k) series.data.push_back(test(k) ? 1 : 0);
  return series;
}

void add_trace(const Case& row, const Trace& t, std::vector<Series>& series) {
  series.push_back(over_keys("scores", t.scores));
  series.push_back(flags("term1", [&](std::size_t k) { return row.term1[k]; }));
  series.push_back(flags("term2", [&](std::size_t k) { return row.term2[k]; }));
  series.push_back(flags("allowed", [&](std::size_t k) { return row.allowed(k); }));
  series.push_back(over_keys("bias1", t.bias1));
  series.push_back(over_keys("bias2", t.bias2));
  series.push_back(over_keys("filled", t.filled));
  series.push_back(over_keys("difference", t.difference));
  series.push_back(over_keys("exponential", t.exponential));
  series.push_back(over_keys("weights", t.weights));
  series.push_back(over_keys("exact_weights", t.exact));
  series.push_back(single("row_max", t.row_max));
  series.push_back(single("sum", t.sum));
  series.push_back(single("leak", t.leak));
  series.push_back(single("error", t.error));
  series.push_back(single("fill_value", t.fill));
  series.push_back({"outcome", "", {1}, {}, {t.outcome}});
}

/// The row under every format and fill; accumulation, way and zeroing as chosen.
void add_table(const Case& row, const Setting& setting, std::vector<Series>& series) {
  const std::vector<std::size_t> shape{dtypes.size(), fills.size()};
  Series outcome{"table_outcome", "", shape, {}, {}}, leak{"table_leak", "", shape, {}}, value{"table_fill", "", shape, {}};
  Series dtype_names{"dtype_names", "", {dtypes.size()}, {}, {}}, fill_names{"fill_names", "", {fills.size()}, {}, {}};
  for (const Dtype dtype : dtypes) {
    Setting here = setting;
    here.dtype = dtype;
    dtype_names.words.emplace_back(name(dtype));
    for (const Fill& fill : fills) {
      const Trace t = trace(row, fill, here);
      outcome.words.push_back(t.outcome);
      leak.data.push_back(t.leak);
      value.data.push_back(t.fill);
    }
  }
  for (const Fill& fill : fills) fill_names.words.emplace_back(fill.name);
  for (Series* each : {&outcome, &leak, &value, &dtype_names, &fill_names}) series.push_back(std::move(*each));
}

void add_layers(std::vector<Series>& series) {
  using namespace precision_layers;
  Series values{"layer_values", "", {2, layers + 1, positions, width}, {}};
  Series weights{"layer_weights", "", {2, layers, positions, positions}, {}};
  for (const bool plain : {true, false}) {
    const Stages stages = run_layers(plain);
    for (const auto& stage : stages.values) {
      for (const auto& position : stage) values.data.insert(values.data.end(), position.begin(), position.end());
    }
    for (const auto& layer : stages.weights) {
      for (const auto& query : layer) weights.data.insert(weights.data.end(), query.begin(), query.end());
    }
  }
  series.push_back(std::move(values));
  series.push_back(std::move(weights));
}

Result<std::vector<Series>> run_precision(const Params& params, Workspace&) {
  const Case& row = case_named(params.text("row"));
  const Setting setting = setting_of(params);
  std::vector<Series> series;
  add_trace(row, trace(row, fill_named(params.text("fill")), setting), series);
  add_table(row, setting, series);
  add_layers(series);
  return series;
}

template <class List>
std::string list_code(const List& list) {
  std::string text = "[";
  for (std::size_t k = 0; k < keys; ++k) text.append(k > 0 ? ", " : "").append(list(k));
  return text.append("]");
}

/// The same steps in PyTorch. Its masked_fill refuses a number that the format cannot hold, so the fill is made a tensor first.
std::string code_of(const Params& params) {
  const Case& row = case_named(params.text("row"));
  const Setting setting = setting_of(params);
  const std::string& fill = params.text("fill");
  const auto flag = [](bool value) { return std::string(value ? "True" : "False"); };
  std::string code = "import torch\n\n";
  code.append("dtype, accumulate = torch.").append(name(setting.dtype)).append(", torch.").append(name(setting.accumulate)).append("\n");
  code.append("scores = torch.tensor(").append(list_code([&](std::size_t k) { return number_text(row.scores[k]); })).append(", dtype=torch.float64).to(dtype)\n");
  code.append("term1 = torch.tensor(").append(list_code([&](std::size_t k) { return flag(row.term1[k]); })).append(")\n");
  code.append("term2 = torch.tensor(").append(list_code([&](std::size_t k) { return flag(row.term2[k]); })).append(")\n");
  code.append("allowed = term1 & term2\n");
  const bool of_format = fill == "lowest" || fill == "two-lowest";
  code.append("fill = torch.tensor(").append(of_format ? "torch.finfo(dtype).min" : fill == "-infinity" ? "-torch.inf" : fill).append(", dtype=torch.float64).to(dtype)\n");
  if (fill == "two-lowest") code.append("fill = fill + fill\n");
  if (setting.additive) {
    code.append("zero = torch.zeros((), dtype=dtype)\n");
    code.append("filled = scores + (torch.where(term1, zero, fill) + torch.where(term2, zero, fill))\n");
  } else {
    code.append("filled = torch.where(allowed, scores, fill)\n");
  }
  code.append("x = filled.to(accumulate)\ne = (x - x.max()).exp()\ntotal = torch.zeros((), dtype=accumulate)\nfor each in e:\n    total = total + each  # one rounding an addition\n");
  code.append("weights = (e / total).to(dtype)\n");
  if (setting.zeroing) code.append("weights = torch.where(allowed.any(), weights, torch.zeros((), dtype=dtype))\n");
  return code;
}

Given example(const char* row, const char* dtype, const char* way, const char* fill, bool zeroing, const char* accumulate = "float32") {
  return {{"row", std::string(row)}, {"dtype", std::string(dtype)}, {"accumulate", std::string(accumulate)}, {"way", std::string(way)}, {"fill", std::string(fill)}, {"zeroing", zeroing}};
}

Study declare() {
  std::vector<std::string> rows, formats, fill_choices;
  for (const Case& each : cases) rows.emplace_back(each.name);
  for (const Dtype each : dtypes) formats.emplace_back(name(each));
  for (const Fill& each : fills) fill_choices.emplace_back(each.name);
  Study study;
  study.id = "precision";
  study.title = "Number formats";
  study.summary = "One row of scores through a masked softmax in float64, float32, float16 or bfloat16, step by step.";
  study.parameters = {
      {.key = "row", .label = "row", .symbol = "", .help = "Which row of scores and exclusions.", .kind = Kind::choice, .initial = std::string("ordinary"), .choices = rows},
      {.key = "dtype", .label = "scores in", .symbol = "", .help = "Format of the scores, the fill and the weights.", .kind = Kind::choice, .initial = std::string("float16"), .choices = formats},
      {.key = "accumulate", .label = "softmax in", .symbol = "", .help = "Format of maximum, difference, exponential and sum.", .kind = Kind::choice, .initial = std::string("float32"), .choices = formats},
      {.key = "way", .label = "masking", .symbol = "", .help = "Excluded scores are overwritten (where), or a bias is added for each term (additive).", .kind = Kind::choice, .initial = std::string("where"), .choices = {"where", "additive"}},
      {.key = "fill", .label = "fill", .symbol = "", .help = "What stands at excluded keys.", .kind = Kind::choice, .initial = std::string("lowest"), .choices = fill_choices},
      {.key = "zeroing", .label = "final zeroing", .symbol = "", .help = "A row without an allowed key becomes zeros at the end.", .kind = Kind::flag, .initial = true},
  };
  const std::vector<std::string> key{"keys"}, table{"dtypes", "fills"};
  study.series = {
      {"scores", "scores, rounded to the format", "", key},
      {"term1", "1 where the first term allows the key", "", key},
      {"term2", "1 where the second term allows the key", "", key},
      {"allowed", "1 where both do", "", key},
      {"bias1", "what the first term adds", "", key},
      {"bias2", "what the second term adds", "", key},
      {"filled", "scores after masking", "", key},
      {"difference", "less the row's maximum", "", key},
      {"exponential", "exponentials of the differences", "", key},
      {"weights", "weights, rounded to the format", "", key},
      {"exact_weights", "weights of the masked softmax in double", "", key},
      {"row_max", "maximum of the masked scores", ""},
      {"sum", "sum of the exponentials", ""},
      {"leak", "weight on excluded keys", ""},
      {"error", "largest distance of an allowed weight from the exact one", ""},
      {"fill_value", "the fill, rounded to the format", ""},
      {"outcome", "what became of the mask", "", {"one"}, true},
      {"table_outcome", "outcome in every format with every fill", "", table, true},
      {"table_leak", "weight on excluded keys", "", table},
      {"table_fill", "the fill, rounded to the format", "", table},
      {"dtype_names", "formats of the table", "", {"dtypes"}, true},
      {"fill_names", "fills of the table", "", {"fills"}, true},
      {"layer_values", "values of each position: plain arithmetic, then this core; the input and three layers", "", {"ways", "stages", "positions", "width"}},
      {"layer_weights", "weights of each layer", "", {"ways", "layers", "positions", "positions"}},
  };
  study.presets = {
      {"section", "as the section does it", example("ordinary", "float16", "where", "lowest", true)},
      {"uniform", "exercise 5.1, uniform", example("masked", "float32", "where", "lowest", false)},
      {"nan", "exercise 5.1, NaN", example("masked", "float32", "where", "-infinity", false)},
      {"codebase", "exercise 5.2, an older codebase", example("masked", "float16", "where", "-1e6", false, "float16"),
       "Written for float32, run in float16: −10⁶ is beyond the format and becomes −∞. Rows that keep a key stay right, so it goes unnoticed until one keeps none."},
      {"twice", "exercise 6.3, excluded by both", example("twice", "float32", "additive", "lowest", false)},
      {"by-each", "exercise 6.3, by one or both", example("by-each", "float32", "additive", "lowest", false)},
      {"layers", "exercise 5.3, three layers", example("masked", "float64", "where", "-infinity", false, "float64"),
       "This row is the padding’s own query: it keeps no key and turns into NaN. Its output is thrown away, but in the next layer it is a value like any other, and a weight of 0 times NaN is NaN for every position."},
      {"leak", "−10⁴ above the scores", example("large", "float32", "where", "-1e4", true),
       "−10⁴ looks low and is not: the scores that should win are lower, and the fill becomes the row’s maximum."},
  };
  study.claims = precision_claims();
  study.run = run_precision;
  study.code = code_of;
  return study;
}

}  // namespace

const Study& precision() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

// Attention layers for programs: scores under a rule, batched products, attention with mask and dropout, and their gradients.
// A tensor crosses as {data, shape}, Float32Array or Float64Array, row-major; all tensors of a call are of one kind, and so is
// the answer. Parameters of a rule are widened to double exactly; gradients are in double alone.
#include <emscripten/bind.h>

#include <optional>
#include <string>
#include <vector>

#include "attn/gradient.hpp"
#include "attn/matmul.hpp"
#include "attn/pooling.hpp"
#include "masks.hpp"
#include "values.hpp"

namespace attn::bindings {
namespace {

constexpr const char* query_axes = "(batch, queries, width)";
constexpr const char* key_axes = "(batch, keys, width)";
constexpr const char* score_axes = "(batch, queries, keys)";

Result<std::size_t> is_tensor(const std::string& param, const val& value) {
  if (!is_object(value)) return refusal(ErrorCode::wrong_type, param, "is " + shown(value) + "; give {data, shape}");
  const val data = value["data"];
  if (is_instance(data, "Float32Array")) return sizeof(float);
  if (is_instance(data, "Float64Array")) return sizeof(double);
  return refusal(ErrorCode::wrong_type, param, "has data that is " + shown(data) + "; give a Float32Array or a Float64Array");
}

/// An operand of the call's kind.
template <class T>
Result<Tensor<T, 3>> operand(const Named3& named, const val& value) {
  const std::string& param = named.param;
  const auto kind = is_tensor(param, value);
  if (!kind) return kind.error();
  if (kind.value() != sizeof(T)) {
    return refusal(ErrorCode::wrong_type, param, std::string("is a ") + (sizeof(T) == sizeof(float) ? "Float64Array" : "Float32Array") + " beside operands of the other kind; give all as one");
  }
  return tensor3<T>(named, value["data"], value["shape"]);
}

/// An operand of a gradient, which are in double alone.
Result<Tensor<double, 3>> double_operand(const Named3& named, const val& value) {
  const std::string& param = named.param;
  const auto kind = is_tensor(param, value);
  if (!kind) return kind.error();
  if (kind.value() != sizeof(double)) return refusal(ErrorCode::wrong_type, param, "is a Float32Array; gradients take Float64Arrays");
  return tensor3<double>(named, value["data"], value["shape"]);
}

/// A parameter of a rule with `rank` axes, in double.
template <std::size_t rank>
Result<Tensor<double, rank>> parameter(const std::string& param, const val& value) {
  const auto kind = is_tensor(param, value);
  if (!kind) return kind.error();
  const auto read = sizes(param + ".shape", value["shape"]);
  if (!read) return read.error();
  const std::vector<std::size_t>& shape = read.value();
  if (shape.size() != rank) {
    return refusal(ErrorCode::wrong_shape, param, "has shape " + shape_text(shape) + "; allowed " + (rank == 1 ? "is one axis" : "are two axes"));
  }
  const auto elements = checked_elements(param, shape, sizeof(double));
  if (!elements) return elements.error();
  const auto length = array_length(value["data"]);
  if (length != elements.value()) {
    return refusal(ErrorCode::wrong_shape, param, "has " + std::to_string(length.value_or(0)) + " values; shape " + shape_text(shape) + " takes " + std::to_string(elements.value()));
  }
  std::array<std::size_t, rank> fixed{};
  std::copy_n(shape.begin(), rank, fixed.begin());
  auto tensor = Tensor<double, rank>::from_shape(fixed);
  // a Float32Array is widened element by element as it is set
  if (tensor.size() > 0) val(emscripten::typed_memory_view(tensor.size(), tensor.data())).template call<void>("set", value["data"]);
  return tensor;
}

Result<bool> flag(const val& options, const char* name, bool fallback) {
  const val value = options[name];
  if (value.isUndefined()) return fallback;
  if (!is_type(value, "boolean")) return refusal(ErrorCode::wrong_type, name, "is " + shown(value) + "; allowed are true and false");
  return value.as<bool>();
}

/// A rule from its name, or from {rule, ...} with its parameters.
Result<ScoreRule> rule_of(const val& value) {
  const bool named = is_type(value, "string");
  if (!named && !is_object(value)) return refusal(ErrorCode::wrong_type, "rule", "is " + shown(value) + "; give a name or {rule, ...}");
  if (!named && value["rule"].isUndefined()) return refusal(ErrorCode::wrong_type, "rule", "is an object that names no rule; the rule is the first argument, a name or {rule, ...}");
  const std::string name = text_of(named ? value : value["rule"]);
  const val options = named ? val::object() : value;
  const auto known = [&](std::vector<std::string> names) {
    names.insert(names.begin(), "rule");
    return unknown_option(options, names);
  };
  if (name == "dot" || name == "scaled-dot" || name == "cosine") {
    if (auto error = known({})) return *std::move(error);
    if (name == "dot") return ScoreRule{Dot{}};
    if (name == "cosine") return ScoreRule{Cosine{}};
    return ScoreRule{ScaledDot{}};
  }
  if (name == "gaussian") {
    if (auto error = known({"scaled", "queryNorm"})) return *std::move(error);
    const auto scaled = flag(options, "scaled", false);
    const auto query_norm = flag(options, "queryNorm", true);
    for (const auto* each : {&scaled, &query_norm}) {
      if (!each->ok()) return each->error();
    }
    return ScoreRule{Gaussian{scaled.value(), query_norm.value()}};
  }
  if (name == "bilinear") {
    if (auto error = known({"matrix", "keysFirst"})) return *std::move(error);
    const auto keys_first = flag(options, "keysFirst", false);
    if (!keys_first) return keys_first.error();
    auto matrix = parameter<2>("matrix", options["matrix"]);
    if (!matrix) return matrix.error();
    return ScoreRule{Bilinear{std::move(matrix).value(), keys_first.value()}};
  }
  if (name == "low-rank") {
    if (auto error = known({"queryMap", "keyMap", "scaled"})) return *std::move(error);
    const auto scaled = flag(options, "scaled", false);
    if (!scaled) return scaled.error();
    auto query_map = parameter<2>("queryMap", options["queryMap"]);
    if (!query_map) return query_map.error();
    auto key_map = parameter<2>("keyMap", options["keyMap"]);
    if (!key_map) return key_map.error();
    return ScoreRule{LowRank{std::move(query_map).value(), std::move(key_map).value(), scaled.value()}};
  }
  if (name == "additive") {
    if (auto error = known({"queryMap", "keyMap", "scoreVector", "activation"})) return *std::move(error);
    auto query_map = parameter<2>("queryMap", options["queryMap"]);
    if (!query_map) return query_map.error();
    auto key_map = parameter<2>("keyMap", options["keyMap"]);
    if (!key_map) return key_map.error();
    auto score_vector = parameter<1>("scoreVector", options["scoreVector"]);
    if (!score_vector) return score_vector.error();
    Activation activation = Activation::tanh;
    if (!options["activation"].isUndefined()) {
      const std::string text = text_of(options["activation"]);
      if (text != "tanh" && text != "identity") return as_given(refusal(ErrorCode::unknown_choice, "activation", "is " + quoted(text) + "; allowed are tanh and identity"), options["activation"]);
      if (text == "identity") activation = Activation::identity;
    }
    return ScoreRule{Additive{std::move(query_map).value(), std::move(key_map).value(), std::move(score_vector).value(), activation}};
  }
  return as_given(refusal(ErrorCode::unknown_choice, "rule", "is " + quoted(name) + "; allowed are dot, scaled-dot, gaussian, bilinear, low-rank, additive, cosine"), named ? value : value["rule"]);
}

Error renamed(Error error) { return bindings::renamed(std::move(error), {{"query_map", "queryMap"}, {"key_map", "keyMap"}, {"score_vector", "scoreVector"}}); }

template <class T, std::size_t rank>
val crossed(const Tensor<T, rank>& tensor) {
  const auto shape = shape_of(tensor);
  val result = val::object();
  result.set("data", copied(tensor.data(), tensor.size()));
  result.set("shape", copied_sizes({shape.begin(), shape.end()}));
  return result;
}

/// {rate, generator, seed, call, training}. A toss needs a generator's state, which lives here as long as the call.
struct Tosses {
  Dropout dropout;
  std::optional<random::torch::Generator> torch;
};

std::optional<Error> read_dropout(const char* param, const val& value, Tosses& tosses) {
  if (value.isUndefined()) return std::nullopt;
  if (!is_object(value)) return refusal(ErrorCode::wrong_type, param, "is " + shown(value) + "; give {rate, generator, seed, call, training}");
  if (auto unknown = unknown_option(value, {"rate", "generator", "seed", "call", "training"})) return unknown;
  if (!is_type(value["rate"], "number")) return refusal(ErrorCode::wrong_type, "rate", "is " + shown(value["rate"]) + "; give a number from 0 to below 1");
  tosses.dropout.rate = value["rate"].as<double>();
  const auto training = flag(value, "training", true);
  if (!training) return training.error();
  tosses.dropout.mode = training.value() ? Mode::training : Mode::evaluation;
  const auto read = [&](const char* name) -> Result<double> { return value[name].isUndefined() ? Result<double>(0.0) : integer(name, value[name], 0, 4294967295.0); };
  const auto seed = read("seed");
  if (!seed) return seed.error();
  const auto call = read("call");
  if (!call) return call.error();
  const std::string generator = value["generator"].isUndefined() ? "jax" : text_of(value["generator"]);
  if (generator == "torch") {
    if (call.value() != 0) return refusal(ErrorCode::wrong_type, "call", "is " + shown(value["call"]) + "; only generator jax counts calls");
    tosses.torch.emplace(static_cast<std::uint64_t>(seed.value()));
    tosses.dropout.generator = &*tosses.torch;
  } else if (generator == "jax") {
    tosses.dropout.generator = flax_dropout_key(static_cast<std::uint32_t>(seed.value()), static_cast<std::uint32_t>(call.value()));
  } else {
    return as_given(refusal(ErrorCode::unknown_choice, "generator", "is " + quoted(generator) + "; allowed are jax and torch"), value["generator"]);
  }
  return std::nullopt;
}

/// At most one of validLens, mask and expression.
struct Masking {
  std::optional<ValidLens> lens;
  std::optional<Mask> mask;
  std::optional<BoundMask> expression;

  [[nodiscard]] MaskView view() const {
    if (lens) return *lens;
    if (mask) return *mask;
    if (expression) return *expression;
    return {};
  }
};

std::optional<Error> read_masking(const val& options, std::size_t batch, std::size_t queries, std::size_t keys, Masking& masking) {
  if (auto stray = stray_option(options)) return stray;
  std::string given;
  for (const char* name : {"validLens", "mask", "expression"}) {
    if (options[name].isUndefined()) continue;
    if (!given.empty()) return refusal(ErrorCode::wrong_type, name, std::string("and ").append(given).append(" are both given; give one"));
    given = name;
  }
  if (given == "validLens") {
    auto lens = lens_of(options["validLens"], options["validLensShape"], keys);
    if (!lens) return lens.error();
    masking.lens = std::move(lens).value();
  } else if (given == "mask") {
    auto mask = mask_of({.param = "mask", .shape_param = "maskShape"}, options["mask"], options["maskShape"]);
    if (!mask) return mask.error();
    masking.mask = std::move(mask).value();
  } else if (given == "expression") {
    const auto expr = expression_of("expression", options["expression"]);
    if (!expr) return expr.error();
    auto bound = BoundMask::make(expr.value(), {batch, 1, queries, keys});
    if (!bound) return of_argument("expression", bound.error());
    masking.expression = std::move(bound).value();
  }
  return std::nullopt;
}

const std::vector<std::string> attention_options{"rule", "validLens", "validLensShape", "mask", "maskShape", "expression", "dropout"};

/// What a call of attention is made of, once it is read; the tosses and the mask stay where they are.
template <class T>
struct Call {
  Tensor<T, 3> queries, keys, values;
  ScoreRule rule = ScaledDot{};
  Masking masking;
  Tosses tosses;
};

template <class T>
std::optional<Error> read_call(const val& queries, const val& keys, const val& values, const val& options, Call<T>& call) {
  const std::pair<Named3, std::pair<const val*, Tensor<T, 3>*>> operands[] = {{{"queries", query_axes}, {&queries, &call.queries}}, {{"keys", key_axes}, {&keys, &call.keys}}, {{"values", key_axes}, {&values, &call.values}}};
  for (const auto& [name, each] : operands) {
    auto read = operand<T>(name, *each.first);
    if (!read) return read.error();
    *each.second = std::move(read).value();
  }
  if (options.isUndefined()) return std::nullopt;
  if (!is_object(options)) return refusal(ErrorCode::wrong_type, "options", "is " + shown(options) + "; give {rule, validLens, mask, expression, dropout}");
  if (auto unknown = unknown_option(options, attention_options)) return unknown;
  if (!options["rule"].isUndefined()) {
    auto rule = rule_of(options["rule"]);
    if (!rule) return rule.error();
    call.rule = std::move(rule).value();
  }
  const auto [batch, n, d] = shape_of(call.queries);
  if (auto error = read_masking(options, batch, n, shape_of(call.keys)[1], call.masking)) return error;
  return read_dropout("dropout", options["dropout"], call.tosses);
}

template <class T>
val attention_as(const val& queries, const val& keys, const val& values, const val& options) {
  Call<T> call;
  if (const auto error = read_call(queries, keys, values, options, call)) return failure(*error);
  const auto done = attn::attention<T>(call.rule, call.queries, call.keys, call.values, call.masking.view(), call.tosses.dropout);
  if (!done) return failure(renamed(done.error()));
  val result = success();
  result.set("output", crossed(done.value().output));
  result.set("weights", crossed(done.value().weights));
  result.set("pooledWeights", crossed(done.value().pooled_weights));
  return result;
}

/// Calls f with a float or a double by the kind of the first operand.
template <class F>
val by_kind(const char* param, const val& first, F f) {
  const auto kind = is_tensor(param, first);
  if (!kind) return failure(kind.error());
  return kind.value() == sizeof(float) ? f(float{}) : f(double{});
}

val tensor_or(const auto& result) {
  if (!result) return failure(renamed(result.error()));
  val answer = success();
  answer.set("tensor", crossed(result.value()));
  return answer;
}

/// scores(rule, queries, keys): {tensor}.
val scores_of(const val& rule_value, const val& queries_value, const val& keys_value) {
  const auto rule = rule_of(rule_value);
  if (!rule) return failure(rule.error());
  return by_kind("queries", queries_value, [&]<class T>(T) {
    const auto queries = operand<T>({"queries", query_axes}, queries_value);
    if (!queries) return failure(queries.error());
    const auto keys = operand<T>({"keys", key_axes}, keys_value);
    if (!keys) return failure(keys.error());
    return tensor_or(attn::scores<T>(rule.value(), queries.value(), keys.value()));
  });
}

/// batchMatmul(a, b): {tensor}.
val batch_matmul_of(const val& a_value, const val& b_value) {
  return by_kind("a", a_value, [&]<class T>(T) {
    const auto a = operand<T>({"a", "(batch, n, k)"}, a_value);
    if (!a) return failure(a.error());
    const auto b = operand<T>({"b", "(batch, k, m)"}, b_value);
    if (!b) return failure(b.error());
    return tensor_or(attn::batch_matmul<T>(a.value(), b.value()));
  });
}

/// attention(queries, keys, values, options): {output, weights, pooledWeights}.
val attention_of(const val& queries, const val& keys, const val& values, const val& options) {
  return by_kind("queries", queries, [&]<class T>(T) { return attention_as<T>(queries, keys, values, options); });
}

/// dropout(values, {rate, generator, seed, call, training}): {tensor}.
val dropout_of(const val& values_value, const val& options) {
  Tosses tosses;
  if (options.isUndefined()) return failure(refusal(ErrorCode::wrong_type, "options", "is undefined; give {rate, generator, seed, call, training}"));
  if (const auto error = read_dropout("options", options, tosses)) return failure(*error);
  return by_kind("values", values_value, [&]<class T>(T) {
    const auto values = operand<T>({"values", "(batch, rows, columns)"}, values_value);
    if (!values) return failure(values.error());
    return tensor_or(attn::apply_dropout<T>(values.value(), tosses.dropout));
  });
}

/// The tensors of a rule's gradient, under the names they are given by.
val crossed_parameters(const ScoreRule& rule) {
  val result = val::object();
  if (const auto* bilinear = std::get_if<Bilinear>(&rule)) {
    result.set("matrix", crossed(bilinear->matrix));
  } else if (const auto* low_rank = std::get_if<LowRank>(&rule)) {
    result.set("queryMap", crossed(low_rank->query_map));
    result.set("keyMap", crossed(low_rank->key_map));
  } else if (const auto* additive = std::get_if<Additive>(&rule)) {
    result.set("queryMap", crossed(additive->query_map));
    result.set("keyMap", crossed(additive->key_map));
    result.set("scoreVector", crossed(additive->score_vector));
  }
  return result;
}

/// scoresGradient(rule, queries, keys, upstream): {queries, keys, parameters}.
val scores_gradient(const val& rule_value, const val& queries_value, const val& keys_value, const val& upstream_value) {
  const auto rule = rule_of(rule_value);
  if (!rule) return failure(rule.error());
  const auto queries = double_operand({"queries", query_axes}, queries_value);
  if (!queries) return failure(queries.error());
  const auto keys = double_operand({"keys", key_axes}, keys_value);
  if (!keys) return failure(keys.error());
  const auto upstream = double_operand({"upstream", score_axes}, upstream_value);
  if (!upstream) return failure(upstream.error());
  const auto gradient = scores_vjp(rule.value(), queries.value(), keys.value(), upstream.value());
  if (!gradient) return failure(renamed(gradient.error()));
  val result = success();
  result.set("queries", crossed(gradient.value().queries));
  result.set("keys", crossed(gradient.value().keys));
  result.set("parameters", crossed_parameters(gradient.value().parameters));
  return result;
}

/// softmaxGradient(weights, upstream): {tensor}.
val softmax_gradient(const val& weights_value, const val& upstream_value) {
  const auto weights = double_operand({"weights", score_axes}, weights_value);
  if (!weights) return failure(weights.error());
  const auto upstream = double_operand({"upstream", score_axes}, upstream_value);
  if (!upstream) return failure(upstream.error());
  return tensor_or(masked_softmax_vjp(weights.value(), upstream.value()));
}

/// attentionGradient(queries, keys, values, upstream, options): {queries, keys, values, parameters} of the same attention.
val attention_gradient(const val& queries, const val& keys, const val& values, const val& upstream_value, const val& options) {
  if (const auto first = double_operand({"queries", query_axes}, queries); !first) return failure(first.error());
  Call<double> call;
  if (const auto error = read_call(queries, keys, values, options, call)) return failure(*error);
  const auto upstream = double_operand({"upstream", query_axes}, upstream_value);
  if (!upstream) return failure(upstream.error());
  const auto forward = attn::attention<double>(call.rule, call.queries, call.keys, call.values, call.masking.view(), call.tosses.dropout);
  if (!forward) return failure(renamed(forward.error()));
  const auto gradient = attention_vjp(call.rule, call.queries, call.keys, call.values, forward.value(), upstream.value());
  if (!gradient) return failure(renamed(gradient.error()));
  val result = success();
  result.set("queries", crossed(gradient.value().queries));
  result.set("keys", crossed(gradient.value().keys));
  result.set("values", crossed(gradient.value().values));
  result.set("parameters", crossed_parameters(gradient.value().parameters));
  return result;
}

}  // namespace
}  // namespace attn::bindings

EMSCRIPTEN_BINDINGS(attn_layers) {
  using namespace attn::bindings;
  emscripten::function("scores", &scores_of);
  emscripten::function("batchMatmul", &batch_matmul_of);
  emscripten::function("attention", &attention_of);
  emscripten::function("dropout", &dropout_of);
  emscripten::function("scoresGradient", &scores_gradient);
  emscripten::function("softmaxGradient", &softmax_gradient);
  emscripten::function("attentionGradient", &attention_gradient);
}

// Mask expressions for programs: read them, write them out, report on them, turn them into lengths, bias and code, and weigh by
// them. Expressions cross as text, sizes as {batch, heads, queries, keys}, of which batch and heads default to what the expression
// itself asks for.
#include "masks.hpp"

#include <emscripten/bind.h>

#include <algorithm>

#include "attn/mask_export.hpp"
#include "attn/mask_report.hpp"
#include "attn/softmax.hpp"

namespace attn::bindings {
namespace {

constexpr double largest_size = 2147483647.0;

Result<BoundMask> bound_of(const val& text, const val& sizes_value) {
  const auto expr = expression_of("text", text);
  if (!expr) return expr.error();
  if (!is_object(sizes_value)) return refusal(ErrorCode::wrong_type, "sizes", "is " + shown(sizes_value) + "; give {batch, heads, queries, keys}");
  if (const auto unknown = unknown_option(sizes_value, {"batch", "heads", "queries", "keys"})) return *unknown;
  const auto own = own_sizes(expr.value());
  if (!own) return of_argument("text", own.error());
  MaskSizes sizes = own.value();
  const auto read = [&](const char* name, std::size_t& size, bool needed) -> std::optional<Error> {
    const val value = sizes_value[name];
    if (value.isUndefined() && !needed) return std::nullopt;
    const auto number = integer(name, value, 0, largest_size);
    if (!number) return number.error();
    size = static_cast<std::size_t>(number.value());
    return std::nullopt;
  };
  if (auto error = read("batch", sizes.batch, false)) return *std::move(error);
  if (auto error = read("heads", sizes.heads, false)) return *std::move(error);
  if (auto error = read("queries", sizes.queries, true)) return *std::move(error);
  if (auto error = read("keys", sizes.keys, true)) return *std::move(error);
  auto bound = BoundMask::make(expr.value(), sizes);
  if (!bound) return of_argument("text", bound.error());
  return bound;
}

std::vector<std::size_t> four(const std::array<std::size_t, 4>& shape) { return {shape.begin(), shape.end()}; }

/// parseMask(text): {text, sheets, sizes}: the canonical form, the operands of its top-level AND, and the sizes it asks for (1 where any fits).
val parse_mask_text(const val& text) {
  const auto expr = expression_of("text", text);
  if (!expr) return failure(expr.error());
  const auto own = own_sizes(expr.value());
  if (!own) return failure(of_argument("text", own.error()));
  val result = success();
  result.set("text", mask_text(expr.value()));
  val sheets = val::array();
  const MaskNode& node = expr.value().node();
  if (node.kind == MaskKind::both) {
    for (const MaskExpr& operand : node.operands) sheets.call<void>("push", mask_text(operand));
  } else {
    sheets.call<void>("push", mask_text(expr.value()));
  }
  result.set("sheets", sheets);
  val sizes_object = val::object();
  sizes_object.set("batch", static_cast<double>(own.value().batch));
  sizes_object.set("heads", static_cast<double>(own.value().heads));
  sizes_object.set("queries", static_cast<double>(own.value().queries));
  sizes_object.set("keys", static_cast<double>(own.value().keys));
  result.set("sizes", sizes_object);
  return result;
}

/// maskCells(text, sizes): {data, shape}, bytes of 0 and 1 on the mask's own batch and heads axes.
val mask_cells(const val& text, const val& sizes_value) {
  const auto mask = bound_of(text, sizes_value);
  if (!mask) return failure(mask.error());
  // JavaScript gets a copy beside ours, so the limit lies lower than the core's.
  const MaskSizes& own = mask.value().own();
  const double size = static_cast<double>(own.batch) * static_cast<double>(own.heads) * static_cast<double>(own.queries) * static_cast<double>(own.keys);
  if (size > 134217728.0) {
    return failure(refusal(ErrorCode::too_large, "text", "stands for " + number_text(size) + " cells; allowed are 134217728 (maskReport writes none of them out)"));
  }
  const auto cells = cells_of(mask.value());
  if (!cells) return failure(of_argument("text", cells.error()));
  val result = success();
  result.set("data", copied(reinterpret_cast<const std::uint8_t*>(cells.value().data()), cells.value().size()));
  result.set("shape", copied_sizes(four(shape_of(cells.value()))));
  return result;
}

/// maskReport(text, sizes): {report}, JSON text.
val mask_report(const val& text, const val& sizes_value) {
  const auto mask = bound_of(text, sizes_value);
  if (!mask) return failure(mask.error());
  const auto report = report_mask(mask.value());
  if (!report) return failure(of_argument("text", report.error()));
  val result = success();
  result.set("report", report_json(report.value()));
  return result;
}

/// maskCode(text, sizes, framework): {code}.
val mask_code_text(const val& text, const val& sizes_value, const val& framework) {
  const auto mask = bound_of(text, sizes_value);
  if (!mask) return failure(mask.error());
  const auto code = mask_code_named(text_of(framework));
  if (!code) return failure(as_given(code.error(), framework));
  val result = success();
  result.set("code", mask_code(mask.value(), code.value()));
  return result;
}

/// additiveBias(text, sizes, {dtype, fill}): {data, shape}, float32 values of the dtype.
val additive_bias_of(const val& text, const val& sizes_value, const val& options) {
  const auto mask = bound_of(text, sizes_value);
  if (!mask) return failure(mask.error());
  Dtype dtype = Dtype::float32;
  BiasFill fill = BiasFill::lowest;
  if (is_object(options)) {
    if (const auto unknown = unknown_option(options, {"dtype", "fill"})) return failure(*unknown);
    if (!options["dtype"].isUndefined()) {
      const auto named = bias_dtype_named(text_of(options["dtype"]));
      if (!named) return failure(as_given(named.error(), options["dtype"]));
      dtype = named.value();
    }
    if (!options["fill"].isUndefined()) {
      const std::string name = text_of(options["fill"]);
      if (name != "lowest" && name != "-infinity") return failure(as_given(refusal(ErrorCode::unknown_choice, "fill", "is " + quoted(name) + "; allowed are lowest and -infinity"), options["fill"]));
      if (name == "-infinity") fill = BiasFill::infinity;
    }
  } else if (!options.isUndefined()) {
    return failure(refusal(ErrorCode::wrong_type, "options", "is " + shown(options) + "; give {dtype, fill}"));
  }
  const auto bias = additive_bias(mask.value(), dtype, fill);
  if (!bias) return failure(of_argument("text", bias.error()));
  val result = success();
  result.set("data", copied(bias.value().data(), bias.value().size()));
  result.set("shape", copied_sizes(four(shape_of(bias.value()))));
  return result;
}

/// validLensOf(text, sizes): {data, shape}, one length a sequence where that is enough, else one a query.
val valid_lens_of_mask(const val& text, const val& sizes_value) {
  const auto mask = bound_of(text, sizes_value);
  if (!mask) return failure(mask.error());
  const auto lens = valid_lens_of(mask.value());
  if (!lens) return failure(of_argument("text", lens.error()));
  const std::vector<std::size_t>& shape = lens.value().shape();
  std::vector<double> values;
  for (std::size_t b = 0; b < shape.front(); ++b) {
    for (std::size_t q = 0; q < (shape.size() == 2 ? shape[1] : 1); ++q) values.push_back(static_cast<double>(lens.value().at(b, q)));
  }
  val result = success();
  result.set("data", copied(values.data(), values.size()));
  result.set("shape", copied_sizes(shape));
  return result;
}

/// A tensor of four axes from data and a shape of three or four; three have one head.
template <class T>
Result<Tensor<T, 4>> tensor4(const std::string& param, const std::string& shape_param, const val& data, const val& shape_value) {
  const auto read = sizes(shape_param, shape_value);
  if (!read) return read.error();
  std::vector<std::size_t> shape = read.value();
  if (shape.size() == 3) shape.insert(shape.begin() + 1, 1);
  if (shape.size() != 4) return refusal(ErrorCode::wrong_shape, param, "has shape " + shape_text(read.value()) + "; allowed are (batch, queries, keys) and (batch, heads, queries, keys)");
  const auto elements = checked_elements(param, shape, sizeof(T));
  if (!elements) return elements.error();
  const auto length = array_length(data);
  if (length != elements.value()) {
    return refusal(ErrorCode::wrong_shape, param, "has " + std::to_string(length.value_or(0)) + " values; shape " + shape_text(shape) + " takes " + std::to_string(elements.value()));
  }
  auto tensor = Tensor<T, 4>::from_shape({shape[0], shape[1], shape[2], shape[3]});
  if (tensor.size() > 0) val(emscripten::typed_memory_view(tensor.size(), tensor.data())).template call<void>("set", data);
  return tensor;
}

Result<Bias> bias_of(const val& options) {
  if (!is_instance(options["bias"], "Float32Array")) return refusal(ErrorCode::wrong_type, "bias", "is not a Float32Array; a bias is added to the scores (a boolean mask is given as mask, a Uint8Array)");
  auto values = tensor4<float>("bias", "biasShape", options["bias"], options["biasShape"]);
  if (!values) return values.error();
  Bias bias{std::move(values).value(), Dtype::float32};
  if (!options["biasDtype"].isUndefined()) {
    const auto dtype = bias_dtype_named(text_of(options["biasDtype"]), "biasDtype");
    if (!dtype) return as_given(dtype.error(), options["biasDtype"]);
    bias.dtype = dtype.value();
  }
  return bias;
}

template <class T>
val masked_softmax_as(const val& scores_value, const val& shape, const val& options) {
  const auto scores = tensor4<T>("scores", "scores.shape", scores_value, shape);
  if (!scores) return failure(scores.error());
  const auto [batch, heads, queries, keys] = shape_of(scores.value());
  std::optional<Result<Tensor<T, 4>>> weights;
  if (!options["expression"].isUndefined()) {
    const auto expr = expression_of("expression", options["expression"]);
    if (!expr) return failure(expr.error());
    const auto mask = BoundMask::make(expr.value(), {batch, heads, queries, keys});
    if (!mask) return failure(of_argument("expression", mask.error()));
    weights = attn::masked_softmax(scores.value(), mask.value());
  } else {
    const auto bias = bias_of(options);
    if (!bias) return failure(bias.error());
    weights = attn::masked_softmax(scores.value(), bias.value());
  }
  if (!*weights) return failure(weights->error());
  const Tensor<T, 4>& out = weights->value();
  std::vector<double> empty;
  for (std::size_t row = 0; row < batch * heads * queries; ++row) {
    const T* first = out.data() + row * keys;
    if (std::all_of(first, first + keys, [](T weight) { return weight == 0; })) empty.push_back(static_cast<double>(row));
  }
  val result = success();
  result.set("weights", copied(out.data(), out.size()));
  result.set("shape", copied_sizes(sizes("scores shape", shape).value()));
  result.set("emptyRows", copied(empty.data(), empty.size()));
  return result;
}

}  // namespace

Result<MaskExpr> expression_of(const char* param, const val& text) {
  if (!is_type(text, "string")) return refusal(ErrorCode::wrong_type, param, "is " + shown(text) + "; give an expression such as \"causal & padding(3)\"");
  return parse_mask(text.as<std::string>(), param);
}

Error of_argument(const char* param, Error error) {
  if (error.param != "mask") return error;
  error.param = param;
  if (error.message.starts_with("mask: ")) error.message.replace(0, std::string_view("mask").size(), param);
  return error;
}

std::optional<Error> stray_option(const val& options) {
  if (!is_object(options)) return std::nullopt;
  constexpr const char* pairs[][2] = {{"validLensShape", "validLens"}, {"maskShape", "mask"}, {"biasShape", "bias"}, {"biasDtype", "bias"}};
  for (const auto& [name, of] : pairs) {
    if (!options[name].isUndefined() && options[of].isUndefined()) return refusal(ErrorCode::wrong_type, name, std::string("is given without ") + of);
  }
  return std::nullopt;
}

bool asks_for_expression_or_bias(const val& options) {
  return is_object(options) && (!options["expression"].isUndefined() || !options["bias"].isUndefined());
}

val masked_softmax_under(const val& scores, const val& shape, const val& options) {
  std::string given;
  for (const char* name : {"validLens", "mask", "expression", "bias"}) {
    if (options[name].isUndefined()) continue;
    if (!given.empty()) return failure(refusal(ErrorCode::wrong_type, name, "and " + given + " are both given; give one"));
    given = name;
  }
  if (is_instance(scores, "Float32Array")) return masked_softmax_as<float>(scores, shape, options);
  if (is_instance(scores, "Float64Array")) return masked_softmax_as<double>(scores, shape, options);
  return failure(refusal(ErrorCode::wrong_type, "scores", "is " + shown(scores) + "; give a Float32Array or a Float64Array"));
}

}  // namespace attn::bindings

EMSCRIPTEN_BINDINGS(attn_masks) {
  using namespace attn::bindings;
  emscripten::function("parseMask", &parse_mask_text);
  emscripten::function("maskCells", &mask_cells);
  emscripten::function("maskReport", &mask_report);
  emscripten::function("maskCode", &mask_code_text);
  emscripten::function("additiveBias", &additive_bias_of);
  emscripten::function("validLensOf", &valid_lens_of_mask);
}

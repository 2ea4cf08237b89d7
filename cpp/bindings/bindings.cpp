// The bridge to JavaScript, and the only file that knows it exists: values in, values out. Every result is copied into arrays
// that JavaScript owns; no C++ object outlives a call. Embind turns 2.7 into 2 and null into 0 without a word, so arguments
// arrive as `val` and are checked here, by kind and by value. Errors come back as {ok: false, error: {code, param, message}}.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attn/attention.hpp"
#include "attn/random/arrays.hpp"
#include "attn/softmax.hpp"
#include "attn/text.hpp"
#include "studies.hpp"

namespace {

using attn::Error;
using attn::ErrorCode;
using attn::Result;
using emscripten::val;

val failure(const Error& error) {
  val detail = val::object();
  detail.set("code", std::string(attn::name(error.code)));
  detail.set("param", error.param);
  detail.set("message", error.message);
  val result = val::object();
  result.set("ok", false);
  result.set("error", detail);
  return result;
}

val success() {
  val result = val::object();
  result.set("ok", true);
  return result;
}

/// A copy in an array of JavaScript's own: slice() of a view on our memory.
template <class T>
val copied(const T* data, std::size_t size) {
  return val(emscripten::typed_memory_view(size, data)).call<val>("slice");
}

val copied_sizes(const std::vector<std::size_t>& sizes) {
  val array = val::array();
  for (std::size_t i = 0; i < sizes.size(); ++i) array.set(i, static_cast<double>(sizes[i]));
  return array;
}

bool is_type(const val& value, const char* type) { return value.typeOf().as<std::string>() == type; }
bool is_object(const val& value) { return is_type(value, "object") && !value.isNull(); }
bool is_instance(const val& value, const char* type) { return is_object(value) && value.instanceof(val::global(type)); }

/// A value in words, for messages: numbers and text as they are, everything else by its type.
std::string shown(const val& value) {
  if (is_type(value, "number")) return attn::number_text(value.as<double>());
  if (is_type(value, "string")) return attn::quoted(value.as<std::string>());
  if (value.isNull()) return "null";
  return value.typeOf().as<std::string>();
}

Error refusal(ErrorCode code, const std::string& param, const std::string& rest) {
  return Error{code, param, std::string(param).append(" ").append(rest)};
}

/// A number that is an integer in [least, most].
Result<double> integer(const std::string& param, const val& value, double least, double most) {
  const std::string allowed = std::string("; allowed are integers from ").append(attn::number_text(least)).append(" to ").append(attn::number_text(most));
  if (!is_type(value, "number")) return refusal(ErrorCode::wrong_type, param, "is " + shown(value) + ", not a number" + allowed);
  const double number = value.as<double>();
  if (!std::isfinite(number) || number != std::floor(number)) return refusal(ErrorCode::not_an_integer, param, "is " + shown(value) + allowed);
  if (number < least || number > most) return refusal(ErrorCode::out_of_range, param, "is " + shown(value) + allowed);
  return number;
}

/// Length of an array or typed array, or nothing when the value is neither.
std::optional<std::size_t> array_length(const val& value) {
  if (!is_object(value)) return std::nullopt;
  const bool array = val::global("Array").call<bool>("isArray", value);
  const bool typed = val::global("ArrayBuffer").call<bool>("isView", value) && is_type(value["length"], "number");
  if (!array && !typed) return std::nullopt;
  return value["length"].as<std::size_t>();
}

constexpr double largest_size = 4294967295.0;

Result<std::vector<std::size_t>> sizes(const std::string& param, const val& value) {
  const auto length = array_length(value);
  if (!length) return refusal(ErrorCode::wrong_type, param, "is " + shown(value) + "; give an array of sizes");
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < *length; ++i) {
    const auto size = integer(param + "[" + std::to_string(i) + "]", value[i], 0, largest_size);
    if (!size) return size.error();
    out.push_back(static_cast<std::size_t>(size.value()));
  }
  return out;
}

/// Fills a tensor of three axes from a typed array, in one copy, after the size check.
template <class T>
Result<attn::Tensor<T, 3>> tensor3(const std::string& param, const val& data, const val& shape_value) {
  const auto shape = sizes(param + " shape", shape_value);
  if (!shape) return shape.error();
  const std::vector<std::size_t>& s = shape.value();
  if (s.size() != 3) {
    return refusal(ErrorCode::wrong_shape, param, "has shape " + attn::shape_text(s) + "; allowed are three axes (batch, queries, keys)");
  }
  const auto elements = attn::checked_elements(param, s, sizeof(T));
  if (!elements) return elements.error();
  const auto length = array_length(data);
  if (length != elements.value()) {
    return refusal(ErrorCode::wrong_shape, param,
                   "has " + std::to_string(length.value_or(0)) + " values; shape " + attn::shape_text(s) + " takes " + std::to_string(elements.value()));
  }
  auto tensor = attn::Tensor<T, 3>::from_shape({s[0], s[1], s[2]});
  if (elements.value() > 0) val(emscripten::typed_memory_view(tensor.size(), tensor.data())).call<void>("set", data);
  return tensor;
}

/// A boolean mask from bytes: 0 is false, anything else is true.
Result<attn::Mask> mask_of(const std::string& param, const val& data, const val& shape) {
  if (!is_instance(data, "Uint8Array")) {
    return refusal(ErrorCode::wrong_type, param, "is not a Uint8Array; a mask is bytes, 0 for masked and anything else for allowed");
  }
  auto bytes = tensor3<std::uint8_t>(param, data, shape);
  if (!bytes) return bytes.error();
  attn::Mask mask = attn::Mask::from_shape({bytes.value().shape()[0], bytes.value().shape()[1], bytes.value().shape()[2]});
  std::transform(bytes.value().begin(), bytes.value().end(), mask.begin(), [](std::uint8_t byte) { return byte != 0; });
  return mask;
}

Result<attn::ValidLens> lens_of(const val& values, const val& shape_value, std::size_t keys) {
  const auto length = array_length(values);
  if (!length) return refusal(ErrorCode::wrong_type, "validLens", "is " + shown(values) + "; give an array of integers");
  std::vector<double> numbers;
  for (std::size_t i = 0; i < *length; ++i) {
    const val entry = values[i];
    if (!is_type(entry, "number")) {
      return refusal(ErrorCode::wrong_type, "validLens", "has " + shown(entry) + " at entry " + std::to_string(i) + "; allowed are integers from 0 to " + std::to_string(keys) + ", the number of keys");
    }
    numbers.push_back(entry.as<double>());
  }
  if (shape_value.isUndefined()) return attn::ValidLens::make(numbers, std::vector<std::size_t>{numbers.size()}, {"validLens", keys});
  const auto shape = sizes("validLens shape", shape_value);
  if (!shape) return shape.error();
  return attn::ValidLens::make(numbers, shape.value(), {"validLens", keys});
}

val flat_rows(const std::vector<attn::EmptyRow>& rows, std::size_t queries) {
  std::vector<double> flat;
  for (const auto& row : rows) flat.push_back(static_cast<double>(row.batch * queries + row.query));
  return copied(flat.data(), flat.size());
}

template <class T>
val masked_softmax_as(const val& scores_value, const val& shape, const val& options) {
  const auto scores = tensor3<T>("scores", scores_value, shape);
  if (!scores) return failure(scores.error());
  const auto [batch, queries, keys] = attn::shape_of(scores.value());
  const bool has_lens = is_object(options) && !options["validLens"].isUndefined();
  const bool has_mask = is_object(options) && !options["mask"].isUndefined();
  if (has_lens && has_mask) return failure(refusal(ErrorCode::wrong_type, "mask", "and validLens are both given; give one"));
  if (is_object(options) && !has_lens && !options["validLensShape"].isUndefined()) {
    return failure(refusal(ErrorCode::wrong_type, "validLensShape", "is given without validLens"));
  }
  if (is_object(options) && !has_mask && !options["maskShape"].isUndefined()) {
    return failure(refusal(ErrorCode::wrong_type, "maskShape", "is given without mask"));
  }
  std::optional<Result<attn::Tensor<T, 3>>> weights;
  // Which rows are empty is a question about the mask, and about scores that are all -infinity; both show as zero rows.
  if (has_lens) {
    const auto lens = lens_of(options["validLens"], options["validLensShape"], keys);
    if (!lens) return failure(lens.error());
    weights = attn::masked_softmax(scores.value(), lens.value());
  } else if (has_mask) {
    const auto mask = mask_of("mask", options["mask"], options["maskShape"]);
    if (!mask) return failure(mask.error());
    weights = attn::masked_softmax(scores.value(), mask.value());
  } else {
    weights = attn::masked_softmax(scores.value());
  }
  if (!*weights) return failure(weights->error());
  const attn::Tensor<T, 3>& out = weights->value();
  std::vector<attn::EmptyRow> empty;
  const T* row = out.data();
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t q = 0; q < queries; ++q, row += keys) {
      bool any = false;
      for (std::size_t k = 0; k < keys; ++k) any = any || row[k] != 0;
      if (!any) empty.push_back({b, q});
    }
  }
  val result = success();
  result.set("weights", copied(out.data(), out.size()));
  result.set("shape", copied_sizes({batch, queries, keys}));
  result.set("emptyRows", flat_rows(empty, queries));
  return result;
}

val masked_softmax(const val& scores, const val& shape, const val& options) {
  if (is_instance(scores, "Float32Array")) return masked_softmax_as<float>(scores, shape, options);
  if (is_instance(scores, "Float64Array")) return masked_softmax_as<double>(scores, shape, options);
  return failure(refusal(ErrorCode::wrong_type, "scores", "is " + shown(scores) + "; give a Float32Array or a Float64Array"));
}

val compose_masks(const val& masks_value) {
  const auto count = array_length(masks_value);
  if (!count) return failure(refusal(ErrorCode::wrong_type, "masks", "is " + shown(masks_value) + "; give an array of {data, shape}"));
  std::vector<attn::Mask> masks;
  for (std::size_t i = 0; i < *count; ++i) {
    const std::string param = "masks[" + std::to_string(i) + "]";
    const val entry = masks_value[i];
    if (!is_object(entry)) return failure(refusal(ErrorCode::wrong_type, param, "is " + shown(entry) + "; give {data, shape}"));
    auto mask = mask_of(param, entry["data"], entry["shape"]);
    if (!mask) return failure(mask.error());
    masks.push_back(std::move(mask).value());
  }
  const auto composed = attn::compose_masks(masks);
  if (!composed) return failure(composed.error());
  const attn::Mask& mask = composed.value();
  const auto [batch, queries, keys] = attn::shape_of(mask);
  static_assert(sizeof(bool) == 1, "a mask leaves as bytes of 0 and 1");
  val result = success();
  result.set("data", copied(reinterpret_cast<const std::uint8_t*>(mask.data()), mask.size()));
  result.set("shape", copied_sizes({batch, queries, keys}));
  result.set("emptyRows", flat_rows(attn::empty_rows(mask), queries));
  return result;
}

val attention_stats(const val& options_value) {
  if (!is_object(options_value)) return failure(refusal(ErrorCode::wrong_type, "options", "is " + shown(options_value) + "; give {d, numKeys, numQueries, scaled, seed}"));
  const std::vector<std::string> known{"d", "numKeys", "numQueries", "scaled", "seed"};
  const val keys = val::global("Object").call<val>("keys", options_value);
  for (std::size_t i = 0; i < keys["length"].as<std::size_t>(); ++i) {
    const auto key = keys[i].as<std::string>();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return failure(Error{ErrorCode::unknown_parameter, key, key + " is not an option; there are d, numKeys, numQueries, scaled, seed"});
    }
  }
  attn::AttentionStatsOptions options;
  const auto read = [&](const char* name, double least, double most, double fallback) -> Result<double> {
    const val value = options_value[name];
    if (value.isUndefined() && fallback >= 0) return fallback;
    return integer(name, value, least, most);
  };
  const auto d = read("d", 1, 65536, -1);
  const auto num_keys = read("numKeys", 2, 65536, 64);
  const auto num_queries = read("numQueries", 2, 65536, 256);
  const auto seed = read("seed", 0, 9007199254740991.0, 0);
  for (const auto* each : {&d, &num_keys, &num_queries, &seed}) {
    if (!each->ok()) return failure(each->error());
  }
  const val scaled = options_value["scaled"];
  if (!scaled.isUndefined() && !is_type(scaled, "boolean")) {
    return failure(refusal(ErrorCode::wrong_type, "scaled", "is " + shown(scaled) + "; allowed are true and false"));
  }
  options.d = static_cast<std::size_t>(d.value());
  options.num_keys = static_cast<std::size_t>(num_keys.value());
  options.num_queries = static_cast<std::size_t>(num_queries.value());
  options.seed = static_cast<std::uint64_t>(seed.value());
  options.scaled = scaled.isUndefined() || scaled.as<bool>();
  const auto stats = attn::attention_stats(options);
  if (!stats) return failure(stats.error());
  val result = success();
  const auto set = [&](const char* name, const char* error_name, const attn::Estimate& estimate) {
    result.set(name, estimate.mean);
    result.set(error_name, estimate.standard_error);
  };
  set("entropy", "entropyStandardError", stats.value().entropy);
  set("jacobianNorm", "jacobianNormStandardError", stats.value().jacobian_norm);
  set("scoreVariance", "scoreVarianceStandardError", stats.value().score_variance);
  set("largestWeight", "largestWeightStandardError", stats.value().largest_weight);
  return result;
}

/// randomArrays({generator, seed, calls: [{call, shape, dtype?}]}): the arrays, in order.
val random_arrays(const val& request_value) {
  if (!is_object(request_value)) return failure(refusal(ErrorCode::wrong_type, "request", "is " + shown(request_value) + "; give {generator, seed, calls}"));
  const auto text = [](const val& value) { return is_type(value, "string") ? value.as<std::string>() : shown(value); };
  attn::random::ArrayRequest request;
  request.generator = text(request_value["generator"]);
  const val seed = request_value["seed"];
  if (!is_type(seed, "number")) return failure(refusal(ErrorCode::wrong_type, "seed", "is " + shown(seed) + "; give an integer"));
  request.seed = seed.as<double>();
  const val calls = request_value["calls"];
  const auto count = array_length(calls);
  if (!count) return failure(refusal(ErrorCode::wrong_type, "calls", "is " + shown(calls) + "; give an array of {call, shape}"));
  for (std::size_t i = 0; i < *count; ++i) {
    const std::string param = "calls[" + std::to_string(i) + "]";
    const val call = calls[i];
    if (!is_object(call)) return failure(refusal(ErrorCode::wrong_type, param, "is " + shown(call) + "; give {call, shape}"));
    attn::random::ArrayCall& read = request.calls.emplace_back();
    read.call = text(call["call"]);
    if (!call["dtype"].isUndefined()) read.dtype = text(call["dtype"]);
    const val shape = call["shape"];
    const auto axes = array_length(shape);
    if (!axes) return failure(refusal(ErrorCode::wrong_type, param + ".shape", "is " + shown(shape) + "; give an array of sizes"));
    for (std::size_t axis = 0; axis < *axes; ++axis) {
      if (!is_type(shape[axis], "number")) {
        return failure(refusal(ErrorCode::wrong_type, param + ".shape[" + std::to_string(axis) + "]", "is " + shown(shape[axis]) + "; give an integer"));
      }
      read.shape.push_back(shape[axis].as<double>());
    }
  }
  const auto arrays = attn::random::random_arrays(request);
  if (!arrays) return failure(arrays.error());
  val out = val::array();
  for (std::size_t i = 0; i < arrays.value().size(); ++i) out.set(i, copied(arrays.value()[i].data(), arrays.value()[i].size()));
  val result = success();
  result.set("arrays", out);
  return result;
}

/// The parameters of an object, in its order; undefined counts as absent.
Result<attn::Given> given_of(const val& params) {
  attn::Given given;
  if (params.isUndefined()) return given;
  if (!is_object(params)) return refusal(ErrorCode::wrong_type, "params", "is " + shown(params) + "; give an object of parameters");
  const val keys = val::global("Object").call<val>("keys", params);
  for (std::size_t i = 0; i < keys["length"].as<std::size_t>(); ++i) {
    const auto key = keys[i].as<std::string>();
    const val value = params[key];
    if (is_type(value, "number")) {
      given.emplace_back(key, value.as<double>());
    } else if (is_type(value, "boolean")) {
      given.emplace_back(key, value.as<bool>());
    } else if (is_type(value, "string")) {
      given.emplace_back(key, value.as<std::string>());
    } else if (!value.isUndefined()) {
      return refusal(ErrorCode::wrong_type, key, "is " + shown(value) + "; give a number, text or true or false");
    }
  }
  return given;
}

val params_value(const attn::Params& params) {
  val out = val::object();
  for (const auto& [key, value] : params.entries()) {
    if (const double* number = std::get_if<double>(&value)) {
      out.set(key, *number);
    } else if (const bool* flag = std::get_if<bool>(&value)) {
      out.set(key, *flag);
    } else {
      out.set(key, *std::get_if<std::string>(&value));
    }
  }
  return out;
}

Result<const attn::Study*> study_of(const val& id) {
  return attn::find_study(attn::studies::registry(), is_type(id, "string") ? id.as<std::string>() : shown(id));
}

/// @param progress  a function told the share done, 0 to 1, while a long run goes on; or undefined
val run(const val& id, const val& params, const val& progress) {
  static attn::Workspace workspace;  // speed only: a run is a pure function of its parameters
  workspace.progress = is_type(progress, "function") ? [progress](double share) { progress(share); } : std::function<void(double)>();
  const auto study = study_of(id);
  if (!study) return failure(study.error());
  const auto given = given_of(params);
  if (!given) return failure(given.error());
  const auto done = attn::run(*study.value(), given.value(), workspace);
  if (!done) return failure(done.error());
  val series = val::object();
  for (const attn::Series& each : done.value().series) {
    val entry = val::object();
    entry.set("unit", each.unit);
    entry.set("shape", copied_sizes(each.shape));
    if (each.words.empty()) {
      entry.set("data", copied(each.data.data(), each.data.size()));
    } else {
      val words = val::array();
      for (std::size_t i = 0; i < each.words.size(); ++i) words.set(i, each.words[i]);
      entry.set("data", words);
    }
    series.set(each.name, entry);
  }
  val result = success();
  result.set("study", study.value()->id);
  result.set("params", params_value(done.value().params));
  result.set("series", series);
  result.set("code", done.value().code);
  return result;
}

val repair(const val& id, const val& params) {
  const auto study = study_of(id);
  if (!study) return failure(study.error());
  const auto given = given_of(params);
  if (!given) return failure(given.error());
  const auto repaired = attn::repair(*study.value(), given.value());
  val notices = val::array();
  for (std::size_t i = 0; i < repaired.notices.size(); ++i) {
    val notice = val::object();
    notice.set("param", repaired.notices[i].param);
    notice.set("message", repaired.notices[i].message);
    notices.set(i, notice);
  }
  val result = success();
  result.set("params", params_value(repaired.params));
  result.set("notices", notices);
  return result;
}

std::string describe() { return attn::describe_json(attn::studies::registry()); }

}  // namespace

EMSCRIPTEN_BINDINGS(attn) {
  emscripten::function("describe", &describe);
  emscripten::function("run", &run);
  emscripten::function("repair", &repair);
  emscripten::function("maskedSoftmax", &masked_softmax);
  emscripten::function("composeMasks", &compose_masks);
  emscripten::function("attentionStats", &attention_stats);
  emscripten::function("randomArrays", &random_arrays);
}

// Functions on arrays for programs: masked softmax, composed masks, statistics of attention, the frameworks' random arrays. Each
// checks its arguments, calls the core once and hands back copies. Pages show studies and need none of this, so only the whole
// module (attn.wasm) holds it.
#include <emscripten/bind.h>

#include <optional>
#include <string>
#include <vector>

#include "attn/attention.hpp"
#include "attn/random/arrays.hpp"
#include "attn/softmax.hpp"
#include "masks.hpp"
#include "values.hpp"

namespace attn::bindings {
namespace {

template <class T>
val masked_softmax_as(const val& scores_value, const val& shape, const val& options) {
  const auto scores = tensor3<T>({.param = "scores"}, scores_value, shape);
  if (!scores) return failure(scores.error());
  const auto [batch, queries, keys] = shape_of(scores.value());
  const bool has_lens = is_object(options) && !options["validLens"].isUndefined();
  const bool has_mask = is_object(options) && !options["mask"].isUndefined();
  if (has_lens && has_mask) return failure(refusal(ErrorCode::wrong_type, "mask", "and validLens are both given; give one"));
  std::optional<Result<Tensor<T, 3>>> weights;
  // Which rows are empty is a question about the mask, and about scores that are all -infinity; both show as zero rows.
  if (has_lens) {
    const auto lens = lens_of(options["validLens"], options["validLensShape"], keys);
    if (!lens) return failure(lens.error());
    weights = attn::masked_softmax(scores.value(), lens.value());
  } else if (has_mask) {
    const auto mask = mask_of({.param = "mask", .shape_param = "maskShape"}, options["mask"], options["maskShape"]);
    if (!mask) return failure(mask.error());
    weights = attn::masked_softmax(scores.value(), mask.value());
  } else {
    weights = attn::masked_softmax(scores.value());
  }
  if (!*weights) return failure(weights->error());
  const Tensor<T, 3>& out = weights->value();
  std::vector<EmptyRow> empty;
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
  if (const auto stray = stray_option(options)) return failure(*stray);
  if (asks_for_expression_or_bias(options)) return masked_softmax_under(scores, shape, options);
  if (is_instance(scores, "Float32Array")) return masked_softmax_as<float>(scores, shape, options);
  if (is_instance(scores, "Float64Array")) return masked_softmax_as<double>(scores, shape, options);
  return failure(refusal(ErrorCode::wrong_type, "scores", "is " + shown(scores) + "; give a Float32Array or a Float64Array"));
}

val compose_masks(const val& masks_value) {
  const auto count = array_length(masks_value);
  if (!count) return failure(refusal(ErrorCode::wrong_type, "masks", "is " + shown(masks_value) + "; give an array of {data, shape}"));
  std::vector<Mask> masks;
  for (std::size_t i = 0; i < *count; ++i) {
    const std::string param = "masks[" + std::to_string(i) + "]";
    const val entry = masks_value[i];
    if (!is_object(entry)) return failure(refusal(ErrorCode::wrong_type, param, "is " + shown(entry) + "; give {data, shape}"));
    auto mask = mask_of({.param = param}, entry["data"], entry["shape"]);
    if (!mask) return failure(mask.error());
    masks.push_back(std::move(mask).value());
  }
  const auto composed = attn::compose_masks(masks);
  if (!composed) return failure(composed.error());
  val result = success();
  set_mask(result, composed.value());
  return result;
}

val attention_stats(const val& options_value) {
  if (!is_object(options_value)) return failure(refusal(ErrorCode::wrong_type, "options", "is " + shown(options_value) + "; give {d, numKeys, numQueries, scaled, seed}"));
  if (const auto unknown = unknown_option(options_value, {"d", "numKeys", "numQueries", "scaled", "seed"})) return failure(*unknown);
  AttentionStatsOptions options;
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
  if (!stats) return failure(renamed(stats.error(), {{"num_keys", "numKeys"}, {"num_queries", "numQueries"}}));
  val result = success();
  const auto set = [&](const char* name, const char* error_name, const Estimate& estimate) {
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
  random::ArrayRequest request;
  request.generator = text_of(request_value["generator"]);
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
    random::ArrayCall& read = request.calls.emplace_back();
    read.call = text_of(call["call"]);
    if (!call["dtype"].isUndefined()) read.dtype = text_of(call["dtype"]);
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
  const auto arrays = random::random_arrays(request);
  if (!arrays) {
    const Error& error = arrays.error();
    if (error.param == "generator") return failure(as_given(error, request_value["generator"]));
    for (std::size_t i = 0; i < *count; ++i) {
      for (const char* name : {"call", "dtype"}) {
        if (error.param == "calls[" + std::to_string(i) + "]." + name) return failure(as_given(error, calls[i][name]));
      }
    }
    return failure(error);
  }
  val out = val::array();
  for (std::size_t i = 0; i < arrays.value().size(); ++i) out.set(i, copied(arrays.value()[i].data(), arrays.value()[i].size()));
  val result = success();
  result.set("arrays", out);
  return result;
}

}  // namespace

EMSCRIPTEN_BINDINGS(arrays) {
  emscripten::function("maskedSoftmax", &masked_softmax);
  emscripten::function("composeMasks", &compose_masks);
  emscripten::function("attentionStats", &attention_stats);
  emscripten::function("randomArrays", &random_arrays);
}

}  // namespace attn::bindings

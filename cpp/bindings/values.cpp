// Checks and copies of values that cross the bridge; their meanings stand in values.hpp.
#include "values.hpp"

#include <algorithm>
#include <cmath>

namespace attn::bindings {
namespace {

constexpr double largest_size = 4294967295.0;

}  // namespace

val failure(const Error& error) {
  val detail = val::object();
  detail.set("code", std::string(name(error.code)));
  detail.set("param", error.param);
  detail.set("message", error.message);
  if (error.at) detail.set("at", static_cast<double>(*error.at));
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

val copied_sizes(const std::vector<std::size_t>& sizes) {
  val array = val::array();
  for (std::size_t i = 0; i < sizes.size(); ++i) array.set(i, static_cast<double>(sizes[i]));
  return array;
}

void set_mask(val& result, const Mask& mask) {
  static_assert(sizeof(bool) == 1, "a mask leaves as bytes of 0 and 1");
  const auto [batch, queries, keys] = shape_of(mask);
  result.set("data", copied(reinterpret_cast<const std::uint8_t*>(mask.data()), mask.size()));
  result.set("shape", copied_sizes({batch, queries, keys}));
  result.set("emptyRows", flat_rows(empty_rows(mask), queries));
}

val flat_rows(const std::vector<EmptyRow>& rows, std::size_t queries) {
  std::vector<double> flat;
  for (const auto& row : rows) flat.push_back(static_cast<double>(row.batch * queries + row.query));
  return copied(flat.data(), flat.size());
}

bool is_type(const val& value, const char* type) { return value.typeOf().as<std::string>() == type; }
bool is_object(const val& value) { return is_type(value, "object") && !value.isNull() && !array_length(value); }
bool is_instance(const val& value, const char* type) { return is_type(value, "object") && value.instanceof(val::global(type)); }

std::string shown(const val& value) {
  if (is_type(value, "number")) return number_text(value.as<double>());
  if (is_type(value, "string")) return quoted(value.as<std::string>());
  if (is_type(value, "boolean")) return value.isTrue() ? "true" : "false";
  if (value.isNull()) return "null";
  const auto type = value.typeOf().as<std::string>();
  if (type == "symbol" || type == "function") return "a " + type;
  if (type != "object") return type;
  if (!array_length(value)) return "an object";
  const auto kind = value["constructor"]["name"].as<std::string>();
  return kind == "Array" ? "an array" : (kind.starts_with("Int") ? "an " : "a ") + kind;
}

std::string text_of(const val& value) { return is_type(value, "string") ? value.as<std::string>() : shown(value); }

Error refusal(ErrorCode code, const std::string& param, const std::string& rest) {
  return Error{code, param, std::string(param).append(" ").append(rest)};
}

Error as_given(Error error, const val& value) {
  if (is_type(value, "string")) return error;
  const std::string words = shown(value), inside = quoted(words);
  const std::size_t at = error.message.find(inside);
  if (at != std::string::npos) error.message.replace(at, inside.size(), words);
  error.code = ErrorCode::wrong_type;
  return error;
}

Error renamed(Error error, std::initializer_list<std::pair<const char*, const char*>> names) {
  for (const auto& [from, to] : names) {
    const std::string name(from);
    for (std::size_t at = error.message.find(name); at != std::string::npos; at = error.message.find(name, at)) error.message.replace(at, name.size(), to);
    if (error.param == name) error.param = to;
  }
  return error;
}

Result<double> integer(const std::string& param, const val& value, double least, double most) {
  const std::string allowed = std::string("; allowed are integers from ").append(number_text(least)).append(" to ").append(number_text(most));
  if (!is_type(value, "number")) return refusal(ErrorCode::wrong_type, param, "is " + shown(value) + ", not a number" + allowed);
  const double number = value.as<double>();
  if (!std::isfinite(number) || number != std::floor(number)) return refusal(ErrorCode::not_an_integer, param, "is " + shown(value) + allowed);
  if (number < least || number > most) return refusal(ErrorCode::out_of_range, param, "is " + shown(value) + allowed);
  return number;
}

std::optional<std::size_t> array_length(const val& value) {
  if (!is_type(value, "object") || value.isNull()) return std::nullopt;
  const bool array = val::global("Array").call<bool>("isArray", value);
  const bool typed = val::global("ArrayBuffer").call<bool>("isView", value) && is_type(value["length"], "number");
  if (!array && !typed) return std::nullopt;
  return value["length"].as<std::size_t>();
}

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

Result<std::vector<std::size_t>> three_axes(const Named3& named, const val& data, const val& shape_value, std::size_t size) {
  const std::string& param = named.param;
  const auto shape = sizes(named.shape_param.empty() ? param + ".shape" : named.shape_param, shape_value);
  if (!shape) return shape.error();
  const std::vector<std::size_t>& s = shape.value();
  if (s.size() != 3) {
    return refusal(ErrorCode::wrong_shape, param, "has shape " + shape_text(s) + "; allowed are three axes " + named.axes);
  }
  const auto elements = checked_elements(param, s, size);
  if (!elements) return elements.error();
  const auto length = array_length(data);
  if (length != elements.value()) {
    return refusal(ErrorCode::wrong_shape, param,
                   "has " + std::to_string(length.value_or(0)) + " values; shape " + shape_text(s) + " takes " + std::to_string(elements.value()));
  }
  return s;
}

Result<Mask> mask_of(const Named3& named, const val& data, const val& shape) {
  const std::string& param = named.param;
  if (is_type(data, "string")) return refusal(ErrorCode::wrong_type, param, "is text; give a mask expression as expression");
  if (is_instance(data, "Float32Array") || is_instance(data, "Float64Array")) {
    return refusal(ErrorCode::wrong_type, param,
                   "holds floats, which frameworks add to the scores; give those as bias, or convert 0 and 1 by Uint8Array.from(values, (value) => value !== 0)");
  }
  if (!is_instance(data, "Uint8Array")) {
    return refusal(ErrorCode::wrong_type, param, "is not a Uint8Array; a mask is bytes, 0 for masked and anything else for allowed");
  }
  auto bytes = tensor3<std::uint8_t>(named, data, shape);
  if (!bytes) return bytes.error();
  Mask mask = Mask::from_shape({bytes.value().shape()[0], bytes.value().shape()[1], bytes.value().shape()[2]});
  std::transform(bytes.value().begin(), bytes.value().end(), mask.begin(), [](std::uint8_t byte) { return byte != 0; });
  return mask;
}

Result<ValidLens> lens_of(const val& values, const val& shape_value, std::size_t keys) {
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
  if (shape_value.isUndefined()) return ValidLens::make(numbers, std::vector<std::size_t>{numbers.size()}, {"validLens", keys});
  const auto shape = sizes("validLensShape", shape_value);
  if (!shape) return shape.error();
  return ValidLens::make(numbers, shape.value(), {"validLens", keys});
}

std::optional<Error> unknown_option(const val& options, const std::vector<std::string>& known) {
  const val keys = val::global("Object").call<val>("keys", options);
  for (std::size_t i = 0; i < keys["length"].as<std::size_t>(); ++i) {
    const auto key = keys[i].as<std::string>();
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string list;
    for (const std::string& each : known) list.append(list.empty() ? "" : ", ").append(each);
    const bool plain = !key.empty() && key.size() <= 40 && std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7F'; });
    return Error{ErrorCode::unknown_parameter, key, std::string(plain ? key : quoted(key)).append(" is not an option; there are ").append(list)};
  }
  return std::nullopt;
}

}  // namespace attn::bindings

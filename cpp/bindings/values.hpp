// Values across the bridge: what every function that JavaScript calls needs. Embind turns 2.7 into 2 and null into 0 without a
// word, so arguments arrive as `val` and are checked by kind and by value; results are copies in arrays of JavaScript's own, so
// no C++ object outlives a call. Answers are {ok: true, ...} or {ok: false, error: {code, param, message}}. It computes nothing.
#pragma once

#include <emscripten/val.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attn/error.hpp"
#include "attn/mask.hpp"
#include "attn/tensor.hpp"
#include "attn/text.hpp"

namespace attn::bindings {

using emscripten::val;

// ---- answers --------------------------------------------------------------------------------

/// {ok: false, error: {code, param, message}}.
[[nodiscard]] val failure(const Error& error);

/// {ok: true}, to be filled.
[[nodiscard]] val success();

/// A copy in a typed array of JavaScript's own: slice() of a view on our memory.
template <class T>
[[nodiscard]] val copied(const T* data, std::size_t size) {
  return val(emscripten::typed_memory_view(size, data)).template call<val>("slice");
}

/// A mask as {data, shape, emptyRows}: bytes of 0 and 1, three sizes, flat indices of the rows that keep no key.
void set_mask(val& result, const Mask& mask);

[[nodiscard]] val copied_sizes(const std::vector<std::size_t>& sizes);

/// Flat indices batch * queries + query, as a Float64Array.
[[nodiscard]] val flat_rows(const std::vector<EmptyRow>& rows, std::size_t queries);

// ---- what a value is --------------------------------------------------------------------------

[[nodiscard]] bool is_type(const val& value, const char* type);          ///< as typeof says
[[nodiscard]] bool is_object(const val& value);                          ///< one with fields: not null, no array, no typed array
[[nodiscard]] bool is_instance(const val& value, const char* type);      ///< of a global class
[[nodiscard]] std::optional<std::size_t> array_length(const val& value);  ///< of an array or typed array; nothing for all else

/// A value in words, for messages: numbers, text and the like as they are, everything else by its kind.
[[nodiscard]] std::string shown(const val& value);

/// Text as it is; anything else in words, for the core to refuse by name.
[[nodiscard]] std::string text_of(const val& value);

// ---- checked arguments ------------------------------------------------------------------------

/// The error whose message is `param`, a space and `rest`.
[[nodiscard]] Error refusal(ErrorCode code, const std::string& param, const std::string& rest);

/// What the core says of a value that was to be text, and that text_of has made text: without its quotes, and as wrong_type.
[[nodiscard]] Error as_given(Error error, const val& value);

/// The core names parameters as C++ does; callers here know them as JavaScript does.
[[nodiscard]] Error renamed(Error error, std::initializer_list<std::pair<const char*, const char*>> names);

/// A number that is an integer in [least, most].
[[nodiscard]] Result<double> integer(const std::string& param, const val& value, double least, double most);

/// The sizes of a shape, each 0 to 2^32 - 1.
[[nodiscard]] Result<std::vector<std::size_t>> sizes(const std::string& param, const val& value);

/// The first key of an object that is not among `known`, as an error; nothing when all are known.
[[nodiscard]] std::optional<Error> unknown_option(const val& options, const std::vector<std::string>& known);

/// What an argument and the one that holds its shape are called, and what its axes are.
struct Named3 {
  std::string param;
  const char* axes = "(batch, queries, keys)";
  std::string shape_param = {};  ///< where it is an argument of its own
};

/// The sizes of data of three axes and of `size` bytes an element, when the data has as many values.
[[nodiscard]] Result<std::vector<std::size_t>> three_axes(const Named3& named, const val& data, const val& shape, std::size_t size);

/// Fills a tensor of three axes from a typed array, in one copy, after the size check.
template <class T>
[[nodiscard]] Result<Tensor<T, 3>> tensor3(const Named3& named, const val& data, const val& shape) {
  const auto checked = three_axes(named, data, shape, sizeof(T));
  if (!checked) return checked.error();
  const std::vector<std::size_t>& s = checked.value();
  auto tensor = Tensor<T, 3>::from_shape({s[0], s[1], s[2]});
  if (tensor.size() > 0) val(emscripten::typed_memory_view(tensor.size(), tensor.data())).template call<void>("set", data);
  return tensor;
}

/// Valid lengths from an array of integers and its shape: (batch), the default, or (batch, queries).
[[nodiscard]] Result<ValidLens> lens_of(const val& values, const val& shape, std::size_t keys);

/// A boolean mask from bytes: 0 is false, anything else is true.
[[nodiscard]] Result<Mask> mask_of(const Named3& named, const val& data, const val& shape);

}  // namespace attn::bindings

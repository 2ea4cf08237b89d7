// Errors as values. Every refusal of the core is an Error: a code for programs, the name of the argument
// at fault, and a sentence that names the entry and the allowed range. Nothing here throws.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace attn {

/// What kind of mistake an Error reports. The spelled form (`name`) is what the command line and JavaScript see.
enum class ErrorCode {
  unknown_study,
  unknown_parameter,
  unknown_choice,
  wrong_type,
  not_an_integer,
  out_of_range,
  wrong_shape,
  too_large,
  syntax,
  cancelled,
};

/// The code's name as users of any front end see it, for example "out_of_range".
[[nodiscard]] constexpr std::string_view name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::unknown_study: return "unknown_study";
    case ErrorCode::unknown_parameter: return "unknown_parameter";
    case ErrorCode::unknown_choice: return "unknown_choice";
    case ErrorCode::wrong_type: return "wrong_type";
    case ErrorCode::not_an_integer: return "not_an_integer";
    case ErrorCode::out_of_range: return "out_of_range";
    case ErrorCode::wrong_shape: return "wrong_shape";
    case ErrorCode::too_large: return "too_large";
    case ErrorCode::syntax: return "syntax";
    case ErrorCode::cancelled: return "cancelled";
  }
  return "unknown";
}

struct Error {
  ErrorCode code;
  std::string param;    ///< the argument or parameter at fault, as the caller spells it
  std::string message;  ///< one sentence: the entry, its value, the allowed range
  std::optional<std::size_t> at = std::nullopt;  ///< in text that was read: the character at fault, counted from 0
};

/// A value of type T or an Error. Ask `ok()` (or test it as a bool) before `value()`.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  [[nodiscard]] const T& value() const& noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] T& value() & noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  [[nodiscard]] const Error& error() const noexcept { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace attn

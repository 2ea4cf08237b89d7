// Numbers as text, the same on every target: the shortest decimal digits that read back to the same double.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "attn/error.hpp"

namespace attn {

/// Shortest digits that read back exactly: 0.1 is "0.1", 128 is "128". NaN is "NaN", infinities "Infinity" and "-Infinity".
[[nodiscard]] std::string number_text(double value);

/// A whole text as a decimal number ("128", "-2.5", "1e-3"), or nothing if it is anything else (blanks, "0x10", "nan", "12px").
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// `text` between double quotes, as messages show it: at most 40 bytes of it, then an ellipsis; escapes as in JSON, for all that cannot be seen.
[[nodiscard]] std::string quoted(std::string_view text);

/// `text` as a JSON string with its quotes.
[[nodiscard]] std::string json_text(std::string_view text);

/// A pattern with a whole number in the place of each '#', in order: ("# of #", {2, 3}) is "2 of 3".
[[nodiscard]] std::string sentence(std::string_view pattern, std::initializer_list<std::size_t> numbers);

/// An Error whose message is such a sentence.
[[nodiscard]] Error refusal(ErrorCode code, std::string_view param, std::string_view pattern, std::initializer_list<std::size_t> numbers);

}  // namespace attn

// Numbers as text for the modules without glue, where attn/text.hpp would bring the C library's conversions, a third of the module, for
// messages alone: the host writes and reads numbers. This object keeps the library's own text.cpp out; quotes are in text_quote.cpp.
#include "attn/text.hpp"

#include <cmath>

#include "bridge.hpp"

/// Writes a number's digits, at most 31 bytes, and says how many.
ATTN_HOST(number_text) std::size_t attn_host_number_text(double value, char* to);
/// The number that a text of digits means, or NaN.
ATTN_HOST(parse_number) double attn_host_parse_number(const char* text, std::size_t bytes);

namespace attn {

std::string number_text(double value) {
  char buffer[32];
  return std::string(buffer, attn_host_number_text(value, buffer));
}

std::optional<double> parse_number(std::string_view text) {
  const double value = attn_host_parse_number(text.data(), text.size());
  if (std::isnan(value)) return std::nullopt;
  return value;
}

}  // namespace attn

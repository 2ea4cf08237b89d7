// Numbers as text through the C library's exact conversions, tried from few digits to seventeen.
#include "attn/text.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace attn {

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  char buffer[40];
  // Whole numbers stay free of exponents up to 2^53.
  if (std::fabs(value) < 9007199254740992.0 && value == std::floor(value)) {
    std::snprintf(buffer, sizeof buffer, "%.0f", value);
    return buffer;
  }
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) break;
  }
  return buffer;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    const bool decimal = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
    if (!decimal) return std::nullopt;
  }
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return std::nullopt;
  return value;
}

}  // namespace attn

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

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::size_t kept = text.size();
  if (kept > longest) {
    kept = longest;
    // Not in the middle of a UTF-8 character: its later bytes are 10xxxxxx.
    while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0) == 0x80) --kept;
  }
  std::string out = "\"";
  out.append(text.substr(0, kept)).append(kept < text.size() ? "…\"" : "\"");
  return out;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace attn

// Text in quotes, for messages and for JSON. Apart from text.cpp, whose conversions of numbers not every module carries.
#include "attn/text.hpp"

namespace attn {

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
  constexpr const char* digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out.append("\\u00");
      out += digits[byte >> 4];
      out += digits[byte & 15];
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace attn

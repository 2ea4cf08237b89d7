// Text in quotes, for messages and for JSON: what cannot be seen is written as an escape, so that a message stays on its line, moves no cursor and turns no
// words around. Not a check that text is UTF-8: bytes that are none are copied. Apart from text.cpp, whose conversions of numbers not every module carries.
#include "attn/text.hpp"

namespace attn {
namespace {

/// Controls; and marks without width, among them those that turn the direction of what follows.
bool unseen(unsigned code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD || (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr const char* digits = "0123456789abcdef";
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
  const auto later = [&](std::size_t at) { return (byte(at) & 0xC0u) == 0x80u; };  // of a character of several bytes
  for (std::size_t at = 0, size = 1; at < text.size(); at += size) {
    unsigned code = byte(at);
    size = 1;
    if (code >= 0xE0 && code < 0xF0 && later(at + 1) && later(at + 2)) {
      code = (code & 0x0Fu) << 12 | (byte(at + 1) & 0x3Fu) << 6 | (byte(at + 2) & 0x3Fu);
      size = 3;
    } else if (code >= 0xC0 && code < 0xE0 && later(at + 1)) {
      code = (code & 0x1Fu) << 6 | (byte(at + 1) & 0x3Fu);
      size = 2;
    } else if (code >= 0x80) {
      code = 0xFFFD;  // longer, or none: as it is
    }
    if (code == '\n' || code == '\r' || code == '\t') {
      out += '\\';
      out += code == '\n' ? 'n' : code == '\r' ? 'r' : 't';
    } else if (unseen(code)) {
      out.append("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) out += digits[code >> shift & 15];
    } else {
      if (code == '"' || code == '\\') out += '\\';
      out.append(text.substr(at, size));
    }
  }
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::size_t kept = text.size();
  if (kept > longest) {
    kept = longest;
    // Not in the middle of a UTF-8 character: its later bytes are 10xxxxxx.
    while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0) == 0x80) --kept;
  }
  std::string out = "\"";
  append_escaped(out, text.substr(0, kept));
  return out.append(kept < text.size() ? "…\"" : "\"");
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text);
  return out += '"';
}

}  // namespace attn

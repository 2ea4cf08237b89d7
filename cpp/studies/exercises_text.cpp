// Answers as text: reading them, and writing them so that they read back. A number is a product or quotient of decimals and powers,
// "3/8", "-3.4e38", "6.55 x 10^4", "2^-2", "25%", an infinity or NaN. Nothing is evaluated beyond that.
#include <limits>

#include "attn/text.hpp"
#include "exercises.hpp"

namespace attn::studies {
namespace {

constexpr std::string_view param = "answer";
constexpr const char* number_forms = "a number such as 0.25, 1/4, 25%, 2.5e-1 or 2^-2";

Error refusal(ErrorCode code, std::string message) { return {code, std::string(param), std::move(message)}; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Signs as people and pages write them, in ASCII; letters small; blanks gone.
std::string plain(std::string_view text) {
  struct Sign {
    std::string_view from;
    std::string_view to;
  };
  constexpr Sign signs[] = {{"\u2212", "-"}, {"\u00d7", "*"}, {"\u00b7", "*"}, {"\u22c5", "*"}, {"\u221e", "inf"},
                            {"\u00a0", ""},  {"\u2009", ""},  {"\u202f", ""},  {"\u2044", "/"}};
  std::string out;
  while (!text.empty()) {
    bool found = false;
    for (const Sign& sign : signs) {
      if (!text.starts_with(sign.from)) continue;
      out += sign.to;
      text.remove_prefix(sign.from.size());
      found = true;
      break;
    }
    if (found) continue;
    const char c = text.front();
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    text.remove_prefix(1);
  }
  return out;
}

/// A decimal, or a decimal to a whole power from -1100 to 1100 by repeated multiplication: a power of two is exact.
std::optional<double> factor(std::string_view text) {
  const std::size_t caret = text.find('^');
  const auto base = parse_number(text.substr(0, caret));
  if (!base || caret == std::string_view::npos) return base;
  std::string_view exponent = text.substr(caret + 1);
  if (exponent.starts_with('(') && exponent.ends_with(')')) exponent = exponent.substr(1, exponent.size() - 2);
  const auto power = parse_number(exponent);
  if (!power || *power < -1100 || *power > 1100 || *power != static_cast<double>(static_cast<int>(*power))) return std::nullopt;
  const bool below = *power < 0;
  double value = 1;
  // -2^2 is -(2^2), as in print.
  const double magnitude = *base < 0 ? -*base : *base;
  for (int i = static_cast<int>(below ? -*power : *power); i > 0; --i) value *= magnitude;
  if (below) value = 1 / value;
  return *base < 0 ? -value : value;
}

std::optional<double> number(std::string_view given) {
  std::string text = plain(given);
  // the letter, as typed for the sign
  if (const std::size_t times = text.find("x10^"); times != std::string::npos) text[times] = '*';
  std::string_view rest = text;
  bool negative = false;
  if (rest.starts_with('-') || rest.starts_with('+')) {
    negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  if (rest == "inf" || rest == "infinity") return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (rest == "nan") return std::numeric_limits<double>::quiet_NaN();
  rest = text;
  const bool percent = rest.ends_with('%');
  if (percent) rest.remove_suffix(1);
  double value = 1;
  bool divide = false;
  while (true) {
    const std::size_t end = rest.find_first_of("*/");
    const auto next = factor(rest.substr(0, end));
    if (!next || (divide && *next == 0)) return std::nullopt;
    value = divide ? value / *next : value * *next;
    if (end == std::string_view::npos) break;
    divide = rest[end] == '/';
    rest.remove_prefix(end + 1);
  }
  return percent ? value / 100 : value;
}

std::string not_a_number(std::string_view where, std::string_view text) {
  std::string words(where);
  words.append(" is ").append(quoted(trimmed(text))).append("; give ").append(number_forms);
  if (text.find(',') != std::string_view::npos) words += ", with a point for decimals and nothing between thousands";
  return words;
}

/// Pieces between separators; at least one.
std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    pieces.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string choices_text(const Part& part) {
  std::string words;
  for (const Choice& choice : part.choices) {
    if (!words.empty()) words += &choice == &part.choices.back() ? " or " : ", ";
    words += choice.id;
  }
  return words;
}

Result<std::size_t> choice_named(const Part& part, std::string_view id) {
  for (std::size_t i = 0; i < part.choices.size(); ++i) {
    if (part.choices[i].id == id) return i;
  }
  std::string words = "answer is ";
  words.append(quoted(id)).append("; allowed are ").append(choices_text(part));
  if (part.kind == AnswerKind::several) words += ", several with commas, or none";
  return refusal(ErrorCode::unknown_choice, std::move(words));
}

Result<Answer> read_several(const Part& part, std::string_view text) {
  Answer answer(part.choices.size(), 0);
  if (text == "none") return answer;
  for (const std::string_view id : split(text, ",")) {
    const auto at = choice_named(part, id);
    if (!at) return at.error();
    answer[at.value()] = 1;
  }
  return answer;
}

Result<Answer> read_matrix(const Part& part, std::string_view text) {
  if (text.ends_with(';')) text.remove_suffix(1);
  const auto lines = split(text, ";\n");
  if (lines.size() != part.rows) {
    return refusal(ErrorCode::wrong_shape, std::string("answer has ").append(number_text(static_cast<double>(lines.size())))
                                               .append(lines.size() == 1 ? " row; it takes " : " rows; it takes ").append(number_text(static_cast<double>(part.rows))));
  }
  Answer answer;
  for (std::size_t r = 0; r < lines.size(); ++r) {
    std::vector<std::string_view> entries = split(lines[r], ",");
    if (part.cells && entries.size() == 1 && part.columns > 1) {
      entries.clear();
      for (std::size_t i = 0; i < lines[r].size(); ++i) entries.push_back(lines[r].substr(i, 1));
    }
    const std::string row = std::string("row ").append(number_text(static_cast<double>(r + part.first)));
    if (entries.size() != part.columns) {
      return refusal(ErrorCode::wrong_shape, std::string(row).append(" has ").append(number_text(static_cast<double>(entries.size())))
                                                 .append(entries.size() == 1 ? " entry; it takes " : " entries; it takes ").append(number_text(static_cast<double>(part.columns))));
    }
    for (std::size_t c = 0; c < entries.size(); ++c) {
      const std::string where = std::string(row).append(", column ").append(number_text(static_cast<double>(c + part.first)));
      const auto value = number(entries[c]);
      if (part.cells && (!value || (*value != 0 && *value != 1))) {
        return refusal(value ? ErrorCode::out_of_range : ErrorCode::wrong_type, std::string(where).append(" is ").append(quoted(entries[c])).append("; allowed are 0 and 1"));
      }
      if (!value) return refusal(ErrorCode::wrong_type, not_a_number(where, entries[c]));
      answer.push_back(*value);
    }
  }
  return answer;
}

}  // namespace

Result<Answer> read_answer(const Part& part, std::string_view given) {
  const std::string_view text = trimmed(given);
  switch (part.kind) {
    case AnswerKind::number:
      if (const auto value = number(text)) return Answer{*value};
      return refusal(ErrorCode::wrong_type, not_a_number("answer", text));
    case AnswerKind::choice: {
      const auto at = choice_named(part, text);
      if (!at) return at.error();
      return Answer{static_cast<double>(at.value())};
    }
    case AnswerKind::several: return read_several(part, text);
    case AnswerKind::matrix: return read_matrix(part, text);
  }
  return Answer{};
}

std::string answer_text(const Part& part, const Answer& answer) {
  std::string text;
  switch (part.kind) {
    case AnswerKind::number: return number_text(answer.front());
    case AnswerKind::choice: return std::string(part.choices[static_cast<std::size_t>(answer.front())].id);
    case AnswerKind::several:
      for (std::size_t i = 0; i < answer.size(); ++i) {
        if (answer[i] != 0) text.append(text.empty() ? "" : ",").append(part.choices[i].id);
      }
      return text.empty() ? "none" : text;
    case AnswerKind::matrix:
      for (std::size_t i = 0; i < answer.size(); ++i) {
        text.append(i == 0 ? "" : i % part.columns == 0 ? ";" : part.cells ? "" : ",").append(number_text(answer[i]));
      }
      return text;
  }
  return text;
}

}  // namespace attn::studies

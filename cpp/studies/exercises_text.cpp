// Answers as text: reading them, and writing them so that they read back. A number is a product or quotient of decimals and powers,
// "3/8", "-3.4e38", "6.55 x 10^4", "2^-2", "1/√2", "25%", an infinity or NaN. Nothing is evaluated beyond that.
#include <cmath>
#include <limits>

#include "attn/text.hpp"
#include "exercises.hpp"

namespace attn::studies {
namespace {

std::optional<Error> refusal(ErrorCode code, Sentence& sentence) { return Error{code, "answer", std::move(sentence.text())}; }

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes the piece before the next of two separators off the text; false when that was the last.
bool take(std::string_view& text, char one, char other, std::string_view& piece) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != one && text[end] != other) ++end;
  piece = trimmed(text.substr(0, end));
  const bool more = end < text.size();
  text.remove_prefix(more ? end + 1 : end);
  return more;
}

constexpr char root = '\1';  ///< stands for the sign of a square root

bool digit(char c) { return c >= '0' && c <= '9'; }

/// Whether the blank between these two divides no thousands: "1.68 10^7" is not 1.6810^7.
bool between_numbers(std::string_view before, std::string_view after) {
  std::size_t count = 0;
  while (count < after.size() && digit(after[count])) ++count;
  return !before.empty() && digit(before.back()) && count > 0 && count != 3;
}

/// Signs as people and pages write them, in ASCII; letters small; blanks as `space`, 0 for gone where they divide thousands or nothing. Thin ones
/// always go.
std::string plain(std::string_view text, char space = 0) {
  struct Sign {
    std::string_view from;
    char to;  ///< 0: nothing
  };
  // minus, times, two dots, no-break and thin spaces, the slash of fractions
  const Sign signs[] = {{"\u221a", root}, {"sqrt", root}, {"\u2212", '-'}, {"\u00d7", '*'}, {"\u00b7", '*'}, {"\u22c5", '*'}, {"\u00a0", ' '}, {"\u2009", 0}, {"\u202f", 0}, {"\u2044", '/'}};
  std::string out;
  while (!text.empty()) {
    std::size_t size = 1;
    char c = text.front();
    if (blank(c)) c = ' ';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    // the letter, as typed for the sign
    if (text.starts_with("x10^") || text.starts_with("x 10^")) c = '*';
    for (const Sign& sign : signs) {
      if (!text.starts_with(sign.from)) continue;
      size = sign.from.size();
      c = sign.to;
    }
    if (c == ' ') c = space == 0 && between_numbers(out, text.substr(size)) ? ' ' : space;
    // 2√3 is a product
    if (c == root && !out.empty() && (digit(out.back()) || out.back() == '.')) out += '*';
    if (c != 0) out += c;
    text.remove_prefix(size);
  }
  return out;
}

/// A decimal, or the square root of one: "√2", "sqrt(2)".
std::optional<double> base_number(std::string_view text) {
  const bool minus = text.starts_with('-');
  std::string_view square = text.substr(minus ? 1 : 0);
  if (!square.starts_with(root)) return parse_number(text);
  square.remove_prefix(1);
  if (square.starts_with('(') && square.ends_with(')')) square = square.substr(1, square.size() - 2);
  const auto value = parse_number(square);
  if (!value || !(*value >= 0)) return std::nullopt;
  return minus ? -std::sqrt(*value) : std::sqrt(*value);
}

/// A number or a root, or one to a whole power from -1100 to 1100 by repeated multiplication: a power of two is exact.
std::optional<double> factor(std::string_view text) {
  const std::size_t caret = text.find('^');
  const auto base = base_number(text.substr(0, caret));
  if (!base || caret == std::string_view::npos) return base;
  const auto power = parse_number(text.substr(caret + 1));
  if (!power || !(*power >= -1100 && *power <= 1100) || *power != static_cast<double>(static_cast<int>(*power))) return std::nullopt;
  double value = 1;
  // -2^2 is -(2^2), as in print.
  const double magnitude = *base < 0 ? -*base : *base;
  for (double i = *power < 0 ? -*power : *power; i > 0; --i) value *= magnitude;
  if (*power < 0) value = 1 / value;
  return *base < 0 ? -value : value;
}

/// A whole number and a proper fraction beside it, "16 3/8", which without the blank would be 163/8; nothing for anything else.
std::optional<double> mixed(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text = trimmed(text.substr(1));
  const std::size_t gap = text.find(' '), slash = text.find('/');
  if (gap == std::string_view::npos || slash == std::string_view::npos || slash < gap) return std::nullopt;
  double values[3];
  const std::string_view pieces[3] = {text.substr(0, gap), trimmed(text.substr(gap, slash - gap)), trimmed(text.substr(slash + 1))};
  for (std::size_t i = 0; i < 3; ++i) {
    values[i] = 0;
    if (pieces[i].empty() || pieces[i].size() > 9) return std::nullopt;
    for (const char c : pieces[i]) {
      if (!digit(c)) return std::nullopt;
      values[i] = 10 * values[i] + (c - '0');
    }
  }
  if (!(values[1] < values[2])) return std::nullopt;
  const double value = values[0] + values[1] / values[2];
  return minus ? -value : value;
}

std::optional<double> number(std::string_view given) {
  if (const auto value = mixed(trimmed(plain(given, ' ')))) return value;
  const std::string text = plain(given);
  std::string_view rest = text;
  double value = 1;
  if (rest.starts_with('-') || rest.starts_with('+')) {
    if (rest.front() == '-') value = -1;
    rest.remove_prefix(1);
  }
  if (rest == "inf" || rest == "infinity" || rest == "\u221e") return value * std::numeric_limits<double>::infinity();
  if (rest == "nan") return std::numeric_limits<double>::quiet_NaN();
  rest = text;
  value = 1;
  if (rest.ends_with('%')) {
    value = 100;
    rest.remove_suffix(1);
  }
  const double hundred = value;
  value = 1;
  bool divide = false;
  for (bool more = true; more;) {
    std::string_view piece;
    const std::string_view from = rest;
    more = take(rest, '*', '/', piece);
    const auto next = factor(piece);
    if (!next || (divide && *next == 0)) return std::nullopt;
    value = divide ? value / *next : value * *next;
    divide = more && from[from.size() - rest.size() - 1] == '/';
  }
  return value / hundred;
}

bool letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

/// What to do about the letters behind a number: of a unit, "8388608 bytes", or a sign that is not ours, "1e", "0x10", "3 x 4".
std::string_view about_letters(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && !letter(text[end])) ++end;
  if (end == text.size() || !number(trimmed(text.substr(0, end)))) return {};
  const char sign = static_cast<char>(text[end] | 0x20);
  if (sign == 'x' && text.starts_with('0') && end == 1) return ", in decimal digits";
  const bool alone = end + 1 == text.size() || !letter(text[end + 1]);
  if (alone && sign == 'e') return ", with a whole number behind the e";
  if (alone && sign == 'x') return ", with * for times";
  return ", and leave the unit out";
}

std::optional<Error> no_number(Sentence& sentence, std::string_view text) {
  sentence << " is " << quoted(text) << "; give a number such as 0.25, 1/4, 25%, 2.5e-1, 2^-2 or 1/√2";
  sentence << about_letters(text);
  const bool thousands = text.find('.') != text.rfind('.');  // 8.388.608
  if (thousands || text.find(',') != std::string_view::npos) sentence << ", with a point for decimals and nothing between thousands";
  return refusal(ErrorCode::wrong_type, sentence);
}

std::optional<Error> read_choices(const Part& part, std::string_view text, Answer& answer) {
  const bool several = part.kind == AnswerKind::several;
  if (several) answer.assign(part.choices.size(), 0);
  if (several && text == "none") return std::nullopt;
  for (bool more = true; more;) {
    std::string_view id = text;
    more = several && take(text, ',', ',', id);
    std::size_t at = 0;
    while (at < part.choices.size() && part.choices[at].id != id) ++at;
    if (at == part.choices.size()) {
      Sentence sentence;
      sentence << "answer is " << quoted(id) << "; allowed are ";
      for (const Choice& choice : part.choices) sentence << (&choice == &part.choices.front() ? "" : ", ") << choice.id;
      if (several) sentence << ", several with commas, or none";
      return refusal(ErrorCode::unknown_choice, sentence);
    }
    if (several) {
      answer[at] = 1;
    } else {
      answer.push_back(static_cast<double>(at));
    }
  }
  return std::nullopt;
}

/// "… has 2 rows; it takes 6".
std::optional<Error> wrong_count(Sentence& sentence, std::size_t found, std::string_view what, std::size_t wanted) {
  sentence << " has " << found << " " << what << (found == 1 ? "; it takes " : "s; it takes ") << wanted;
  return refusal(ErrorCode::wrong_shape, sentence);
}

std::optional<Error> read_row(const Part& part, std::size_t row, std::string_view line, Answer& answer) {
  const bool together = part.cells && line.size() > 1 && line.find(',') == std::string_view::npos;
  std::size_t column = 0;
  for (bool more = true; more; ++column) {
    std::string_view entry = line.substr(0, 1);
    if (together) {
      line.remove_prefix(1);
      more = !line.empty();
    } else {
      more = take(line, ',', ',', entry);
    }
    const auto value = number(entry);
    if (value && !(part.cells && *value != 0 && *value != 1)) {
      answer.push_back(*value);
      continue;
    }
    Sentence sentence;
    sentence << "row " << row + part.first << ", column " << column + part.first;
    if (!part.cells) return no_number(sentence, entry);
    sentence << " is " << quoted(entry) << "; allowed are 0 and 1";
    return refusal(value ? ErrorCode::out_of_range : ErrorCode::wrong_type, sentence);
  }
  if (column == part.columns) return std::nullopt;
  Sentence sentence;
  sentence << "row " << row + part.first;
  auto error = wrong_count(sentence, column, column == 1 ? "entry" : "entrie", part.columns);
  if (column > part.columns && !part.cells) error->message += ", with a point for decimals";
  return error;
}

std::optional<Error> read_matrix(const Part& part, std::string_view text, Answer& answer) {
  if (text.ends_with(';')) text.remove_suffix(1);
  std::size_t rows = 1;
  for (const char c : text) rows += c == ';' || c == '\n' ? 1 : 0;
  if (rows != part.rows) {
    Sentence sentence;
    sentence << "answer";
    return wrong_count(sentence, rows, "row", part.rows);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::string_view line;
    take(text, ';', '\n', line);
    if (auto error = read_row(part, row, line, answer)) return error;
  }
  return std::nullopt;
}

}  // namespace

Sentence& Sentence::operator<<(std::string_view words) {
  text_ += words;
  return *this;
}

Sentence& Sentence::operator<<(std::size_t number) { return *this << number_text(static_cast<double>(number)); }

std::optional<Error> read_answer(const Part& part, std::string_view given, Answer& answer) {
  const std::string_view text = trimmed(given);
  answer.clear();
  if (part.kind == AnswerKind::matrix) return read_matrix(part, text, answer);
  if (part.kind != AnswerKind::number) return read_choices(part, text, answer);
  if (const auto value = number(text)) {
    answer.push_back(*value);
    return std::nullopt;
  }
  Sentence sentence;
  sentence << "answer";
  return no_number(sentence, text);
}

double last_digit(std::string_view given, int& digits) {
  const std::string text = plain(given);
  double unit = 1;
  bool fraction = false;
  std::size_t i = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  digits = 0;
  for (; i < text.size() && text[i] != 'e'; ++i) {
    if (text[i] == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!digit(text[i])) return 0;
    if (digits > 0 || text[i] != '0') ++digits;
    if (fraction) unit /= 10;
  }
  if (i == text.size()) return unit;
  const auto power = parse_number(std::string_view(text).substr(i + 1));
  if (!power || !(*power >= -300 && *power <= 300)) return 0;
  for (double e = *power; e >= 1; --e) unit *= 10;
  for (double e = *power; e <= -1; ++e) unit /= 10;
  return unit;
}

std::string answer_text(const Part& part, const Answer& answer) {
  Sentence text;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const bool first = text.text().empty();
    if (part.kind == AnswerKind::choice) text << part.choices[static_cast<std::size_t>(answer[i])].id;
    if (part.kind == AnswerKind::several && answer[i] != 0) text << (first ? "" : ",") << part.choices[i].id;
    if (part.kind == AnswerKind::matrix) text << (first ? "" : i % part.columns == 0 ? ";" : part.cells ? "" : ",");
    if (part.kind == AnswerKind::matrix || part.kind == AnswerKind::number) text << number_text(answer[i]);
  }
  return text.text().empty() ? "none" : text.text();
}

}  // namespace attn::studies

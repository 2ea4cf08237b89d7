// Checking: the answer that was read against the one that the core computes, then against the mistakes that are known. See
// exercises.hpp. A number is right within half a unit of the last digit asked for, u/2, and close within 3u/2.
#include "exercises.hpp"

#include <cmath>

#include "attn/text.hpp"

namespace attn::studies {
namespace {

/// Room for the rounding of the reader's decimals and of our own product of tens.
constexpr double slack = 1 + 1e-9;

std::string whole(std::size_t number) { return number_text(static_cast<double>(number)); }

bool same(double given, double expected, double margin) {
  if (std::isnan(expected)) return std::isnan(given);
  if (std::isinf(expected) || std::isinf(given)) return given == expected;
  return std::fabs(given - expected) <= margin;
}

/// The unit of the last digit asked for; nothing is asked of an exact number, 0.
double unit_of(const Part& part, double expected) {
  double unit = 1;
  if (part.decimals >= 0) {
    for (int i = 0; i < part.decimals; ++i) unit /= 10;
    return unit;
  }
  if (part.digits < 0 || expected == 0 || !std::isfinite(expected)) return 0;
  const double size = std::fabs(expected);
  while (unit * 10 <= size) unit *= 10;
  while (unit > size) unit /= 10;
  for (int i = 1; i < part.digits; ++i) unit /= 10;
  return unit;
}

/// How far from `expected` an answer may lie: `halves` halves of a unit; of an exact number, what a double makes of a fraction.
double margin(const Part& part, double expected, int halves) {
  const double unit = unit_of(part, expected);
  return unit > 0 ? unit * halves / 2 * slack : 1e-12 * std::fabs(expected);
}

bool matches(const Part& part, const Answer& given, const Answer& expected) {
  bool all = given.size() == expected.size();
  for (std::size_t i = 0; all && i < given.size(); ++i) all = same(given[i], expected[i], margin(part, expected[i], 1));
  return all;
}

/// Which choices are taken, 1 or 0 each, whichever kind the part is.
bool taken(const Part& part, const Answer& answer, std::size_t choice) {
  return part.kind == AnswerKind::choice ? answer.front() == static_cast<double>(choice) : answer[choice] != 0;
}

std::string choice_words(const Part& part, const Answer& given, const Answer& expected) {
  std::string reason;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < part.choices.size(); ++i) {
    const bool took = taken(part, given, i);
    if (took == taken(part, expected, i) || (part.kind == AnswerKind::choice && !took)) continue;
    ++wrong;
    if (reason.empty()) reason = part.choices[i].wrong;
  }
  if (part.kind == AnswerKind::choice) return reason.empty() ? "That is not it." : reason;
  std::string words = wrong == 1 ? "One of them is not right." : whole(wrong) + " of them are not right.";
  if (!reason.empty()) words.append(" ").append(reason);
  return words;
}

std::string entry_words(const Part& part, std::size_t entry, double expected) {
  const std::string row = whole(entry / part.columns + part.first);
  const std::string column = whole(entry % part.columns + part.first);
  std::string words = std::string("row ").append(row);
  if (!part.cells) return words.append(", column ").append(column).append(" is not right");
  words.append(": ").append(part.row_name).append(" ").append(row).append(" ").append(expected != 0 ? part.one : part.zero);
  return words.append(" ").append(part.column_name).append(" ").append(column);
}

Verdict matrix_verdict(const Part& part, const Answer& given, const Answer& expected) {
  Verdict verdict;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!same(given[i], expected[i], margin(part, expected[i], 1))) verdict.entries.push_back(static_cast<std::uint32_t>(i));
  }
  verdict.words = entry_words(part, verdict.entries.front(), expected[verdict.entries.front()]);
  verdict.words[0] = 'R';
  const std::size_t more = verdict.entries.size() - 1;
  if (more > 0) verdict.words.append("; ").append(whole(more)).append(more == 1 ? " other entry is not right" : " other entries are not right");
  verdict.words += '.';
  return verdict;
}

}  // namespace

std::string_view name(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::right: return "right";
    case Outcome::close: return "close";
    case Outcome::wrong: return "wrong";
  }
  return "wrong";
}

Result<const Part*> find_part(std::span<const Exercise* const> exercises, std::string_view id) {
  std::string known;
  for (const Exercise* exercise : exercises) {
    for (const Part& part : exercise->parts) {
      if (part.id == id) return &part;
      known.append(known.empty() ? "" : ", ").append(part.id);
    }
  }
  return Error{ErrorCode::unknown_choice, "part", std::string("part is ").append(quoted(id)).append("; there are ").append(known)};
}

std::string exactness(const Part& part) {
  if (part.decimals == 0) return "a whole number";
  if (part.decimals > 0) return whole(static_cast<std::size_t>(part.decimals)) + (part.decimals == 1 ? " decimal" : " decimals");
  if (part.digits > 0) return whole(static_cast<std::size_t>(part.digits)) + (part.digits == 1 ? " significant digit" : " significant digits");
  return "exact";
}

Result<Verdict> check_answer(const Part& part, std::string_view text) {
  const auto read = read_answer(part, text);
  if (!read) return read.error();
  const Answer& given = read.value();
  const Answer expected = part.key();
  if (matches(part, given, expected)) return Verdict{Outcome::right, std::string(part.right)};
  for (const Slip& slip : part.slips) {
    if (!matches(part, given, slip.answer())) continue;
    Verdict verdict = part.kind == AnswerKind::matrix ? matrix_verdict(part, given, expected) : Verdict{};
    verdict.words = slip.words;
    return verdict;
  }
  switch (part.kind) {
    case AnswerKind::number:
      if (same(given.front(), expected.front(), margin(part, expected.front(), 3)) && (part.decimals >= 0 || part.digits > 0)) {
        return Verdict{Outcome::close, std::string("The last digit asked for is off by one. Wanted is the number rounded to ").append(exactness(part)).append(".")};
      }
      return Verdict{Outcome::wrong, "That is not the number."};
    case AnswerKind::choice:
    case AnswerKind::several: return Verdict{Outcome::wrong, choice_words(part, given, expected)};
    case AnswerKind::matrix: return matrix_verdict(part, given, expected);
  }
  return Verdict{};
}

}  // namespace attn::studies

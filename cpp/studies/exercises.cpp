// Checking: the answer that was read against the one that the core computes, then against the mistakes that are known. See
// exercises.hpp. A number is right within half a unit of the last digit asked for, u/2, and close within 3u/2
// or, where it is written with fewer digits, within half a unit of its own last one.
#include "exercises.hpp"

#include <cmath>

#include "attn/text.hpp"

namespace attn::studies {
namespace {

/// Room for the rounding of the reader's decimals and of our own product of tens.
constexpr double slack = 1 + 1e-9;

/// The unit of the last digit asked for; nothing is asked of an exact number, 0.
double unit_of(const Part& part, double expected) {
  double unit = 1;
  int places = part.decimals;
  if (places < 0) {
    if (part.digits < 0 || expected == 0 || !std::isfinite(expected)) return 0;
    const double size = std::fabs(expected);
    while (unit * 10 <= size) unit *= 10;
    while (unit > size) unit /= 10;
    places = part.digits - 1;
  }
  for (; places > 0; --places) unit /= 10;
  return unit;
}

/// Within `halves` halves of the unit; of an exact number, within what a double makes of a fraction.
bool near(const Part& part, double given, double expected, int halves) {
  if (std::isnan(expected)) return std::isnan(given);
  if (std::isinf(expected) || std::isinf(given)) return given == expected;
  const double unit = unit_of(part, expected);
  return std::fabs(given - expected) <= (unit > 0 ? unit * halves / 2 * slack : 1e-12 * std::fabs(expected));
}

/// Rounded rightly, to fewer digits than asked for, but to one at least: a zero says nothing of a number that is none.
bool coarse(const Part& part, std::string_view text, double given, double expected) {
  const double asked = unit_of(part, expected);
  int digits = 0;
  const double unit = asked > 0 ? last_digit(text, digits) : 0;
  return unit > asked * slack && std::fabs(given - expected) <= unit / 2 * slack && digits >= 1;
}

/// How many entries are not the expected ones, listed in `entries` when somebody asks.
std::size_t apart(const Part& part, const Answer& given, const Answer& expected, std::vector<std::size_t>* entries = nullptr) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (near(part, given[i], expected[i], 1)) continue;
    ++wrong;
    if (entries != nullptr) entries->push_back(i);
  }
  return wrong;
}

/// Each wrong choice has its reason; of several the first is told.
void say_choices(const Part& part, const Answer& given, const Answer& expected, Sentence& sentence) {
  if (part.kind == AnswerKind::choice) {
    const std::string_view reason = part.choices[static_cast<std::size_t>(given.front())].wrong;
    sentence << (reason.empty() ? "That is not it." : reason);
    return;
  }
  const std::size_t wrong = apart(part, given, expected);
  if (wrong == 1) {
    sentence << "One of them is not right.";
  } else {
    sentence << wrong << " of them are not right.";
  }
  std::size_t first = 0;
  while (given[first] == expected[first]) ++first;
  if (!part.choices[first].wrong.empty()) sentence << " " << part.choices[first].wrong;
}

void say_entries(const Part& part, const Answer& expected, const std::vector<std::size_t>& wrong, Sentence& sentence) {
  const std::size_t row = wrong.front() / part.columns + part.first;
  const std::size_t column = wrong.front() % part.columns + part.first;
  sentence << "Row " << row;
  if (!part.one.empty()) {
    sentence << ": " << part.row_name << " " << row << " " << (expected[wrong.front()] != 0 ? part.one : part.zero) << " " << part.column_name << " " << column;
  } else {
    sentence << ", column " << column << " is not right";
  }
  const std::size_t more = wrong.size() - 1;
  if (more > 0) sentence << "; " << more << (more == 1 ? " other entry is not right" : " other entries are not right");
  sentence << ".";
}

}  // namespace

std::string_view name(Outcome outcome) noexcept { return outcome == Outcome::right ? "right" : outcome == Outcome::close ? "close" : "wrong"; }

const Part* find_part(std::span<const Exercise* const> exercises, std::string_view id) {
  for (const Exercise* exercise : exercises) {
    for (const Part& part : exercise->parts) {
      if (part.id == id) return &part;
    }
  }
  return nullptr;
}

Error unknown_part(std::span<const Exercise* const> exercises, std::string_view id) {
  Sentence sentence;
  sentence << "part is " << quoted(id) << "; there are";
  for (const Exercise* exercise : exercises) {
    for (const Part& part : exercise->parts) sentence << " " << part.id;
  }
  return {ErrorCode::unknown_choice, "part", std::move(sentence.text())};
}

std::string exactness(const Part& part) {
  Sentence sentence;
  const int count = part.decimals >= 0 ? part.decimals : part.digits;
  if (count < 0) return "exact";
  if (count == 0) return "a whole number";
  sentence << static_cast<std::size_t>(count) << (part.decimals >= 0 ? " decimal" : " significant digit") << (count == 1 ? "" : "s");
  return std::move(sentence.text());
}

Result<Verdict> check_answer(const Part& part, std::string_view text) {
  Answer given;
  if (auto error = read_answer(part, text, given)) return std::move(*error);
  const Answer expected = part.key();
  Verdict verdict;
  if (apart(part, given, expected, &verdict.entries) == 0) {
    verdict.outcome = Outcome::right;
    verdict.words = part.right;
    return verdict;
  }
  if (part.kind != AnswerKind::matrix) verdict.entries.clear();
  for (const Slip& slip : part.slips) {
    if (apart(part, given, slip.answer()) > 0) continue;
    verdict.words = slip.words;
    return verdict;
  }
  Sentence sentence;
  if (part.kind == AnswerKind::matrix) {
    say_entries(part, expected, verdict.entries, sentence);
  } else if (part.kind != AnswerKind::number) {
    say_choices(part, given, expected, sentence);
  } else if (coarse(part, text, given.front(), expected.front())) {
    verdict.outcome = Outcome::close;
    sentence << "Right as far as it goes. Wanted is the number rounded to " << exactness(part) << ".";
  } else if (near(part, given.front(), expected.front(), 3)) {
    verdict.outcome = Outcome::close;
    sentence << "The last digit asked for is off by one. Wanted is the number rounded to " << exactness(part) << ".";
  } else {
    sentence << "That is not the number.";
  }
  verdict.words = std::move(sentence.text());
  return verdict;
}

}  // namespace attn::studies

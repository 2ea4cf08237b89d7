// Exercises on the command line: the list of questions, a line a part with what may be answered; and the verdict on one answer.
#include "exercise_command.hpp"

#include "attn/text.hpp"
#include "exercises.hpp"

namespace attn::tools {
namespace {

using namespace studies;

std::string number(std::size_t value) { return number_text(static_cast<double>(value)); }

/// What may be answered, in words.
std::string allowed(const Part& part) {
  std::string words;
  switch (part.kind) {
    case AnswerKind::number: words = exactness(part); break;
    case AnswerKind::matrix: words = number(part.rows).append(" x ").append(number(part.columns)).append(part.cells ? ", 0 or 1" : ""); break;
    case AnswerKind::choice: words = "one of"; break;
    case AnswerKind::several: words = "any of, or none"; break;
  }
  if (!part.unit.empty()) words.append(", in ").append(part.unit);
  for (const Choice& choice : part.choices) words.append("\n      ").append(choice.id).append(": ").append(choice.label);
  return words;
}

}  // namespace

int exercises_command(Words words) {
  const std::string format = take(words, "format", "text");
  if (!words.options.empty()) return fail("exercises has no option --" + words.options.front().first);
  if (!words.names.empty()) return fail("exercises takes no names");
  if (format == "json") {
    print(exercises_json(exercises()) + "\n");
  } else if (format == "text") {
    for (const Exercise* exercise : exercises()) {
      print(std::string("Exercise ").append(exercise->id).append(": ").append(exercise->title).append(" (").append(exercise->study).append(")\n"));
      for (const Part& part : exercise->parts) print(std::string("  ").append(part.id).append("  ").append(part.ask).append("\n    ").append(allowed(part)).append("\n"));
    }
  } else {
    return fail("--format is " + quoted(format) + "; allowed are text and json");
  }
  return 0;
}

int check_command(const Words& words) {
  if (!words.options.empty()) return fail("check has no option --" + words.options.front().first);
  if (words.names.size() != 2) return fail("check takes a part and an answer, as in: attn check 5.1a even; attn exercises lists the parts");
  const Part* part = find_part(exercises(), words.names[0]);
  if (part == nullptr) return fail(unknown_part(exercises(), words.names[0]));
  const auto verdict = check_answer(*part, words.names[1]);
  if (!verdict) return fail(verdict.error());
  print(std::string(name(verdict.value().outcome)).append(": ").append(verdict.value().words).append("\n"));
  return verdict.value().outcome == Outcome::right ? 0 : 1;
}

}  // namespace attn::tools

// The exercises for JavaScript: what is asked, as JSON, and the verdict on an answer, given as text. The module attn-exercises holds
// these two alone: a page loads it when a reader has an answer checked for the first time.
#include <emscripten/bind.h>

#include "exercises.hpp"
#include "values.hpp"

namespace attn::bindings {
namespace {

std::string exercises() { return studies::exercises_json(studies::exercises()); }

val check_answer(const val& id, const val& text) {
  const std::string name = text_of(id);
  const studies::Part* part = studies::find_part(studies::exercises(), name);
  if (part == nullptr) return failure(studies::unknown_part(studies::exercises(), name));
  if (!is_type(text, "string")) return failure(refusal(ErrorCode::wrong_type, "answer", "is " + shown(text) + "; give text"));
  const auto verdict = studies::check_answer(*part, text_of(text));
  if (!verdict) return failure(verdict.error());
  val result = success();
  result.set("part", name);
  result.set("outcome", std::string(studies::name(verdict.value().outcome)));
  result.set("words", verdict.value().words);
  result.set("entries", copied_sizes(verdict.value().entries));
  return result;
}

}  // namespace

EMSCRIPTEN_BINDINGS(exercises) {
  emscripten::function("exercises", &exercises);
  emscripten::function("checkAnswer", &check_answer);
}

}  // namespace attn::bindings

// The exercises for JavaScript: what is asked, and the verdict on an answer, given as text. Like the studies, every module holds
// these two; which exercises they know is the registry's business (cpp/studies/exercise_registry.cpp).
#include <emscripten/bind.h>

#include "exercises.hpp"
#include "values.hpp"

namespace attn::bindings {
namespace {

std::string exercises() { return studies::exercises_json(studies::exercises()); }

val check_answer(const val& id, const val& text) {
  const auto part = studies::find_part(studies::exercises(), text_of(id));
  if (!part) return failure(part.error());
  if (!is_type(text, "string")) return failure(refusal(ErrorCode::wrong_type, "answer", "is " + shown(text) + "; give text"));
  const auto verdict = studies::check_answer(*part.value(), text.as<std::string>());
  if (!verdict) return failure(verdict.error());
  val entries = val::array();
  for (std::size_t i = 0; i < verdict.value().entries.size(); ++i) entries.set(i, verdict.value().entries[i]);
  val result = success();
  result.set("part", std::string(part.value()->id));
  result.set("outcome", std::string(studies::name(verdict.value().outcome)));
  result.set("words", verdict.value().words);
  result.set("entries", entries);
  return result;
}

}  // namespace

EMSCRIPTEN_BINDINGS(exercises) {
  emscripten::function("exercises", &exercises);
  emscripten::function("checkAnswer", &check_answer);
}

}  // namespace attn::bindings

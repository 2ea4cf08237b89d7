// The exercises for JavaScript: what is asked, as JSON, and the verdict on an answer, given as text. The module attn-exercises holds
// these two alone: a page loads it when a reader has an answer checked for the first time.
#include <emscripten/bind.h>

#include "exercises.hpp"
#include "values.hpp"

namespace attn::bindings {
namespace {

std::string exercises() { return studies::exercises_json(studies::exercises()); }

/// core.js says in more words what was given instead of text: those of this module are downloaded.
val check_answer(const val& id, const val& text) {
  for (const auto& [param, value] : {std::pair("part", &id), std::pair("answer", &text)}) {
    if (!is_type(*value, "string")) return failure(refusal(ErrorCode::wrong_type, param, "is not text"));
  }
  const auto name = id.as<std::string>();
  const studies::Part* part = studies::find_part(studies::exercises(), name);
  if (part == nullptr) return failure(studies::unknown_part(studies::exercises(), name));
  const auto verdict = studies::check_answer(*part, text.as<std::string>());
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

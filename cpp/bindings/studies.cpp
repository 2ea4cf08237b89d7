// The studies for JavaScript: describe, run, repair. Every module holds these three; which studies they know is the registry's
// business (cpp/studies/registry.cpp), of which each module has its own.
#include <emscripten/bind.h>

#include <functional>
#include <string>

#include "studies.hpp"
#include "values.hpp"

namespace attn::bindings {
namespace {

/// The parameters of an object, in its order; undefined counts as absent.
Result<Given> given_of(const val& params) {
  Given given;
  if (params.isUndefined()) return given;
  if (!is_object(params)) return refusal(ErrorCode::wrong_type, "params", "is " + shown(params) + "; give an object of parameters");
  const val keys = val::global("Object").call<val>("keys", params);
  for (std::size_t i = 0; i < keys["length"].as<std::size_t>(); ++i) {
    const auto key = keys[i].as<std::string>();
    const val value = params[key];
    if (is_type(value, "number")) {
      given.emplace_back(key, value.as<double>());
    } else if (is_type(value, "boolean")) {
      given.emplace_back(key, value.as<bool>());
    } else if (is_type(value, "string")) {
      given.emplace_back(key, value.as<std::string>());
    } else if (!value.isUndefined()) {
      return refusal(ErrorCode::wrong_type, key, "is " + shown(value) + "; give a number, text or true or false");
    }
  }
  return given;
}

val params_value(const Params& params) {
  val out = val::object();
  for (const auto& [key, value] : params.entries()) {
    if (const double* number = std::get_if<double>(&value)) {
      out.set(key, *number);
    } else if (const bool* flag = std::get_if<bool>(&value)) {
      out.set(key, *flag);
    } else {
      out.set(key, *std::get_if<std::string>(&value));
    }
  }
  return out;
}

Result<const Study*> study_of(const val& id) {
  auto study = find_study(studies::registry(), text_of(id));
  if (!study) return as_given(study.error(), id);
  return study;
}

/// What runs keep for the next one, for as long as nobody else has it: `progress` may run a study of its own, whose run gets a workspace of its own.
class Lent {
 public:
  Lent() : first_(!taken) { taken = true; }
  ~Lent() {
    workspace().progress = nullptr;
    if (first_) taken = false;
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  [[nodiscard]] Workspace& workspace() { return first_ ? kept : own_; }

 private:
  static inline Workspace kept;  // speed only: a run is a pure function of its parameters
  static inline bool taken = false;
  Workspace own_;
  bool first_;
};

/// @param progress  a function told the share done, 0 to 1, while a long run goes on, which says whether to go on and throws nothing (core.js sees to
///                  that: no destructor would run); or undefined
val run(const val& id, const val& params, const val& progress) {
  Lent lent;
  Workspace& workspace = lent.workspace();
  if (is_type(progress, "function")) workspace.progress = [progress](double share) { return !progress(share).isFalse(); };
  const auto study = study_of(id);
  if (!study) return failure(study.error());
  const auto given = given_of(params);
  if (!given) return failure(given.error());
  const auto done = attn::run(*study.value(), given.value(), workspace);
  if (!done) return failure(done.error());
  val series = val::object();
  for (const Series& each : done.value().series) {
    val entry = val::object();
    entry.set("unit", each.unit);
    entry.set("shape", copied_sizes(each.shape));
    if (each.words.empty()) {
      entry.set("data", copied(each.data.data(), each.data.size()));
    } else {
      val words = val::array();
      for (std::size_t i = 0; i < each.words.size(); ++i) words.set(i, each.words[i]);
      entry.set("data", words);
    }
    series.set(each.name, entry);
  }
  val result = success();
  result.set("study", study.value()->id);
  result.set("params", params_value(done.value().params));
  result.set("series", series);
  result.set("code", done.value().code);
  return result;
}

val repair(const val& id, const val& params) {
  const auto study = study_of(id);
  if (!study) return failure(study.error());
  const auto given = given_of(params);
  if (!given) return failure(given.error());
  const auto repaired = attn::repair(*study.value(), given.value());
  val notices = val::array();
  for (std::size_t i = 0; i < repaired.notices.size(); ++i) {
    val notice = val::object();
    notice.set("param", repaired.notices[i].param);
    notice.set("message", repaired.notices[i].message);
    notices.set(i, notice);
  }
  val result = success();
  result.set("params", params_value(repaired.params));
  result.set("notices", notices);
  return result;
}

std::string describe() { return describe_json(studies::registry()); }

}  // namespace

EMSCRIPTEN_BINDINGS(studies) {
  emscripten::function("describe", &describe);
  emscripten::function("run", &run);
  emscripten::function("repair", &repair);
}

}  // namespace attn::bindings

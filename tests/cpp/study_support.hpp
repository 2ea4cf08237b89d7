// What tests of single studies share: a run by parameters, its series by name, and the message of a refusal.
#pragma once

#include <algorithm>
#include <string>

#include "attn/study.hpp"

namespace studies_support {

inline attn::Run run_of(const attn::Study& study, const attn::Given& given) {
  attn::Workspace workspace;
  return attn::run(study, given, workspace).value();
}

inline const attn::Series& series(const attn::Run& run, const std::string& name) {
  return *std::find_if(run.series.begin(), run.series.end(), [&](const attn::Series& each) { return each.name == name; });
}

inline double single(const attn::Run& run, const std::string& name) { return series(run, name).data.at(0); }

/// "code param | message" of the refusal, or "no error".
inline std::string refusal(const attn::Study& study, const attn::Given& given) {
  attn::Workspace workspace;
  const auto result = attn::run(study, given, workspace);
  if (result) return "no error";
  return std::string(attn::name(result.error().code)).append(" ").append(result.error().param).append(" | ").append(result.error().message);
}

}  // namespace studies_support

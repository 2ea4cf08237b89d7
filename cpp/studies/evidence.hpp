// Small words for the proofs of claims: a finding with its figures, and estimates held against bounds.
#pragma once

#include <cstdio>
#include <string>

#include "attn/study.hpp"

namespace attn::studies {

/// How a claim names its proof. The modules that pages download carry the sentences alone: there (ATTN_WITHOUT_PROOFS) it is
/// nullptr and the linker drops the function. Everywhere else the proof is one call away.
consteval Finding (*proof([[maybe_unused]] Finding (*prove)()))() {
#ifdef ATTN_WITHOUT_PROOFS
  return nullptr;
#else
  return prove;
#endif
}

/// A finding that starts true and collects its figures; the first failing check makes it false.
class Proof {
 public:
  /// Records `what` = `value` and requires it to lie in [low, high].
  void within(const std::string& what, double value, double low, double high) {
    require(value >= low && value <= high,
            what + " " + shown(value) + " in [" + shown(low) + ", " + shown(high) + "]");
  }
  void require(bool holds, const std::string& what) {
    finding_.holds = finding_.holds && holds;
    if (!holds || finding_.evidence.size() < 400) {
      finding_.evidence += (finding_.evidence.empty() ? "" : "; ") + std::string(holds ? "" : "NOT ") + what;
    }
  }
  [[nodiscard]] const Finding& finding() const { return finding_; }

 private:
  static std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
  }
  Finding finding_{true, ""};
};

}  // namespace attn::studies

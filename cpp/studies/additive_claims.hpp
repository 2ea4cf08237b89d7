// The claims of Additive scoring, with their proofs: of the weights in additive_claims.cpp, of counts and of the bilinear score in
// additive_cost_claims.cpp.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<Claim> additive_claims();
[[nodiscard]] std::vector<Claim> additive_cost_claims();

}  // namespace attn::studies

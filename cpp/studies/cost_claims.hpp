// The claims of The price of attention, with their proofs: of counts and bytes in cost_claims.cpp, of masks and tiles in
// cost_mask_claims.cpp.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<Claim> cost_claims();
[[nodiscard]] std::vector<Claim> cost_mask_claims();

}  // namespace attn::studies

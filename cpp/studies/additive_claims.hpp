// The claims of Additive scoring, with their proofs.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<Claim> additive_claims();

}  // namespace attn::studies

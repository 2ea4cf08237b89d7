// The claims of Sheets of masks, with their proofs.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<Claim> masks_claims();

}  // namespace attn::studies

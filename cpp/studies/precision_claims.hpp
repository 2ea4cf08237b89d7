// The claims of Number formats, with their proofs.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<Claim> precision_claims();

}  // namespace attn::studies

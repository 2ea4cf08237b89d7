// The claims of From kernels to dot products, with their proofs.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<Claim> kernels_claims();

}  // namespace attn::studies

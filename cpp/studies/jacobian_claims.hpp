// The claims of the softmax Jacobian, apart from the study so that its file stays short.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<Claim> jacobian_claims();

}  // namespace attn::studies

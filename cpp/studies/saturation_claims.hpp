// The sentences of One square root that state a fact, each with the property that proves it.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<Claim> saturation_claims();

}  // namespace attn::studies

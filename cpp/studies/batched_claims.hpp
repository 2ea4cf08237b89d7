// The sentences of Batched attention that state a fact, each with the property that proves it.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<Claim> batched_claims();

}  // namespace attn::studies

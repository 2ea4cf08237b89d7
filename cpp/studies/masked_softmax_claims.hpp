// The sentences of Masked softmax that state a fact, each with the property that proves it.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<Claim> masked_softmax_claims();

}  // namespace attn::studies

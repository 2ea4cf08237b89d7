// The lines of PyTorch or JAX that make the numbers of Additive scoring: text for the reader, never run here.
#pragma once

#include <string>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::string additive_code(const Params& params);

}  // namespace attn::studies

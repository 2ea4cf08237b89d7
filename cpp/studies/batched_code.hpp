// The batched study in PyTorch or JAX: the lines that make the same numbers.
#pragma once

#include <string>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::string batched_code(const Params& params);

}  // namespace attn::studies

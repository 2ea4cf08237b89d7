// The lines of PyTorch that count and time what The price of attention shows, for exercises 10 and 12.3 at the chosen sizes.
#pragma once

#include <string>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::string cost_code(const Params& params);

}  // namespace attn::studies

// attn mask: the cells of a mask expression, and what the mask tells.
#pragma once

#include "words.hpp"

namespace attn::tools {

/// The exit code: 0 done, 2 bad usage or bad input.
int mask_command(Words words);

}  // namespace attn::tools

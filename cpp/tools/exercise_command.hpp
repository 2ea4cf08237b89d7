// attn exercises: what the pages ask. attn check: an answer judged.
#pragma once

#include "words.hpp"

namespace attn::tools {

/// The exit code: 0 done, 2 bad usage.
int exercises_command(Words words);

/// The exit code: 0 the answer is right, 1 it is not, 2 bad usage or an answer that cannot be read.
int check_command(const Words& words);

}  // namespace attn::tools

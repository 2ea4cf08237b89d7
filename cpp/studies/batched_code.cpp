// See batched_code.hpp.
#include "batched_code.hpp"

namespace attn::studies {

std::string batched_code(const Params&) { return "import jax\n"; }

}  // namespace attn::studies

// Proofs of the claims of Batched attention.
#include "batched_claims.hpp"

namespace attn::studies {

std::vector<Claim> batched_claims() { return {}; }

}  // namespace attn::studies

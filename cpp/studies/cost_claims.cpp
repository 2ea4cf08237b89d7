// What the page of The price of attention states about operations and bytes.
#include "cost_claims.hpp"

#include "cost_counts.hpp"
#include "evidence.hpp"

namespace attn::studies {
namespace {

using namespace cost_counts;

Finding limit_64() {
  Proof proof;
  proof.require(materialised_limit(64, 64) == 16, "(64 + 64)/8 is 16");
  return proof.finding();
}

}  // namespace

std::vector<Claim> cost_claims() {
  return {{"limit-64", "At d = v = 64 the limit is 16 operations a byte.", proof(limit_64)}};
}

}  // namespace attn::studies

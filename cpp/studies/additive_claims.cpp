// What the page of Additive scoring states, proved by the core. See evidence.hpp.
#include "additive_claims.hpp"

#include "additive_model.hpp"
#include "evidence.hpp"

namespace attn::studies {
namespace {

using namespace additive_model;

Finding identity() {
  Proof proof;
  double most = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) most = std::max(most, row_difference(weights_of(draw({}, seed % 2 == 1, seed), 1, Activation::identity)));
  proof.within("largest difference of rows over 20 examples", most, 0, 1e-15);
  return proof.finding();
}

}  // namespace

std::vector<Claim> additive_claims() {
  return {
      {"identity", "Without the tanh every query has the same weights.", proof(identity)},
  };
}

}  // namespace attn::studies

// Additive scores in float32, as fast as the machine allows: score_ij = sum_h w_h tanh(q_ih + k_jh) of queries and keys that are
// projected already. Not the rule with its projections: that is Additive of score.hpp, which computes in double and is what the tests
// compare with (there with identities for projections).
// No hyperbolic tangent is taken per pair. An error is below 4e-7 sum_h |w_h| in size for any arguments, and where both |q_ih| and
// |k_jh| are at most 1/2 for all h also below 4e-7 sum_h |w_h| (|q_ih| + |k_jh|): tiny arguments keep their digits. How: kernels/fast_additive.hpp.
// Entries that are not finite mean what tanh, sum and product of them mean. Weights beyond 2^40 cost a hyperbolic tangent a pair, in double.
#pragma once

#include <optional>

#include "attn/error.hpp"
#include "attn/tensor.hpp"
#include "attn/view.hpp"

namespace attn {

/// @param queries  (batch, n, h)
/// @param keys     (batch, m, h)
/// @param w        (h)
/// @return (batch, n, m); zeros for h = 0
/// Errors: wrong_shape on "keys" or "w", naming both shapes and the axis; too_large.
[[nodiscard]] Result<Tensor<float, 3>> fast_additive_scores(const Tensor<float, 3>& queries, const Tensor<float, 3>& keys, const Tensor<float, 1>& w);

/// The same into memory of the caller's, which may overlap none of the others. Errors: as above, and wrong_shape on "output".
[[nodiscard]] std::optional<Error> fast_additive_scores_into(const View<const float, 3>& queries, const View<const float, 3>& keys, const View<const float, 1>& w,
                                                             const View<float, 3>& scores);

}  // namespace attn

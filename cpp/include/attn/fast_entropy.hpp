// Entropies of attention weights, as fast as the machine allows, for both forms of the score at once: of softmax(q . k) and of
// softmax(q . k / sqrt(d)) over all keys, in nats. Products and exponentials in float32, the sums of an entropy in double. Not the
// study of attention.hpp, which draws its own numbers and whose bits are the same on every machine.
// Queries with keys of their own are a batch of one query each.
#pragma once

#include <optional>

#include "attn/error.hpp"
#include "attn/tensor.hpp"
#include "attn/view.hpp"

namespace attn {

struct FastEntropies {
  Tensor<double, 2> scaled;    ///< (batch, n), nats
  Tensor<double, 2> unscaled;  ///< (batch, n), nats
};

/// @param queries  (batch, n, d)
/// @param keys     (batch, m, d)
/// No keys give 0, d = 0 gives ln m. NaN in a score gives NaN; infinite scores share all weight.
/// Errors: wrong_shape on "keys", naming both shapes and the axis; too_large.
[[nodiscard]] Result<FastEntropies> fast_entropies(const Tensor<float, 3>& queries, const Tensor<float, 3>& keys);

/// The same into memory of the caller's: batch * n numbers each.
[[nodiscard]] std::optional<Error> fast_entropies_into(const View<const float, 3>& queries, const View<const float, 3>& keys, double* scaled, double* unscaled);

}  // namespace attn

// The hidden layer of additive scoring written out, in float32: hidden_ij = tanh(q_i + k_j) for some queries and all keys, h numbers a pair. The direct
// way, which the cost of the other (fast_additive.hpp, where no pair has a hidden layer of its own) is measured against; nothing else needs it.
// An error is below 4e-7; NaN stays NaN. For every pair and unit one sum, one exponential and one division.
#pragma once

#include <cstddef>
#include <optional>

#include "attn/error.hpp"
#include "attn/view.hpp"

namespace attn {

/// @param queries  (n, h), projected already
/// @param keys     (m, h), likewise
/// @param first    the queries are first, first + 1, ..., as many as the output has rows for
/// @param output   (count, m, h), which overlaps none of the others
/// Errors: wrong_shape on "keys" or "output", out_of_range on "first".
[[nodiscard]] std::optional<Error> fast_additive_hidden_into(const View<const float, 2>& queries, const View<const float, 2>& keys, std::size_t first, const View<float, 3>& output);

}  // namespace attn

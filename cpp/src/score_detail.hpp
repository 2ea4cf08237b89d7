// What scores and their gradients share: the shape check of a rule, and what stands on the two sides of its inner product.
// Private to the library.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "attn/score.hpp"
#include "products.hpp"

namespace attn::detail {

/// The first misfit of a rule with queries and keys of these shapes, or nothing.
std::optional<Error> check_scores(const ScoreRule& rule, const std::array<std::size_t, 3>& queries,
                                  const std::array<std::size_t, 3>& keys);

/// What the inner product of a rule is divided by, for vectors of `width` entries: 1, sqrt(width) or sqrt(rank); 1 for none.
double divisor(const ScoreRule& rule, std::size_t width);

/// Rows divided by their lengths; a zero row stays zero. `lengths` gets one length a row; infinity where it overflows.
products::Batch unit_rows(const products::Batch& x, std::vector<double>& lengths);

/// The scores in double; shapes have been checked.
products::Batch double_scores(const ScoreRule& rule, const products::Batch& queries, const products::Batch& keys);

}  // namespace attn::detail

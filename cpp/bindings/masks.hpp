// Masked softmax under an expression or an additive bias, for the function that chooses among the routes.
#pragma once

#include "attn/mask_expr.hpp"
#include "values.hpp"

namespace attn::bindings {

/// An option that speaks of another one which is not given (a maskShape without mask), as an error.
[[nodiscard]] std::optional<Error> stray_option(const val& options);

/// A mask expression from the text of this argument.
[[nodiscard]] Result<MaskExpr> expression_of(const char* param, const val& text);

/// What the core says of "mask", which the caller gave as another argument.
[[nodiscard]] Error of_argument(const char* param, Error error);

/// True when the options ask for `expression` or `bias`.
[[nodiscard]] bool asks_for_expression_or_bias(const val& options);

/// Scores of three axes (batch, queries, keys) or four (batch, heads, queries, keys).
[[nodiscard]] val masked_softmax_under(const val& scores, const val& shape, const val& options);

}  // namespace attn::bindings

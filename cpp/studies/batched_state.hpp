// What the parameters of the batched study ask of one another: a sequence and a query that there are, lengths and tables of the sizes
// chosen, three whole sizes for each factor of the shape checker. Not the ranges of single parameters: those are declared.
#pragma once

#include <optional>
#include <vector>

#include "attn/study.hpp"

namespace attn::studies::batched_state {

/// The largest size that the shape checker takes.
inline constexpr double largest_size = 64;

[[nodiscard]] std::optional<Error> check(const Params& params);

/// Chosen sequence and query no further than there are, lengths fitted, of tables what still fits, the rest drawn.
void mend(Params& params, std::vector<Notice>& notices);

}  // namespace attn::studies::batched_state

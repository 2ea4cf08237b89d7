// Three self-attention layers over four positions, the last of which is padding that no query may see and that itself sees
// nothing. Once as plain arithmetic does it with excluded scores overwritten by -infinity, once by the core's meaning.
// Source: Dive into Deep Learning, section 10.2, exercise 5.3.
#pragma once

#include <array>

namespace attn::studies::precision_layers {

inline constexpr std::size_t positions = 4, width = 2, layers = 3;
using Values = std::array<std::array<double, width>, positions>;
using Weights = std::array<std::array<double, positions>, positions>;

struct Stages {
  std::array<Values, layers + 1> values;  ///< the input, then what each layer gives
  std::array<Weights, layers> weights;
};

/// Queries, keys and values are the positions' vectors; scores are divided by sqrt(width).
/// plain: excluded scores are -infinity, nothing is zeroed, outputs are sums over all keys, and 0 x NaN is NaN.
/// Otherwise: excluded keys weigh exactly zero, their values are not read, and a query without a key gives zeros.
[[nodiscard]] Stages run_layers(bool plain);

}  // namespace attn::studies::precision_layers

// The variance of the factored score s = (W_q q) . (W_k k) over random queries, keys and maps, for every rank up to 64 from the
// same draws: rank r uses the first r rows of the maps. Not the variance under one fixed pair of maps, which is the sum of the
// squared entries of W_q^T W_k and has the mean r over maps.
//   var s = r   for unit coordinates and entries of variance 1/d_q and 1/d_k; so 1/sqrt(r) stands in the place of 1/sqrt(d)
// Why r: each (W_q q)_j is a sum of d_q products of variance 1/d_q, hence 1, as is each (W_k k)_j; the two are independent with
// mean 0, so their product has variance 1, and products of different rows are uncorrelated.
// Source: Dive into Deep Learning, section 10.2, exercise 9.3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace attn::studies::additive_factored {

inline constexpr std::size_t most_ranks = 64;
inline constexpr std::size_t repeats = 1024;

struct Spread {
  double variance = 0;        ///< sample variance
  double standard_error = 0;  ///< of the variance, by the fourth moment
};

/// Entry r - 1 is rank r. Given q, the entries of W_q q are independent normals of variance |q|^2 / d_q, and so are those of W_k k
/// given k: they are drawn as such, the same law at a small part of the draws.
/// JAX: normals of split(fold_in(key(seed), 9), 4): queries, keys, then the 64 entries of each side. PyTorch: four calls of randn
/// after manual_seed(seed).
[[nodiscard]] std::array<Spread, most_ranks> spreads(std::size_t query_width, std::size_t key_width, bool torch, std::uint64_t seed);

}  // namespace attn::studies::additive_factored

// Threefry bits and standard normals for runs of consecutive elements: what attn::random::jax calls.
//
// Element i depends on (key, first + i) only. normal = float(sqrt 2) * erfinv(u) in float32.
// Not a distribution library: see attn/random/jax.hpp for the meaning of the numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attn/random/threefry.hpp"

namespace attn::kernels {

// out[i] = the exclusive or of the two words of threefry for counter first + i.
void threefry_bits(random::Key key, std::uint64_t first, std::uint32_t* out, std::size_t n);

// out[i] = the normal that bits[i] stands for; only the 23 high bits count.
void normals_from_bits(const std::uint32_t* bits, float* out, std::size_t n);

// The two in one, without a pass over memory in between.
void threefry_normals(random::Key key, std::uint64_t first, float* out, std::size_t n);

// The normal of 32 random bits written plainly, with std::fma and attn::math::log1p: what the fast forms must equal.
float normal_reference(std::uint32_t bits);

}  // namespace attn::kernels

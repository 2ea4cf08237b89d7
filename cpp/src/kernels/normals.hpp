// Threefry bits and standard normals for runs of consecutive elements: what attn::random::jax calls.
//
// Element i depends on (key, first + i) only. normal = float(sqrt 2) * erfinv(u) in float32.
// Not a distribution library: see attn/random/jax.hpp for the meaning of the numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attn/random/threefry.hpp"

namespace attn::kernels {

void threefry_bits(random::Key key, std::uint64_t first, std::uint32_t* out, std::size_t n);

// The normal that 32 random bits stand for, written plainly in scalar float32 with std::fma: the reference.
float normal_reference(std::uint32_t bits);

void threefry_normals(random::Key key, std::uint64_t first, float* out, std::size_t n);

}  // namespace attn::kernels

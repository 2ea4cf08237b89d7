// The two loops of MT19937 over its 624 words of state: the state transition and the tempering of words read.
//
// Not the generator, which counts the words read and is seeded: see attn/random/mt19937.hpp, also for the source.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attn::kernels {

// The next 624 words of state, in place.
void twist(std::uint32_t* state);

// out[i] = the word that state[i] gives when it is read.
void temper(const std::uint32_t* state, std::uint32_t* out, std::size_t n);

}  // namespace attn::kernels

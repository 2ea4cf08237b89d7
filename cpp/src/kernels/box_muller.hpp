// PyTorch's uniforms and block normals from words of the Mersenne Twister: what attn::random::torch calls.
//
// Only the low 24 bits of a word count, x = (word mod 2^24) / 2^24. Normals are made in blocks of 16: with x[j] and x[j + 8]
// for j < 8, r = sqrt(-2 ln(1 - x[j])) and t = 2 pi x[j + 8] give r cos t and r sin t in the places of the two; every step
// is a float. Not the generator itself, nor PyTorch's rule for counts that are no multiple of 16: see attn/random/torch.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attn::kernels {

constexpr std::size_t box_muller_block = 16;

// out[i] = x of words[i].
void uniforms_from_words(const std::uint32_t* words, float* out, std::size_t n);

// The normals of `blocks` blocks of 16 words.
void box_muller(const std::uint32_t* words, float* out, std::size_t blocks);

// The normals of one block written plainly, with attn::math's log, cos and sin: what the fast form must equal.
void box_muller_reference(const std::uint32_t* words, float* out);

}  // namespace attn::kernels

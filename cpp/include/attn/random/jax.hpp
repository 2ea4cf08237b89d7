// JAX's random keys and draws on the CPU: key, split, bits, uniform and normal of float32 arrays.
//
// Partitionable Threefry, JAX's default since 0.5: element i of a row-major array depends on the key and on i only, so
// every draw function takes the index of the first element and fills elements first, first + 1, ..., in any pieces.
// Not the older, non-partitionable layout of JAX, and no shapes: the caller owns the memory and knows what i means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "attn/random/threefry.hpp"

namespace attn::random::jax {

// The key of a seed: its high and low 32 bits. JAX without 64-bit types keeps the low 32 of a seed and has 0 above them.
constexpr Key key(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(seed)};
}

// n keys that may be used independently; key i is the pair of words threefry gives for counter i.
std::vector<Key> split(Key key, std::size_t n = 2);

// The key that belongs to `data` under `key`: threefry of the key that `data` would seed.
Key fold_in(Key key, std::uint32_t data);

// true with probability p: uniform(key) < p, element by element. p outside [0, 1] gives all false or all true.
void bernoulli(Key key, float p, std::uint64_t first, std::span<bool> out);

// 32 random bits an element: the exclusive or of the two words threefry gives for counter i.
void bits(Key key, std::uint64_t first, std::span<std::uint32_t> out);

// Uniform on [0, 1) in steps of 2^-23.
void uniform(Key key, std::uint64_t first, std::span<float> out);

// Standard normal: sqrt(2) erfinv(u), u uniform on (-1, 1), erfinv by Giles's polynomials in float32 with fused
// multiply-add, log1p rounded correctly. JAX's compiler XLA has its own float32 log1p, a rational function below
// sqrt(2) - 1 and log(1 + x) beyond, and its last bit depends on the release and the vector width. Verified are the two
// known answers in tests/cpp/random_test.cpp and every printed figure computed from draws; not verified is that the
// last bit of each draw is the one a given release of JAX would give.
void normal(Key key, std::uint64_t first, std::span<float> out);

}  // namespace attn::random::jax

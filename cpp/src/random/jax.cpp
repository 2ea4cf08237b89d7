// JAX's draws over the kernels; see attn/random/jax.hpp.
#include "attn/random/jax.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "../kernels/normals.hpp"

namespace attn::random::jax {

std::vector<Key> split(Key key, std::size_t n) {
  std::vector<Key> keys;
  keys.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t counter = i;
    const auto words =
        threefry2x32(key, {static_cast<std::uint32_t>(counter >> 32), static_cast<std::uint32_t>(counter)});
    keys.push_back({words[0], words[1]});
  }
  return keys;
}

Key fold_in(Key key_, std::uint32_t data) {
    const Key seeded = key(data);
    const auto words = threefry2x32(key_, {seeded.hi, seeded.lo});
    return {words[0], words[1]};
}

void bernoulli(Key key, float p, std::uint64_t first, std::span<bool> out) {
    std::array<float, 256> block;
    for (std::size_t done = 0; done < out.size(); done += block.size()) {
        const std::size_t count = std::min(block.size(), out.size() - done);
        uniform(key, first + done, std::span(block).first(count));
        for (std::size_t i = 0; i < count; ++i) out[done + i] = block[i] < p;
    }
}

void bits(Key key, std::uint64_t first, std::span<std::uint32_t> out) {
  kernels::threefry_bits(key, first, out.data(), out.size());
}

void uniform(Key key, std::uint64_t first, std::span<float> out) {
  std::array<std::uint32_t, 256> block;
  for (std::size_t done = 0; done < out.size(); done += block.size()) {
    const std::size_t count = std::min(block.size(), out.size() - done);
    kernels::threefry_bits(key, first + done, block.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      // 23 random bits as the fraction of a float in [1, 2).
      out[done + i] = std::bit_cast<float>((block[i] >> 9) | 0x3F800000u) - 1.0f;
    }
  }
}

void normal(Key key, std::uint64_t first, std::span<float> out) {
  kernels::threefry_normals(key, first, out.data(), out.size());
}

}  // namespace attn::random::jax

// Threefry-2x32 with 20 rounds: a counter-based random function, 64 bits of key and 64 bits of counter to 64 bits.
//
// Not a stateful engine and not a distribution: output depends on (key, counter) alone, so any element of a stream can
// be computed alone and in any order. Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011, section 4.1 and table 1 (rotation constants of the 2x32 variant).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace attn::random {

struct Key {
  std::uint32_t hi = 0;
  std::uint32_t lo = 0;
  friend constexpr bool operator==(const Key&, const Key&) = default;
};

inline constexpr std::array<int, 8> threefry_rotations{13, 15, 26, 6, 17, 29, 16, 24};
inline constexpr std::uint32_t threefry_parity = 0x1BD11BDA;

// (x0, x1) after 20 rounds; after every group of four rounds the key is injected again, with the group's number.
constexpr std::array<std::uint32_t, 2> threefry2x32(Key key, std::array<std::uint32_t, 2> counter) {
  const std::array<std::uint32_t, 3> schedule{key.hi, key.lo, key.hi ^ key.lo ^ threefry_parity};
  std::uint32_t x0 = counter[0] + schedule[0];
  std::uint32_t x1 = counter[1] + schedule[1];
  for (std::uint32_t group = 0; group < 5; ++group) {
    for (std::uint32_t round = 0; round < 4; ++round) {
      x0 += x1;
      x1 = std::rotl(x1, threefry_rotations[4 * (group % 2) + round]) ^ x0;
    }
    x0 += schedule[(group + 1) % 3];
    x1 += schedule[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

}  // namespace attn::random

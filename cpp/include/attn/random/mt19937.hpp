// The Mersenne Twister MT19937 of 32 bits: a generator with 624 words of state, read one word at a time.
//
// The same sequence as std::mt19937 of the same seed; written here because blocks of draws are made faster than one by one,
// and so that its state can be copied with a notebook's. Not a distribution: see torch.hpp for what PyTorch makes of the words.
// Source: Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998; initialisation of their 2002 revision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace attn::random {

class Mt19937 {
 public:
  static constexpr std::size_t words = 624;

  explicit Mt19937(std::uint32_t seed = 5489);

  /// The next 32 bits.
  std::uint32_t next() {
    if (used_ == words) refill();
    return tempered(state_[used_++]);
  }

  /// The next out.size() words, as that many calls of next() would give them, but many at a time.
  void fill(std::span<std::uint32_t> out);

  /// What a word of state gives when it is read.
  static constexpr std::uint32_t tempered(std::uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680U;
    y ^= (y << 15) & 0xEFC60000U;
    return y ^ (y >> 18);
  }

 private:
  void refill();
  std::array<std::uint32_t, words> state_;
  std::size_t used_ = words;
};

}  // namespace attn::random

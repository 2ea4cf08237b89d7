// Seeding of MT19937 and reading of many words at once. See mt19937.hpp.
#include "attn/random/mt19937.hpp"

#include <algorithm>

#include "../kernels/twister.hpp"

namespace attn::random {

Mt19937::Mt19937(std::uint32_t seed) {
  state_[0] = seed;
  for (std::uint32_t i = 1; i < words; ++i) state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
}

void Mt19937::refill() {
  kernels::twist(state_.data());
  used_ = 0;
}

void Mt19937::fill(std::span<std::uint32_t> out) {
  while (!out.empty()) {
    if (used_ == words) refill();
    const std::size_t count = std::min(words - used_, out.size());
    kernels::temper(state_.data() + used_, out.data(), count);
    used_ += count;
    out = out.subspan(count);
  }
}

}  // namespace attn::random

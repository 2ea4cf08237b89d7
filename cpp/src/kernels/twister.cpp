// MT19937's state transition and tempering; see twister.hpp.
//
// Plain loops over neighbours without a modulo or a branch, which compilers turn into vectors by themselves: word i needs
// words i + 1 and i + 397 of the old state, or word i - 227 of the new one, and no vector is that long.
#include "twister.hpp"

#include "attn/random/mt19937.hpp"

namespace attn::kernels {
namespace {

constexpr std::size_t words = random::Mt19937::words;
constexpr std::size_t middle = 397;

// The word that joins the top bit of `high` with the rest of `low`, twisted onto `far`.
inline std::uint32_t twisted(std::uint32_t high, std::uint32_t low, std::uint32_t far) {
  const std::uint32_t joined = (high & 0x80000000u) | (low & 0x7FFFFFFFu);
  return far ^ (joined >> 1) ^ ((0u - (low & 1u)) & 0x9908B0DFu);
}

}  // namespace

[[gnu::noinline]] void twist(std::uint32_t* state) {
  for (std::size_t i = 0; i < words - middle; ++i) state[i] = twisted(state[i], state[i + 1], state[i + middle]);
  for (std::size_t i = words - middle; i < words - 1; ++i) state[i] = twisted(state[i], state[i + 1], state[i + middle - words]);
  state[words - 1] = twisted(state[words - 1], state[0], state[middle - 1]);
}

[[gnu::noinline]] void temper(const std::uint32_t* state, std::uint32_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = random::Mt19937::tempered(state[i]);
}

}  // namespace attn::kernels

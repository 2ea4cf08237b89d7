// math::fma against the machine's own where it has one (or the C library's exact one natively), on random and near-midpoint
// operands, and by one hash on every target.
#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include "attn/math.hpp"
#include "support.hpp"

using namespace attn;

namespace {

/// Any finite float whose exponent lies in [low, low + span).
float random_float(support::Bits& bits, std::uint32_t low, std::uint32_t span) {
  const auto word = static_cast<std::uint32_t>(bits.next());
  return std::bit_cast<float>((word & 0x807FFFFFU) | ((low + static_cast<std::uint32_t>(bits.below(span))) << 23));
}

/// Operands whose exact result lies beside the middle of two floats: a product of full width and an addend far below or above.
std::array<float, 3> hard(support::Bits& bits) {
  const float a = random_float(bits, 100, 56);
  const float b = random_float(bits, 100, 56);
  if (bits.below(2) == 0) return {a, b, random_float(bits, 40, 170)};
  // Nearly cancelling: minus the rounded product, moved by some powers of two.
  return {a, b, -std::ldexp(a * b, static_cast<int>(bits.below(60)) - 30)};
}

}  // namespace

TEST_CASE("fma rounds once: the same bits on every target, and the machine's own natively", "[math][golden]") {
  support::Bits bits(61);
  support::Hash hash;
  for (int i = 0; i < 400000; ++i) {
    const auto [a, b, c] = hard(bits);
    const float ours = math::fma(a, b, c);
    hash.add(static_cast<double>(ours));
#ifndef __EMSCRIPTEN__
    REQUIRE(support::same(static_cast<double>(ours), static_cast<double>(std::fma(a, b, c))));
#endif
  }
  // 1 + 2^-24 is a midpoint of floats; 2^-80 above or below it decides, and two roundings would lose it.
  const float below = 0x1.000002p0F * 0x1p-24F;
  CHECK(math::fma(below, 0x1.fffffcp-1F, 1.0F) == 1.0F);
  CHECK(math::fma(0x1.000002p-12F, 0x1.000002p-12F, 1.0F) == 0x1.000002p0F);
  CHECK(std::isnan(math::fma(0.0F, std::numeric_limits<float>::infinity(), 1.0F)));
  CHECK(math::fma(1e30F, 1e30F, 1.0F) == std::numeric_limits<float>::infinity());
  CHECK(std::signbit(math::fma(-1.0F, 0.0F, -0.0F)));
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.value()));
  CHECK(std::string(text) == "fad51586d8b42546");
}

// Box and Muller's transformation; see box_muller.hpp.
//
// The vector form has its own logarithm, sine and cosine: in double, without a branch, for no other arguments than the
// 2^24 that occur, and off by a few 2^-53 where attn::math's are off by one. Rounded to float they are the same numbers:
// each depends on 24 random bits only, and tests/cpp/box_muller_test.cpp compares all 2^24 radii, cosines and sines,
// through box_muller itself, with box_muller_reference, bit for bit.
// Source: Box and Muller, "A note on the generation of random normal deviates", Ann. Math. Statist. 29 (1958).
#include "box_muller.hpp"

#include <bit>
#include <cmath>

#include "attn/math.hpp"
#include "lanes.hpp"

namespace attn::kernels {
namespace {

constexpr std::size_t half_block = box_muller_block / 2;
constexpr std::uint32_t low_24 = 0xFF'FFFFu;
constexpr float two_pi = 6.283185307179586476925286766559f;

inline float uniform(std::uint32_t word) { return static_cast<float>(word & low_24) * 0x1p-24f; }

}  // namespace

void box_muller_reference(const std::uint32_t* words, float* out) {
  for (std::size_t j = 0; j < half_block; ++j) {
    // 1 - x is exact: x is a multiple of 2^-24.
    const float radius = std::sqrt(-2.0f * math::log(1.0f - uniform(words[j])));
    const float angle = two_pi * uniform(words[j + half_block]);
    out[j] = radius * math::cos(angle);
    out[j + half_block] = radius * math::sin(angle);
  }
}

#ifdef ATTN_SCALAR

void uniforms_from_words(const std::uint32_t* words, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = uniform(words[i]);
}

void box_muller(const std::uint32_t* words, float* out, std::size_t blocks) {
  for (std::size_t b = 0; b < blocks; ++b) box_muller_reference(words + b * box_muller_block, out + b * box_muller_block);
}

#else

namespace {

constexpr std::size_t lanes = 4;

inline f32x4 uniforms(const std::uint32_t* words) { return to_float(as<i32x4>(load<u32x4>(words) & low_24)) * 0x1p-24f; }

// k ln 2 + log(1 + d), |d| < 0.42. log(1 + d) = 2 atanh s, s = d / (2 + d), as s (2 + s^2 q(s^2)) with q the minimax
// polynomial (Remez) of degree 5 for s^2 <= 0.02944, which leaves 2^-52.2.
inline f64x2 logarithm(f64x2 k, f64x2 d) {
  constexpr double ln_2 = 0x1.62e42fefa39efp-1;
  const f64x2 s = d / (2.0 + d);
  const f64x2 z = s * s;
  f64x2 q = z * 0x1.58759315a0883p-3 + 0x1.732c520d019ebp-3;
  q = q * z + 0x1.c72276984d33ap-3;
  q = q * z + 0x1.2492417a998c1p-2;
  q = q * z + 0x1.999999a28e93cp-2;
  q = q * z + 0x1.555555555397ap-1;
  return k * ln_2 + s * (q * z + 2.0);
}

// sqrt(-2 log y) for y = 1 - x, a positive multiple of 2^-24: y = 2^k (1 + d) with 1 + d in [sqrt(1/2), sqrt(2)), by the
// bits; d is exact.
inline f32x4 radius(f32x4 x) {
  constexpr std::uint32_t one = std::bit_cast<std::uint32_t>(1.0f);
  constexpr std::uint32_t sqrt_half = std::bit_cast<std::uint32_t>(0x1.6a09e6p-1f);
  const u32x4 bits = as<u32x4>(1.0f - x) + (one - sqrt_half);
  const f32x4 k = to_float(as<i32x4>(bits >> 23) - 127);
  const f32x4 d = as<f32x4>((bits & 0x007F'FFFFu) + sqrt_half) - 1.0f;
  return square_root(-2.0f * narrow(logarithm(widen_low(k), widen_low(d)), logarithm(widen_high(k), widen_high(d))));
}

struct CosSin {
  f64x2 cos;
  f64x2 sin;
};

// Cosine and sine of 0 <= t < 2 pi: t = n pi / 2 + r, |r| <= pi / 4, with pi / 2 in two parts of which the first has so few
// bits that t - n part_1 is exact for every float t; minimax polynomials (Remez) in r^2, which leave 2^-53.3 of the cosine
// and 2^-57.9 of the sine; then exchanged and negated by n.
inline CosSin cos_sin(f64x2 t) {
  constexpr double to_integer = 0x1.8p52;
  const f64x2 shifted = t * 0x1.45f306dc9c883p-1 + to_integer;
  const f64x2 n = shifted - to_integer;
  const f64x2 r = (t - n * 0x1.921fb5444p+0) - n * 0x1.68c234c4c6629p-39;
  const f64x2 z = r * r;
  f64x2 s = z * 0x1.5d8fd1c1aa4f6p-33 - 0x1.ae5e5a91ccfb4p-26;
  f64x2 c = z * 0x1.1bbe8de176f5ap-29 - 0x1.27e00b902e815p-22;
  s = s * z + 0x1.71de3567d39a7p-19;
  c = c * z + 0x1.a019fa5ffa776p-16;
  s = s * z - 0x1.a01a019bfdef3p-13;
  c = c * z - 0x1.6c16c1672110ap-10;
  s = s * z + 0x1.111111110f7d0p-7;
  c = c * z + 0x1.5555555552ddbp-5;
  s = s * z - 0x1.5555555555548p-3;
  s = r + (r * z) * s;
  c = (1.0 - 0.5 * z) + (z * z) * c;
  const u64x2 quadrant = as<u64x2>(shifted);
  const u64x2 odd = 0u - (quadrant & 1u);
  const u64x2 exchange = (as<u64x2>(s) ^ as<u64x2>(c)) & odd;
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return {as<f64x2>(as<u64x2>(c) ^ exchange ^ (((quadrant + 1u) << 62) & sign)),
          as<f64x2>(as<u64x2>(s) ^ exchange ^ ((quadrant << 62) & sign))};
}

// Two short sweeps, each a function of its own, over so few blocks that they stay in the first-level cache: see normals.cpp.
constexpr std::size_t sweep_blocks = 16;

[[gnu::noinline]] void radii(const std::uint32_t* words, float* out, std::size_t blocks) {
  for (std::size_t b = 0; b < blocks; ++b, words += box_muller_block, out += box_muller_block) {
    for (std::size_t j = 0; j < half_block; j += lanes) store(out + j, radius(uniforms(words + j)));
  }
}

// The radii in the first halves of the blocks become normals.
[[gnu::noinline]] void turn(const std::uint32_t* words, float* out, std::size_t blocks) {
  for (std::size_t b = 0; b < blocks; ++b, words += box_muller_block, out += box_muller_block) {
    for (std::size_t j = 0; j < half_block; j += lanes) {
      const f32x4 angle = two_pi * uniforms(words + j + half_block);
      const CosSin low = cos_sin(widen_low(angle));
      const CosSin high = cos_sin(widen_high(angle));
      const f32x4 r = load<f32x4>(out + j);
      store(out + j, r * narrow(low.cos, high.cos));
      store(out + j + half_block, r * narrow(low.sin, high.sin));
    }
  }
}

}  // namespace

[[gnu::noinline]] void uniforms_from_words(const std::uint32_t* words, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) store(out + i, uniforms(words + i));
  for (; i < n; ++i) out[i] = uniform(words[i]);
}

void box_muller(const std::uint32_t* words, float* out, std::size_t blocks) {
  for (std::size_t done = 0; done < blocks; done += sweep_blocks) {
    const std::size_t count = blocks - done < sweep_blocks ? blocks - done : sweep_blocks;
    radii(words + done * box_muller_block, out + done * box_muller_block, count);
    turn(words + done * box_muller_block, out + done * box_muller_block, count);
  }
}

#endif

}  // namespace attn::kernels

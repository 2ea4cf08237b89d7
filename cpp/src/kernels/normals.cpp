// Threefry bits and normals; see normals.hpp.
//
// The vector form replaces two things that would be slow in WebAssembly, and both replacements are exact for a reason
// that can be checked: a normal depends on 23 random bits only, and tests/cpp/kernels_test.cpp compares all 2^23 of
// them, bit for bit, with normal_reference, which uses neither.
// - The float fused multiply-add: the product of two floats is exact in double, the sum is rounded to double and then
// to
//   float. Rounding twice goes wrong only when the sum falls on the midpoint of two floats; on these inputs it never
//   does.
// - log1p in double, rounded to float: a shorter logarithm, 2^-45 off, which on these inputs never rounds to another
// float.
#include "normals.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "attn/math.hpp"
#include "lanes.hpp"

namespace attn::kernels {
namespace {

// Giles, "Approximating the erfinv function", GPU Computing Gems Jade Edition (2011), chapter 10, single precision.
// erfinv(u) = u p(x), p by Horner from the highest power down; with w = -log(1 - u^2), x = w - 2.5 and the central
// coefficients for w < 5, x = sqrt(w) - 3 and those of the tail beyond (one draw in 300).
constexpr std::size_t terms = 9;
constexpr std::array<float, terms> central{2.81022636e-08f,  3.43273939e-07f, -3.5233877e-06f,
                                           -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
                                           -0.00417768164f,  0.246640727f,    1.50140941f};
constexpr std::array<float, terms> tail{-0.000200214257f, 0.000100950558f, 0.00134934322f,
                                        -0.00367342844f,  0.00573950773f,  -0.0076224613f,
                                        0.00943887047f,   1.00167406f,     2.83297682f};
constexpr float tail_from = 5.0f;
constexpr float central_shift = 2.5f;
constexpr float sqrt_2 = 1.41421356f;

// u = 2 f + lowest, uniform on (-1, 1), with the 23 high bits as the fraction f; every step is exact. JAX also takes
// the maximum with `lowest`, the float after -1, which changes nothing as f >= 0.
constexpr float lowest = -0.99999994f;
inline float symmetric_uniform(std::uint32_t bits) {
  const float f = std::bit_cast<float>((bits >> 9) | 0x3F800000u) - 1.0f;
  return f * 2.0f + lowest;
}

template <class MultiplyAdd>
inline float normal_from_uniform(float u, MultiplyAdd multiply_add) {
  const float w = -math::log1p(-(u * u));
  const bool is_central = w < tail_from;
  const float x = is_central ? w - central_shift : std::sqrt(w) - 3.0f;
  const std::array<float, terms>& coefficients = is_central ? central : tail;
  float p = coefficients[0];
  for (std::size_t i = 1; i < terms; ++i) {
    p = multiply_add(p, x, coefficients[i]);
  }
  return sqrt_2 * (p * u);
}

// Stands in for the float fused multiply-add: see the top of the file.
inline float multiply_add_in_double(float a, float b, float c) {
  return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
}

}  // namespace

float normal_reference(std::uint32_t bits) {
  return normal_from_uniform(symmetric_uniform(bits), [](float a, float b, float c) { return std::fma(a, b, c); });
}

#ifdef ATTN_SCALAR

void threefry_bits(random::Key key, std::uint64_t first, std::uint32_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t counter = first + i;
    const auto words =
        random::threefry2x32(key, {static_cast<std::uint32_t>(counter >> 32), static_cast<std::uint32_t>(counter)});
    out[i] = words[0] ^ words[1];
  }
}

void normals_from_bits(const std::uint32_t* bits, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = normal_from_uniform(symmetric_uniform(bits[i]), multiply_add_in_double);
  }
}

void threefry_normals(random::Key key, std::uint64_t first, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t bits = 0;
    threefry_bits(key, first + i, &bits, 1);
    normals_from_bits(&bits, out + i, 1);
  }
}

#else

namespace {

// Blocks stay in the first-level cache and are swept several times with little work a sweep. One long sweep would be a
// chain of some hundred dependent operations a vector, of which a processor can overlap only two or three; short sweeps
// let it overlap dozens, and twice as many operations are done in a cycle. Every sweep is a function of its own that is
// never inlined: V8 starts each function in a slow baseline compiler and can only swap it when it is called again, so a
// loop inlined into a caller that runs once, the first time a page is shown, would stay slow to its end.
constexpr std::size_t lanes = 4;
constexpr std::size_t block_size = 256;

struct Block {
  std::array<std::uint32_t, block_size> x0;
  std::array<std::uint32_t, block_size> x1;
  std::array<float, block_size> u;
  std::array<float, block_size> w;
  std::array<float, block_size> p;
};

// One round: x0 += x1, x1 = rotate(x1) ^ x0.
template <int count>
inline void round(u32x4& x0, u32x4& x1) {
  x0 += x1;
  x1 = ((x1 << count) | (x1 >> (32 - count))) ^ x0;
}

// Four rounds and the key after them, for every counter of the block.
template <std::size_t group>
[[gnu::noinline]] void four_rounds(Block& block, const std::array<std::uint32_t, 3>& schedule) {
  constexpr std::size_t rotation = 4 * (group % 2);
  constexpr auto& rotations = random::threefry_rotations;
  const u32x4 key0 = splat(schedule[(group + 1) % 3]);
  const u32x4 key1 = splat(schedule[(group + 2) % 3] + static_cast<std::uint32_t>(group + 1));
  for (std::size_t i = 0; i < block_size; i += lanes) {
    u32x4 x0 = load<u32x4>(&block.x0[i]);
    u32x4 x1 = load<u32x4>(&block.x1[i]);
    round<rotations[rotation]>(x0, x1);
    round<rotations[rotation + 1]>(x0, x1);
    round<rotations[rotation + 2]>(x0, x1);
    round<rotations[rotation + 3]>(x0, x1);
    store(&block.x0[i], x0 + key0);
    store(&block.x1[i], x1 + key1);
  }
}

// The counters first, first + 1, ... with the key added.
[[gnu::noinline]] void first_keys(Block& block, const std::array<std::uint32_t, 3>& schedule, std::uint64_t first) {
  for (std::size_t i = 0; i < block_size; ++i) {
    const std::uint64_t counter = first + i;
    block.x0[i] = static_cast<std::uint32_t>(counter >> 32) + schedule[0];
    block.x1[i] = static_cast<std::uint32_t>(counter) + schedule[1];
  }
}

// Threefry of those counters: words x0 and x1.
void threefry_block(Block& block, random::Key key, std::uint64_t first) {
  const std::array<std::uint32_t, 3> schedule{key.hi, key.lo, key.hi ^ key.lo ^ random::threefry_parity};
  first_keys(block, schedule, first);
  four_rounds<0>(block, schedule);
  four_rounds<1>(block, schedule);
  four_rounds<2>(block, schedule);
  four_rounds<3>(block, schedule);
  four_rounds<4>(block, schedule);
}

// -log(1 - a) for the squares a of the uniforms. 1 - a = 2^-k f, f in [sqrt(1/2), sqrt(2)), by the bits; log f = 2
// atanh s, s = (f - 1) / (f + 1), as s (2 + s^2 q(s^2)) with q the minimax polynomial (Remez) of degree 4 for s^2 <=
// 0.02944, which leaves 2^-44.9. 1 - a is exact in double wherever the float -log(1 - a) - 2.5 depends on its last
// bits.
inline f64x2 negative_log(f64x2 a) {
  constexpr double sqrt_half = 0x1.6a09e667f3bcdp-1;
  constexpr double ln_2 = 0x1.62e42fefa39efp-1;
  constexpr std::uint64_t offset = std::bit_cast<std::uint64_t>(1.0) - std::bit_cast<std::uint64_t>(sqrt_half);
  constexpr std::uint64_t fraction = 0x000F'FFFF'FFFF'FFFFu;
  const u64x2 bits = as<u64x2>(1.0 - a) + offset;
  const f64x2 f = as<f64x2>((bits & fraction) + std::bit_cast<std::uint64_t>(sqrt_half));
  // The biased exponent in the low bits of 2^52 is that double plus the exponent.
  const f64x2 k = (0x1p52 + 1023.0) - as<f64x2>((bits >> 52) | std::bit_cast<std::uint64_t>(0x1p52));
  const f64x2 s = (1.0 - f) / (1.0 + f);
  const f64x2 z = s * s;
  f64x2 q = z * 0x1.9114e27174d8dp-3 + 0x1.c62b1f97f47b9p-3;
  q = q * z + 0x1.249411d0001d9p-2;
  q = q * z + 0x1.999996a98ac7bp-2;
  q = q * z + 0x1.555555561e2e0p-1;
  return k * ln_2 + s * (q * z + 2.0);
}

// To the nearest float, kept as a double; midpoints go away from zero, see the top of the file.
inline f64x2 round_to_float(f64x2 x) {
  return as<f64x2>((as<u64x2>(x) + std::uint64_t{0x1000'0000}) & ~std::uint64_t{0x1FFF'FFFF});
}

// Horner's steps with the coefficients first .. last - 1.
template <std::size_t first, std::size_t last>
[[gnu::noinline]] void horner(Block& block) {
  for (std::size_t i = 0; i < block_size; i += lanes) {
    const f32x4 x = load<f32x4>(&block.w[i]) - central_shift;
    const f32x4 p = first == 1 ? splat(central[0]) : load<f32x4>(&block.p[i]);
    const f64x2 x_low = widen_low(x);
    const f64x2 x_high = widen_high(x);
    f64x2 low = widen_low(p) * x_low + static_cast<double>(central[first]);
    f64x2 high = widen_high(p) * x_high + static_cast<double>(central[first]);
    for (std::size_t term = first + 1; term < last; ++term) {
      low = round_to_float(low) * x_low + static_cast<double>(central[term]);
      high = round_to_float(high) * x_high + static_cast<double>(central[term]);
    }
    store(&block.p[i], narrow(low, high));
  }
}

// The words x0 ^ x1 as uniforms u and logarithms w.
[[gnu::noinline]] void uniforms_and_logs(Block& block) {
  for (std::size_t i = 0; i < block_size; i += lanes) {
    const u32x4 bits = load<u32x4>(&block.x0[i]) ^ load<u32x4>(&block.x1[i]);
    const f32x4 u = (as<f32x4>((bits >> 9) | 0x3F800000u) - 1.0f) * 2.0f + lowest;
    const f32x4 square = u * u;
    store(&block.u[i], u);
    store(&block.w[i], narrow(negative_log(widen_low(square)), negative_log(widen_high(square))));
  }
}

// The polynomials p as normals; those of the tail are done again, one by one, with the coefficients they need.
[[gnu::noinline]] void scale_and_mend(Block& block) {
  const auto in_tail = [&](std::size_t i) { return load<f32x4>(&block.w[i]) >= tail_from; };
  for (std::size_t i = 0; i < block_size; i += lanes) {
    store(&block.p[i], sqrt_2 * (load<f32x4>(&block.p[i]) * load<f32x4>(&block.u[i])));
  }
  for (std::size_t i = 0; i < block_size; i += 4 * lanes) {
    if (any((in_tail(i) | in_tail(i + lanes)) | (in_tail(i + 2 * lanes) | in_tail(i + 3 * lanes)))) {
      for (std::size_t j = i; j < i + 4 * lanes; ++j) {
        if (block.w[j] >= tail_from) block.p[j] = normal_from_uniform(block.u[j], multiply_add_in_double);
      }
    }
  }
}

// The normals of the words x0 ^ x1, in p.
void normals_block(Block& block) {
  uniforms_and_logs(block);
  horner<1, 3>(block);
  horner<3, 5>(block);
  horner<5, 7>(block);
  horner<7, 9>(block);
  scale_and_mend(block);
}

}  // namespace

void threefry_bits(random::Key key, std::uint64_t first, std::uint32_t* out, std::size_t n) {
  Block block;
  for (std::size_t done = 0; done < n; done += block_size) {
    threefry_block(block, key, first + done);
    const std::size_t count = std::min(block_size, n - done);
    for (std::size_t i = 0; i < count; ++i) {
      out[done + i] = block.x0[i] ^ block.x1[i];
    }
  }
}

void normals_from_bits(const std::uint32_t* bits, float* out, std::size_t n) {
  Block block{};
  for (std::size_t done = 0; done < n; done += block_size) {
    const std::size_t count = std::min(block_size, n - done);
    std::copy_n(bits + done, count, block.x0.begin());
    normals_block(block);
    std::copy_n(block.p.begin(), count, out + done);
  }
}

void threefry_normals(random::Key key, std::uint64_t first, float* out, std::size_t n) {
  Block block;
  for (std::size_t done = 0; done < n; done += block_size) {
    threefry_block(block, key, first + done);
    normals_block(block);
    std::copy_n(block.p.begin(), std::min(block_size, n - done), out + done);
  }
}

#endif

}  // namespace attn::kernels

// The SIMD layer of the fast kernels: vectors of ATTN_LANES floats in the compiler's own vector types, and the few operations
// those lack: multiply-add, maximum, 2^x. Unlike lanes.hpp, whose results are the same on every machine, these are as fast as the
// machine allows: a multiply-add is fused where it can be, so results differ between machines in the last bits.
// One file a target includes this once and names the target first:
//   ATTN_LANES 4   SSE2, NEON, WebAssembly simd128, WebAssembly relaxed SIMD (a fused multiply-add where the processor has one)
//   ATTN_LANES 8   AVX2 with FMA
//   ATTN_LANES 16  AVX-512
// Everything is in an anonymous namespace: code of a wider target must never be merged into a narrower one.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Before a loop that is to stay one: unrolled, V8 keeps more vectors alive than there are registers, or the code only grows.
#if defined(__clang__)
#define ATTN_ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define ATTN_ROLLED
#endif

namespace attn::kernels {
namespace {

constexpr std::size_t lanes = ATTN_LANES;
using vf = float __attribute__((vector_size(4 * ATTN_LANES)));
using vi = std::int32_t __attribute__((vector_size(4 * ATTN_LANES)));

// True where the multiply-add is one rounding and one operation: then more accumulators fit the registers.
#if defined(__wasm_relaxed_simd__) || defined(__FMA__) || defined(__aarch64__)
constexpr bool fused = true;
#else
constexpr bool fused = false;
#endif

[[gnu::always_inline]] inline vf wide(const float* from) {
  vf v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
[[gnu::always_inline]] inline void put(float* to, vf v) { __builtin_memcpy(to, &v, sizeof v); }
// x - 0 is x, whatever x, and so no operation; 0 + x is one, for the sake of -0.
[[gnu::always_inline]] inline vf all(float x) { return x - vf{}; }
[[gnu::always_inline]] inline vi all(std::int32_t x) { return vi{} + x; }
[[gnu::always_inline]] inline vf bits(vi v) { return __builtin_bit_cast(vf, v); }
[[gnu::always_inline]] inline vi bits(vf v) { return __builtin_bit_cast(vi, v); }

// a * b + c.
[[gnu::always_inline]] inline vf madd(vf a, vf b, vf c) {
#if defined(__wasm_relaxed_simd__)
  return __builtin_bit_cast(vf, wasm_f32x4_relaxed_madd(__builtin_bit_cast(v128_t, a), __builtin_bit_cast(v128_t, b), __builtin_bit_cast(v128_t, c)));
#elif defined(__AVX512F__) && ATTN_LANES == 16
  return __builtin_bit_cast(vf, _mm512_fmadd_ps(__builtin_bit_cast(__m512, a), __builtin_bit_cast(__m512, b), __builtin_bit_cast(__m512, c)));
#elif defined(__FMA__) && ATTN_LANES == 8
  return __builtin_bit_cast(vf, _mm256_fmadd_ps(__builtin_bit_cast(__m256, a), __builtin_bit_cast(__m256, b), __builtin_bit_cast(__m256, c)));
#elif defined(__aarch64__)
  return __builtin_bit_cast(vf, vfmaq_f32(__builtin_bit_cast(float32x4_t, c), __builtin_bit_cast(float32x4_t, a), __builtin_bit_cast(float32x4_t, b)));
#else
  return a * b + c;
#endif
}

// The larger of the two; of numbers alone.
[[gnu::always_inline]] inline vf larger(vf a, vf b) {
#if defined(__wasm_simd128__)
  return __builtin_bit_cast(vf, wasm_f32x4_pmax(__builtin_bit_cast(v128_t, a), __builtin_bit_cast(v128_t, b)));
#elif defined(__AVX512F__) && ATTN_LANES == 16
  return __builtin_bit_cast(vf, _mm512_maskz_max_ps(__mmask16(-1), __builtin_bit_cast(__m512, a), __builtin_bit_cast(__m512, b)));
#elif defined(__AVX__) && ATTN_LANES == 8
  return __builtin_bit_cast(vf, _mm256_max_ps(__builtin_bit_cast(__m256, a), __builtin_bit_cast(__m256, b)));
#elif defined(__SSE2__)
  return __builtin_bit_cast(vf, _mm_max_ps(__builtin_bit_cast(__m128, a), __builtin_bit_cast(__m128, b)));
#elif defined(__aarch64__)
  return __builtin_bit_cast(vf, vmaxq_f32(__builtin_bit_cast(float32x4_t, a), __builtin_bit_cast(float32x4_t, b)));
#else
  return a < b ? b : a;
#endif
}

// The larger of the two, as signed words.
[[gnu::always_inline]] inline vi larger(vi a, vi b) {
#if defined(__wasm_simd128__)
  return __builtin_bit_cast(vi, wasm_i32x4_max(__builtin_bit_cast(v128_t, a), __builtin_bit_cast(v128_t, b)));
#else
  return a < b ? b : a;
#endif
}

// Numbers of exp2, in memory: V8 builds a constant anew in every turn of a loop, and a load is cheaper.
struct Exp2Numbers {
  float magic;       ///< 1.5 * 2^23, plus the bias of an exponent
  float polynomial[6];
  std::int32_t lowest;  ///< the bits of 1.5 * 2^23: the exponent of 0
};
constexpr Exp2Numbers exp2_numbers{12582912.0f + 127.0f, {0.00132647273f, 0.00967151299f, 0.0555073358f, 0.240222424f, 0.693147004f, 1.0f}, 0x4B400000};

// The numbers, where the compiler does not know them.
[[gnu::always_inline]] inline const Exp2Numbers* exp2_memory() {
  const Exp2Numbers* numbers = &exp2_numbers;
#if defined(__wasm__)
  asm("" : "+r"(numbers));
#endif
  return numbers;
}

// 2^(x - base) of several vectors, for a whole `base` up to 2^21 in size and x at most a little above it; 0 from -126.5 down. x is split at
// the nearest whole number by adding shift = magic - base, whose low bits then hold the exponent; 2^f by a polynomial of degree 5 on
// [-1/2, 1/2], off by 9e-8 in proportion, plus roundings. Step by step for all the vectors, each number loaded once.
template <std::size_t many>
[[gnu::always_inline]] inline void exp2(const Exp2Numbers* number, vf shift, vf (&x)[many]) {
  vf t[many];
  vf p[many];
  for (std::size_t u = 0; u < many; ++u) {
    t[u] = x[u] + shift;
    x[u] -= t[u] - shift;
  }
  const vf first = all(number->polynomial[0]);
  const vf second = all(number->polynomial[1]);
  for (std::size_t u = 0; u < many; ++u) p[u] = madd(first, x[u], second);
  for (std::size_t i = 2; i < 6; ++i) {
    const vf next = all(number->polynomial[i]);
    for (std::size_t u = 0; u < many; ++u) p[u] = madd(p[u], x[u], next);
  }
  // far below, t is anything and f small enough for p to be a number
  const vi lowest = all(number->lowest);
  for (std::size_t u = 0; u < many; ++u) x[u] = p[u] * bits(larger(bits(t[u]), lowest) << 23);
}
[[gnu::always_inline]] inline vf exp2(vf x) {
  const Exp2Numbers* const numbers = exp2_memory();
  vf one[1] = {x};
  exp2(numbers, all(numbers->magic), one);
  return one[0];
}

// The first `count` < lanes floats, and `rest` in the other lanes; and those lanes alone written.
[[gnu::always_inline]] inline vf part(const float* from, std::size_t count, float rest) {
  float room[lanes];
  put(room, all(rest));
  ATTN_ROLLED
  for (std::size_t i = 0; i < count; ++i) room[i] = from[i];
  return wide(room);
}
[[gnu::always_inline]] inline void put_part(float* to, vf v, std::size_t count) {
  float room[lanes];
  put(room, v);
  ATTN_ROLLED
  for (std::size_t i = 0; i < count; ++i) to[i] = room[i];
}

// The lower and the upper half of the lanes as doubles, exactly.
using vd = double __attribute__((vector_size(4 * ATTN_LANES)));
#if ATTN_LANES == 4
[[gnu::always_inline]] inline vd low(vf v) { return __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1), vd); }
[[gnu::always_inline]] inline vd high(vf v) { return __builtin_convertvector(__builtin_shufflevector(v, v, 2, 3), vd); }
#elif ATTN_LANES == 8
[[gnu::always_inline]] inline vd low(vf v) { return __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1, 2, 3), vd); }
[[gnu::always_inline]] inline vd high(vf v) { return __builtin_convertvector(__builtin_shufflevector(v, v, 4, 5, 6, 7), vd); }
#else
[[gnu::always_inline]] inline vd low(vf v) { return __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7), vd); }
[[gnu::always_inline]] inline vd high(vf v) { return __builtin_convertvector(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15), vd); }
#endif

[[gnu::always_inline]] inline vd larger(vd a, vd b) {
#if defined(__wasm_simd128__)
  return __builtin_bit_cast(vd, wasm_f64x2_pmax(__builtin_bit_cast(v128_t, a), __builtin_bit_cast(v128_t, b)));
#else
  return a < b ? b : a;
#endif
}

// a * b + c of doubles that hold floats: the product is exact, so one rounding or two are the same.
[[gnu::always_inline]] inline vd madd_exact(vd a, vd b, vd c) {
#if defined(__wasm_relaxed_simd__)
  return __builtin_bit_cast(vd, wasm_f64x2_relaxed_madd(__builtin_bit_cast(v128_t, a), __builtin_bit_cast(v128_t, b), __builtin_bit_cast(v128_t, c)));
#else
  return a * b + c;
#endif
}

// Whether a comparison held in any lane.
[[gnu::always_inline]] inline bool some_lane(vi comparison) {
#if defined(__wasm_simd128__)
  return wasm_v128_any_true(__builtin_bit_cast(v128_t, comparison));
#else
  using words = std::uint64_t __attribute__((vector_size(4 * ATTN_LANES)));
  const words pairs = __builtin_bit_cast(words, comparison);
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < lanes / 2; ++i) found |= pairs[i];
  return found != 0;
#endif
}

using quad = float __attribute__((vector_size(16)));

/// Four vectors of four as the columns of what they were the rows of.
[[gnu::always_inline]] inline void transpose(quad (&x)[4]) {
  const quad a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5), b = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
  const quad c = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5), d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  x[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

}  // namespace
}  // namespace attn::kernels

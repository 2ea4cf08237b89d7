// 128-bit vectors in the compiler's own vector types: four floats, four words, two doubles, two long words.
//
// + - * / & | ^ << >> work lane by lane and round as the scalar operations do, so a vector kernel gives the bits of its
// scalar twin on SSE2, NEON and WebAssembly's simd128 alike; where a target lacks SIMD the compiler splits the vectors.
// No fused multiply-add, no relaxed instruction, no approximate reciprocal: nothing here may differ between machines.
// GCC 12 and Clang 14 or newer. Not used when ATTN_SCALAR is defined: then every kernel runs its scalar form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#else
#include <cmath>
#endif

namespace attn::kernels {

using f32x4 = float __attribute__((vector_size(16)));
using f32x2 = float __attribute__((vector_size(8)));
using i32x4 = std::int32_t __attribute__((vector_size(16)));
using u32x4 = std::uint32_t __attribute__((vector_size(16)));
using f64x2 = double __attribute__((vector_size(16)));
using u64x2 = std::uint64_t __attribute__((vector_size(16)));

// Unaligned load and store.
template <class V, class T>
inline V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof(V));
  return v;
}
template <class V, class T>
inline void store(T* to, V v) {
  std::memcpy(to, &v, sizeof(V));
}

// The same bits as another vector type.
template <class To, class From>
inline To as(From v) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, v);
}

inline f32x4 splat(float x) { return f32x4{x, x, x, x}; }
inline u32x4 splat(std::uint32_t x) { return u32x4{x, x, x, x}; }

// Whether a comparison held in any lane.
template <class V>
inline bool any(V comparison) {
#ifdef __wasm_simd128__
  return wasm_v128_any_true(as<v128_t>(comparison));
#else
  const u64x2 halves = as<u64x2>(comparison);
  return (halves[0] | halves[1]) != 0;
#endif
}

// The integers as floats, exactly below 2^24. Signed: SSE2 has no other conversion.
inline f32x4 to_float(i32x4 v) { return __builtin_convertvector(v, f32x4); }

// Square roots, correctly rounded as std::sqrt: a call of that keeps compilers from vectorising, as it may set errno.
inline f32x4 square_root(f32x4 v) {
#if defined(__wasm_simd128__)
  return as<f32x4>(wasm_f32x4_sqrt(as<v128_t>(v)));
#elif defined(__SSE2__)
  return as<f32x4>(_mm_sqrt_ps(as<__m128>(v)));
#elif defined(__aarch64__)
  return as<f32x4>(vsqrtq_f32(as<float32x4_t>(v)));
#else
  return f32x4{std::sqrt(v[0]), std::sqrt(v[1]), std::sqrt(v[2]), std::sqrt(v[3])};
#endif
}

// Lanes 0, 1 and lanes 2, 3 as doubles, exactly.
inline f64x2 widen_low(f32x4 v) { return __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1), f64x2); }
inline f64x2 widen_high(f32x4 v) { return __builtin_convertvector(__builtin_shufflevector(v, v, 2, 3), f64x2); }

// Both rounded to float. LLVM's WebAssembly back end takes the portable form apart lane by lane, and the intrinsic too
// when only two of its lanes are used: hence the union, which uses the two zero lanes as well.
inline f32x4 narrow(f64x2 low, f64x2 high) {
#ifdef __wasm_simd128__
  const u64x2 a = as<u64x2>(wasm_f32x4_demote_f64x2_zero(as<v128_t>(low)));
  const u64x2 b = as<u64x2>(wasm_f32x4_demote_f64x2_zero(as<v128_t>(high)));
  return as<f32x4>(a | __builtin_shufflevector(b, b, 1, 0));
#else
  const f32x2 a = __builtin_convertvector(low, f32x2);
  const f32x2 b = __builtin_convertvector(high, f32x2);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3);
#endif
}

}  // namespace attn::kernels

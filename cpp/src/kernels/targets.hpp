// Which instruction sets there are to choose among: the name of the one that every build has, and how many wider ones run on this processor.
// For the two tables of kernels (fused_base.cpp, fast_base.cpp); the files of each wider one are compiled by build-scripts/cmake/targets.cmake.
#pragma once

#include <cstddef>

namespace attn::kernels {

#if defined(ATTN_SCALAR)
inline constexpr const char* base_target = "scalar";
#elif defined(__wasm_relaxed_simd__)
inline constexpr const char* base_target = "relaxed";
#elif defined(__wasm_simd128__)
inline constexpr const char* base_target = "simd128";
#elif defined(__x86_64__)
inline constexpr const char* base_target = "sse2";
#elif defined(__aarch64__)
inline constexpr const char* base_target = "neon";
#else
inline constexpr const char* base_target = "scalar";
#endif

/// Of AVX2 with FMA and AVX-512, in this order: the first so many run here.
inline std::size_t wider_targets() {
#if defined(__x86_64__) && !defined(ATTN_SCALAR)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return __builtin_cpu_supports("avx512f") ? 2 : 1;
#endif
  return 0;
}

}  // namespace attn::kernels

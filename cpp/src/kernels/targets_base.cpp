// The choice among instruction sets; see targets.hpp. One of the base files, since its name tells what these are compiled for.
#include "targets.hpp"

namespace attn::kernels {
namespace {

constexpr const char* names[] = {
#if defined(ATTN_SCALAR)
    "scalar",
#elif defined(__wasm_relaxed_simd__)
    "relaxed",
#elif defined(__wasm_simd128__)
    "simd128",
#elif defined(__x86_64__)
    "sse2", "avx2", "avx512",
#elif defined(__aarch64__)
    "neon",
#else
    "scalar",
#endif
};

constexpr std::size_t widest = static_cast<std::size_t>(-1);
std::size_t chosen = widest;

std::size_t count_targets() {
#if defined(__x86_64__) && !defined(ATTN_SCALAR)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
  return __builtin_cpu_supports("avx512f") ? 3 : 2;
#else
  return 1;
#endif
}

}  // namespace

std::size_t target_count() {
  static const std::size_t count = count_targets();
  return count;
}

std::size_t current_target() { return chosen < target_count() ? chosen : target_count() - 1; }

const char* target_name() { return names[current_target()]; }

void choose_target(std::size_t index) { chosen = index; }

}  // namespace attn::kernels

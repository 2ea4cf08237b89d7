// The fast kernels on the target that every build has, and the choice among targets; see fast.hpp.
#define ATTN_LANES 4
#include "fast_table.hpp"

namespace attn::kernels {

static_assert(columns == base_panel);

#if defined(ATTN_SCALAR)
const FastKernels fast_kernels_base = table_of("scalar");
#elif defined(__wasm_relaxed_simd__)
const FastKernels fast_kernels_base = table_of("relaxed");
#elif defined(__wasm_simd128__)
const FastKernels fast_kernels_base = table_of("simd128");
#elif defined(__x86_64__)
const FastKernels fast_kernels_base = table_of("sse2");
#elif defined(__aarch64__)
const FastKernels fast_kernels_base = table_of("neon");
#else
const FastKernels fast_kernels_base = table_of("scalar");
#endif

namespace {

const FastKernels* chosen = nullptr;

}  // namespace

std::span<const FastKernels* const> fast_targets() {
#if defined(__x86_64__) && !defined(ATTN_SCALAR)
  static const FastKernels* const all_of_them[] = {&fast_kernels_base, &fast_kernels_avx2, &fast_kernels_avx512};
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return std::span(all_of_them, 1);
  return std::span(all_of_them, __builtin_cpu_supports("avx512f") ? 3 : 2);
#else
  static const FastKernels* const only[] = {&fast_kernels_base};
  return only;
#endif
}

const FastKernels& fast_kernels() {
  static const FastKernels* const widest = fast_targets().back();
  return chosen != nullptr ? *chosen : *widest;
}

void use_fast_target(const FastKernels* target) { chosen = target; }

}  // namespace attn::kernels

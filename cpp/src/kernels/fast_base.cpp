// The fast kernels on the target that every build has, and the choice among targets; see fast.hpp.
#define ATTN_LANES 4
#include "fast_table.hpp"
#include "targets.hpp"

namespace attn::kernels {

static_assert(columns == base_panel);

const FastKernels fast_kernels_base = table_of(base_target);

namespace {

const FastKernels* chosen = nullptr;

}  // namespace

std::span<const FastKernels* const> fast_targets() {
  static const FastKernels* const all_of_them[] = {&fast_kernels_base,
#if defined(__x86_64__) && !defined(ATTN_SCALAR)
                                                   &fast_kernels_avx2, &fast_kernels_avx512,
#endif
  };
  return std::span(all_of_them, 1 + wider_targets());
}

const FastKernels& fast_kernels() {
  static const FastKernels* const widest = fast_targets().back();
  return chosen != nullptr ? *chosen : *widest;
}

void use_fast_target(const FastKernels* target) { chosen = target; }

}  // namespace attn::kernels

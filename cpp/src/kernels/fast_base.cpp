// The fast kernels on the target that every build has, and those that run here; see fast.hpp.
#define ATTN_LANES 4
#include "fast_table.hpp"
#include "targets.hpp"

namespace attn::kernels {

static_assert(panel == base_panel);

const FastKernels fast_kernels_base = fast_table;

const FastKernels& fast_kernels() {
  static const FastKernels* const tables[] = {&fast_kernels_base,
#if defined(__x86_64__) && !defined(ATTN_SCALAR)
                                              &fast_kernels_avx2, &fast_kernels_avx512,
#endif
  };
  return *tables[current_target()];
}

}  // namespace attn::kernels

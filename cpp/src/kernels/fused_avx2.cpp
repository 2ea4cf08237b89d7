// The kernels of fused attention with vectors of 8 floats; compiled for their own target (build-scripts/cmake/targets.cmake), called where the processor has it.
#if defined(__x86_64__) && !defined(ATTN_SCALAR)

#define ATTN_LANES 8
#include "fused_table.hpp"

namespace attn::kernels {

const FusedKernels fused_kernels_avx2 = fused_table;

}  // namespace attn::kernels

#endif

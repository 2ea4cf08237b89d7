// The kernels of fused attention with vectors of 16 floats; compiled for their own target (build-scripts/cmake/targets.cmake), called where the processor has it.
#if defined(__x86_64__) && !defined(ATTN_SCALAR)

#define ATTN_LANES 16
#include "fused_table.hpp"

namespace attn::kernels {

const FusedKernels fused_kernels_avx512 = fused_table;

}  // namespace attn::kernels

#endif

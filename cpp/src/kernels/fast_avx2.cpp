// The fast kernels with vectors of 8 floats; compiled for their own target (build-scripts/cmake/targets.cmake), called where the processor has it.
#if defined(__x86_64__) && !defined(ATTN_SCALAR)

#define ATTN_LANES 8
#include "fast_table.hpp"

namespace attn::kernels {

const FastKernels fast_kernels_avx2 = fast_table;

}  // namespace attn::kernels

#endif

// The fast kernels with vectors of 16 floats; compiled for their own target (build-scripts/cmake/targets.cmake), called where the processor has it.
#if defined(__x86_64__) && !defined(ATTN_SCALAR)

#define ATTN_LANES 16
#include "fast_table.hpp"

namespace attn::kernels {

const FastKernels fast_kernels_avx512 = fast_table;

}  // namespace attn::kernels

#endif

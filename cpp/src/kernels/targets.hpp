// Which instruction sets the kernels for speed can be run with here, and which one they are run with: one choice for all their tables (fused.hpp,
// fast.hpp), each of which has an entry a set: what every build has, then AVX2 with FMA, then AVX-512. The files of the wider ones are compiled by
// build-scripts/cmake/targets.cmake.
#pragma once

#include <cstddef>

namespace attn::kernels {

/// How many run on this processor; at least one.
[[nodiscard]] std::size_t target_count();

/// The one that runs: the widest, unless another was chosen.
[[nodiscard]] std::size_t current_target();

/// "scalar", "sse2", "avx2", "avx512", "neon", "simd128" or "relaxed".
[[nodiscard]] const char* target_name();

/// For tests: from now on the one of this index; the widest where there is none such.
void choose_target(std::size_t index);

}  // namespace attn::kernels

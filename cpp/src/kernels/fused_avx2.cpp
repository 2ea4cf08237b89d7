// fused_tile with vectors of 8 floats; compiled for its own target (build-scripts/cmake/targets.cmake), called where the processor has it.
#if defined(__x86_64__) && !defined(ATTN_SCALAR)

#define ATTN_LANES 8
#include "fused_gradient_tile.hpp"
#include "fused_weights_tile.hpp"

namespace attn::kernels {

void fused_tile_avx2(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  fused_tile_here(head, first, rows, mask, scratch, counts);
}

void weights_tile_avx2(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* weights, std::size_t stride, float* scratch, TileCounts& counts) {
  weights_tile_here(head, first, rows, mask, weights, stride, scratch, counts);
}

void gradient_tile_avx2(const GradientHead& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  gradient_tile_here(head, first, rows, mask, scratch, counts);
}

}  // namespace attn::kernels

#endif

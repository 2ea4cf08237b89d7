// The kernels of fused attention for one target as a table; included once by the file of each.
#pragma once

#include "fused_gradient_tile.hpp"
#include "fused_weights_tile.hpp"

namespace attn::kernels {
namespace {

constexpr FusedKernels fused_table{.tile = fused_tile_here, .weights = weights_tile_here, .gradient = gradient_tile_here};

}  // namespace
}  // namespace attn::kernels

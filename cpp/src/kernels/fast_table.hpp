// The kernels of one target as a table; included once by the file of each.
#pragma once

#include "fast.hpp"
#include "fast_additive.hpp"
#include "fast_product.hpp"
#include "fast_softmax.hpp"
#include "fast_spread.hpp"

namespace attn::kernels {
namespace {

constexpr FastKernels fast_table{.panel = panel, .softmax = softmax_row, .product = product_panel, .transpose = pack_panel, .additive_prepare = additive_prepare, .additive = additive_panel, .shift = shift_panel, .widen = widen, .exact = exact_panel, .spread = spread_panel};

}  // namespace
}  // namespace attn::kernels

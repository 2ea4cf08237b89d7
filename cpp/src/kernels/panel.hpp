// A panel for one target: two vectors of lanes, a row of some matrix in each lane, so that what is done to rows is done lane by lane. Its size,
// and the transposition that fills it. Included once a target.
#pragma once

#include "wide.hpp"

namespace attn::kernels {
namespace {

constexpr std::size_t panel = 2 * lanes;

/// to[i][r] = rows[r][i] * scale for `count` rows; 0 for those that are not there. Four rows of four floats at a time.
[[gnu::noinline]] void pack_panel(const float* rows, std::size_t stride, std::size_t count, std::size_t d, float scale, float* to) {
  for (std::size_t r = 0; r < panel; r += 4) {
    const std::size_t whole_width = r + 4 <= count ? d & ~std::size_t{3} : 0;
    for (std::size_t i = 0; i < whole_width; i += 4) {
      quad x[4];
      for (std::size_t k = 0; k < 4; ++k) __builtin_memcpy(&x[k], rows + (r + k) * stride + i, sizeof(quad));
      transpose(x);
      for (std::size_t k = 0; k < 4; ++k) {
        x[k] *= scale;
        __builtin_memcpy(to + (i + k) * panel + r, &x[k], sizeof(quad));
      }
    }
    for (std::size_t i = whole_width; i < d; ++i) {
      for (std::size_t k = r; k < r + 4; ++k) to[i * panel + k] = k < count ? rows[k * stride + i] * scale : 0.0f;
    }
  }
}

}  // namespace
}  // namespace attn::kernels

// A panel of columns of a matrix product for one target:
//   out[i][c] = sum_t a[i][t] b[t][c]
// Micro-tiles of 6 rows x 2 vectors with a fused multiply-add fill 15 registers; without one, 5 x 2. Terms in order of t from
// zero, so that a long sum may be cut into parts that err less; plain IEEE: 0 times NaN is NaN. Not the blocking of large matrices, which is fast_product.cpp's.
#pragma once

#include "panel.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

constexpr std::size_t product_height = fused ? 6 : 5;

template <std::size_t count>
[[gnu::always_inline]] inline void product_rows(const float* a, std::size_t a_stride, const float* b, std::size_t b_stride, std::size_t k, float* out, std::size_t out_stride, bool add) {
  vf sums[count][2] = {};
  ATTN_ROLLED
  for (std::size_t t = 0; t < k; ++t, b += b_stride) {
    const vf b0 = wide(b);
    const vf b1 = wide(b + lanes);
    for (std::size_t i = 0; i < count; ++i) {
      const vf x = all(a[i * a_stride + t]);
      sums[i][0] = madd(x, b0, sums[i][0]);
      sums[i][1] = madd(x, b1, sums[i][1]);
    }
  }
  for (std::size_t i = 0; i < count && add; ++i) {
    sums[i][0] += wide(out + i * out_stride);
    sums[i][1] += wide(out + i * out_stride + lanes);
  }
  for (std::size_t i = 0; i < count; ++i) {
    put(out + i * out_stride, sums[i][0]);
    put(out + i * out_stride + lanes, sums[i][1]);
  }
}

[[gnu::noinline]] void product_panel(const float* a, std::size_t a_stride, std::size_t rows, const float* b, std::size_t b_stride, std::size_t k, float* out, std::size_t out_stride, bool add) {
  std::size_t i = 0;
  for (; i + product_height <= rows; i += product_height) product_rows<product_height>(a + i * a_stride, a_stride, b, b_stride, k, out + i * out_stride, out_stride, add);
  for (; i + 2 <= rows; i += 2) product_rows<2>(a + i * a_stride, a_stride, b, b_stride, k, out + i * out_stride, out_stride, add);
  if (i < rows) product_rows<1>(a + i * a_stride, a_stride, b, b_stride, k, out + i * out_stride, out_stride, add);
}

}  // namespace
}  // namespace attn::kernels

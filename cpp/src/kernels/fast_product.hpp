// A panel of two vectors of columns of a matrix product for one target, and the transposition that makes such panels of rows:
//   out[i][c] = sum_t a[i][t] b[t][c]
// Micro-tiles of 6 rows x 2 vectors with a fused multiply-add fill 15 registers; without one, 5 x 2. Terms in order of t from
// zero, so that a long sum may be cut into parts that err less; plain IEEE: 0 times NaN is NaN. Not the blocking of large matrices, which is fast_product.cpp's.
#pragma once

#include "wide.hpp"

namespace attn::kernels {
namespace {

constexpr std::size_t columns = 2 * lanes;
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

/// Four rows of four floats at a time.
void transpose_panel(const float* from, std::size_t stride, std::size_t rows, std::size_t k, float factor, float* to) {
  using four = float __attribute__((vector_size(16)));
  const auto load = [](const float* at) {
    four v;
    __builtin_memcpy(&v, at, sizeof v);
    return v;
  };
  const auto store = [factor](float* at, four v) {
    v *= factor;
    __builtin_memcpy(at, &v, sizeof v);
  };
  const std::size_t whole_rows = rows / 4 * 4;
  const std::size_t whole_k = k / 4 * 4;
  for (std::size_t r = 0; r < whole_rows; r += 4) {
    const float* row = from + r * stride;
    ATTN_ROLLED
    for (std::size_t i = 0; i < whole_k; i += 4) {
      const four a = load(row + i);
      const four b = load(row + stride + i);
      const four c = load(row + 2 * stride + i);
      const four d = load(row + 3 * stride + i);
      const four ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
      const four ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      const four cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const four cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      float* at = to + i * columns + r;
      store(at, __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5));
      store(at + columns, __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7));
      store(at + 2 * columns, __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5));
      store(at + 3 * columns, __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7));
    }
  }
  for (std::size_t r = 0; r < columns; ++r) {
    ATTN_ROLLED
    for (std::size_t i = r < whole_rows ? whole_k : 0; i < k; ++i) to[i * columns + r] = r < rows ? from[r * stride + i] * factor : 0.0f;
  }
}

}  // namespace
}  // namespace attn::kernels

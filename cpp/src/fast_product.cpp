// Shapes and blocks of the fast matrix product; see attn/fast_product.hpp. Panels of two vectors of columns go to the kernel, B's where
// they stand, B^T's transposed into scratch, and what is left of the columns padded with zeros, so that a kernel never reads or writes
// beyond a matrix. Rows are taken in blocks that stay in the second cache with their part of k.
#include "attn/fast_product.hpp"

#include <algorithm>

#include "fast_calls.hpp"
#include "fast_shapes.hpp"
#include "kernels/fast.hpp"
#include "room.hpp"

namespace attn {
namespace {

constexpr std::size_t row_block = 192;
constexpr std::size_t depth_block = 512;

struct Sizes {
  std::size_t n, k, m;
};

struct Scratch {
  Room<float> panel, out;
};

void multiply(const kernels::FastKernels& fast, const Sizes& sizes, const float* a, const float* b, bool transpose_b, float* out, Scratch& scratch) {
  const auto [n, k, m] = sizes;
  for (std::size_t first_row = 0; first_row < n; first_row += row_block) {
    const std::size_t rows = std::min(row_block, n - first_row);
    for (std::size_t first = 0; first == 0 || first < k; first += depth_block) {
      const std::size_t depth = std::min(depth_block, k - first);
      for (std::size_t column = 0; column < m; column += fast.panel) {
        const std::size_t width = std::min(fast.panel, m - column);
        const float* from = b + first * m + column;
        std::size_t stride = m;
        if (transpose_b) {
          fast.transpose(b + column * k + first, k, width, depth, 1.0f, scratch.panel.data());
        } else if (width < fast.panel) {
          for (std::size_t t = 0; t < depth; ++t) {
            for (std::size_t c = 0; c < fast.panel; ++c) scratch.panel[t * fast.panel + c] = c < width ? from[t * m + c] : 0.0f;
          }
        }
        if (transpose_b || width < fast.panel) {
          from = scratch.panel.data();
          stride = fast.panel;
        }
        const float* left = a + first_row * k + first;
        float* to = out + first_row * m + column;
        if (width == fast.panel) {
          fast.product(left, k, rows, from, stride, depth, to, m, first > 0);
          continue;
        }
        fast.product(left, k, rows, from, stride, depth, scratch.out.data(), fast.panel, false);
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t c = 0; c < width; ++c) to[i * m + c] = (first > 0 ? to[i * m + c] : 0.0f) + scratch.out[i * fast.panel + c];
        }
      }
    }
  }
}

}  // namespace

std::optional<Error> calls::check_product(const Product& call) {
  const auto& a = call.a.shape;
  const auto& b = call.b.shape;
  const std::size_t shared = call.transpose_b ? 2 : 1;
  if (b[0] != a[0]) return misfit("b", b, "a", a, 0, a[0]);
  if (b[shared] != a[2]) return misfit("b", b, "a", a, shared, a[2]);
  return check_output(call.out.shape, std::array{a[0], a[1], b[3 - shared]});
}

void calls::run_product(const Product& call) {
  const Sizes sizes{call.a.shape[1], call.a.shape[2], call.out.shape[2]};
  if (call.out.size() == 0) return;
  const kernels::FastKernels& fast = kernels::fast_kernels();
  Scratch scratch;
  scratch.panel.reset(std::min(sizes.k, depth_block) * fast.panel);
  scratch.out.reset(std::min(sizes.n, row_block) * fast.panel);
  // one column would leave most of a panel empty: A b is (b^T A^T)^T, whose panels are rows of A; the same sums in the same order
  const bool turned = sizes.m == 1 && sizes.n > 1;
  const Sizes taken = turned ? Sizes{1, sizes.k, sizes.n} : sizes;
  for (std::size_t i = 0; i < call.a.shape[0]; ++i) {
    const float* const a = call.a.data + i * sizes.n * sizes.k;
    const float* const b = call.b.data + i * sizes.k * sizes.m;
    multiply(fast, taken, turned ? b : a, turned ? a : b, turned || call.transpose_b, call.out.data + i * sizes.n * sizes.m, scratch);
  }
}

std::optional<Error> fast_batch_matmul_into(const View<const float, 3>& a, const View<const float, 3>& b, bool transpose_b, const View<float, 3>& out) {
  const calls::Product call{a, b, transpose_b, out};
  if (auto error = check_product(call)) return error;
  run_product(call);
  return std::nullopt;
}

Result<Tensor<float, 3>> fast_batch_matmul(const Tensor<float, 3>& a, const Tensor<float, 3>& b, bool transpose_b) {
  const std::array<std::size_t, 3> shape{shape_of(a)[0], shape_of(a)[1], shape_of(b)[transpose_b ? 1 : 2]};
  if (const auto elements = checked_elements("output", shape, sizeof(float)); !elements) return elements.error();
  Tensor<float, 3> out = Tensor<float, 3>::from_shape(shape);
  if (auto error = fast_batch_matmul_into(view_of(a), view_of(b), transpose_b, view_of(out))) return *std::move(error);
  return out;
}

}  // namespace attn

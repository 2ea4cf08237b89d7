// Fast products against the double products of matmul.hpp: odd shapes in every dimension, B as it is and transposed, NaN and
// infinities as IEEE has them, blocks of more rows and terms than one, and guard words around the kernel's matrices.
#include "attn/fast_product.hpp"

#include <cmath>
#include <vector>

#include "attn/matmul.hpp"
#include "fast_support.hpp"

using namespace attn;
using support::infinity;
using support::not_a_number;

namespace {

/// The largest error of A B and of A B^T for the same B, in units of 2^-24 times the sum of the sizes of a row's terms.
double difference(const Tensor<float, 3>& a, const Tensor<float, 3>& b) {
  const auto [batch, n, k] = shape_of(a);
  const std::size_t m = shape_of(b)[2];
  const auto want = batch_matmul(support::widened(a), support::widened(b)).value();
  const auto plain = fast_batch_matmul(a, b).value();
  const Tensor<float, 3> turned = xt::transpose(b, {0, 2, 1});
  const auto transposed = fast_batch_matmul(a, turned, true).value();
  REQUIRE(shape_of(plain) == shape_of(want));
  REQUIRE(shape_of(transposed) == shape_of(want));
  double worst = 0;
  for (std::size_t e = 0; e < batch; ++e) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        double size = 1e-300;
        for (std::size_t t = 0; t < k; ++t) size += std::fabs(static_cast<double>(a(e, i, t)) * static_cast<double>(b(e, t, j)));
        for (const double have : {static_cast<double>(plain(e, i, j)), static_cast<double>(transposed(e, i, j))}) {
          const double wanted = want(e, i, j);
          if (std::isfinite(wanted)) {
            worst = std::max(worst, std::fabs(have - wanted) / size / 0x1p-24);
          } else {
            REQUIRE((std::isnan(wanted) ? std::isnan(have) : have == wanted));
          }
        }
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("fast products at odd shapes in every dimension", "[fast][fast_product]") {
  support::on_every_target([] {
    support::Bits bits(41);
    for (const std::size_t size : support::odd_sizes) {
      const std::size_t shapes[][3] = {{size, 7, 9}, {9, size, 17}, {5, 6, size}, {size, size, size}};
      for (const auto& [n, k, m] : shapes) {
        // a sum of k terms is off by k half units at the most, and half a unit for each product that is rounded by itself
        CHECK(difference(support::random_floats<3>(bits, {2, n, k}, 1), support::random_floats<3>(bits, {2, k, m}, 1)) < static_cast<double>(k) + 1);
      }
    }
    // more than one block of rows and of terms
    CHECK(difference(support::random_floats<3>(bits, {1, 197, 1030}, 1), support::random_floats<3>(bits, {1, 1030, 35}, 1)) < 100);
  });
}

TEST_CASE("fast products of NaN and infinities are IEEE's", "[fast][fast_product]") {
  support::on_every_target([] {
    support::Bits bits(42);
    for (int trial = 0; trial < 20; ++trial) {
      auto a = support::random_floats<3>(bits, {1, 5, 6}, 1), b = support::random_floats<3>(bits, {1, 6, 11}, 1);
      constexpr float odd[] = {not_a_number, infinity, -infinity, 0.0f};
      for (int i = 0; i < 3; ++i) {
        a.data()[bits.below(a.size())] = odd[bits.below(4)];
        b.data()[bits.below(b.size())] = odd[bits.below(4)];
      }
      CHECK(difference(a, b) < 7);
    }
  });
}

TEST_CASE("fast products of nothing, and shapes that do not fit", "[fast][fast_product]") {
  support::Bits bits(43);
  const auto tensor = [&](std::size_t x, std::size_t y, std::size_t z) { return support::random_floats<3>(bits, {x, y, z}, 1); };
  const auto zeros = fast_batch_matmul(tensor(2, 3, 0), tensor(2, 0, 4)).value();
  CHECK(shape_of(zeros) == std::array<std::size_t, 3>{2, 3, 4});
  for (const float entry : zeros) CHECK(entry == 0);
  const auto also = fast_batch_matmul(tensor(2, 3, 0), tensor(2, 4, 0), true).value();
  for (const float entry : also) CHECK(entry == 0);
  CHECK(fast_batch_matmul(tensor(0, 3, 2), tensor(0, 2, 4)).value().size() == 0);
  CHECK(fast_batch_matmul(tensor(1, 0, 2), tensor(1, 2, 4)).value().size() == 0);
  CHECK(fast_batch_matmul(tensor(1, 3, 2), tensor(1, 2, 0)).value().size() == 0);
  CHECK(fast_batch_matmul(tensor(2, 3, 4), tensor(2, 5, 6)).error().message == "b: shape (2, 5, 6) does not fit a of shape (2, 3, 4); axis 1 is 5, allowed is 4");
  CHECK(fast_batch_matmul(tensor(2, 3, 4), tensor(2, 4, 6), true).error().message == "b: shape (2, 4, 6) does not fit a of shape (2, 3, 4); axis 2 is 6, allowed is 4");
  CHECK(fast_batch_matmul(tensor(2, 3, 4), tensor(3, 4, 6)).error().param == "b");
  // an output beyond what one tensor may take is refused with its shape, before it is asked for
  const std::size_t many = std::size_t{1} << 18;
  CHECK(fast_batch_matmul(tensor(1, many, 0), tensor(1, 0, many)).error().code == ErrorCode::too_large);
}

TEST_CASE("the product kernels write their panels and nothing else", "[fast][fast_product]") {
  support::on_every_target([] {
    const kernels::FastKernels& fast = kernels::fast_kernels();
    constexpr float guard = 12345.5f;
    for (std::size_t rows = 1; rows < 15; ++rows) {
      constexpr std::size_t k = 3, gap = 2;
      const std::size_t stride = fast.panel + gap;
      std::vector<float> a(rows * (k + gap), not_a_number), b(k * stride, not_a_number), out((rows + 2) * stride, guard);
      for (std::size_t i = 0; i < rows; ++i) std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(i * (k + gap)), k, 1.0f);
      for (std::size_t t = 0; t < k; ++t) std::fill_n(b.begin() + static_cast<std::ptrdiff_t>(t * stride), fast.panel, 2.0f);
      fast.product(a.data(), k + gap, rows, b.data(), stride, k, out.data() + stride, stride, false);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool inside = i / stride >= 1 && i / stride <= rows && i % stride < fast.panel;
        REQUIRE(out[i] == (inside ? 6.0f : guard));
      }
      const std::size_t height = std::min(rows, fast.panel);
      std::vector<float> turned(k * fast.panel + 1, guard);
      fast.transpose(a.data(), k + gap, height, k, 0.5f, turned.data());
      for (std::size_t i = 0; i < k * fast.panel; ++i) REQUIRE(turned[i] == (i % fast.panel < height ? 0.5f : 0.0f));
      REQUIRE(turned.back() == guard);
    }
  });
}

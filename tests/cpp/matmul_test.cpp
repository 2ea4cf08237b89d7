// Batched matrix multiplication against a plain triple loop; the shape rule and its messages; empty sums.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "attn/matmul.hpp"
#include "layers_support.hpp"

using namespace attn;
using namespace layers;

TEMPLATE_TEST_CASE("products are those of a plain triple loop", "[matmul]", float, double) {
  support::Bits bits(101);
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t batch = 1 + bits.below(3), n = 1 + bits.below(5), inner = 1 + bits.below(20), m = 1 + bits.below(6);
    const auto a = support::random_scores<TestType>(bits, batch, n, inner, 2);
    const auto b = support::random_scores<TestType>(bits, batch, inner, m, 2);
    const auto product = batch_matmul(a, b).value();
    REQUIRE(shape_of(product) == Shape3{batch, n, m});
    for (std::size_t e = 0; e < batch; ++e) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < inner; ++k) sum += static_cast<double>(a(e, i, k)) * static_cast<double>(b(e, k, j));
          REQUIRE(product(e, i, j) == static_cast<TestType>(sum));  // the same order, one rounding
        }
      }
    }
  }
}

TEST_CASE("the shape rule is the frameworks'", "[matmul]") {
  const Tensor<float, 3> q = xt::ones<float>({2, 3, 4});
  const Tensor<float, 3> k = xt::ones<float>({2, 4, 6});
  const auto product = batch_matmul(q, k).value();
  CHECK(shape_of(product) == Shape3{2, 3, 6});
  CHECK(product == Tensor<float, 3>(xt::ones<float>({2, 3, 6}) * 4));
  CHECK(batch_matmul_shape({2, 3, 4}, {2, 4, 6}).value() == Shape3{2, 3, 6});
  CHECK(torch_bmm_message({2, 3, 4}, {2, 4, 6}).empty());
}

TEST_CASE("misfits name both shapes and the axis, and say what PyTorch says", "[matmul][errors]") {
  CHECK(complaint(batch_matmul_shape({2, 3, 4}, {2, 5, 6})) ==
        "wrong_shape b | b: shape (2, 5, 6) does not fit a of shape (2, 3, 4); axis 1 (rows) is 5, allowed is 4, axis 2 of a; "
        "PyTorch says: Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 5].");
  CHECK(complaint(batch_matmul_shape({2, 3, 4}, {3, 4, 6})) ==
        "wrong_shape b | b: shape (3, 4, 6) does not fit a of shape (2, 3, 4); axis 0 (batch) is 3, allowed is 2; "
        "PyTorch says: Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [3, 4].");
  CHECK(complaint(batch_matmul_shape({1, std::size_t{1} << 31, 0}, {1, 0, std::size_t{1} << 31})).starts_with("too_large product | "));
  CHECK(complaint(batch_matmul(Batch::from_shape({1, 2, 2}), Batch::from_shape({1, 3, 2}))).starts_with("wrong_shape b"));
}

TEST_CASE("empty sums are zero, empty batches empty, NaN is not hidden by 0", "[matmul]") {
  const auto zeros = batch_matmul(Batch::from_shape({2, 3, 0}), Batch::from_shape({2, 0, 2})).value();
  CHECK(shape_of(zeros) == Shape3{2, 3, 2});
  CHECK(all_plus_zero(zeros));
  CHECK(shape_of(batch_matmul(Batch::from_shape({0, 3, 4}), Batch::from_shape({0, 4, 2})).value()) == Shape3{0, 3, 2});
  CHECK(shape_of(batch_matmul(Batch::from_shape({2, 0, 4}), Batch::from_shape({2, 4, 2})).value()) == Shape3{2, 0, 2});
  CHECK(std::isnan(batch_matmul(batch_of(1, 1, 2, {1, 0}), batch_of(1, 2, 1, {1, not_a_number})).value()(0, 0, 0)));
}

// Masks by every route give the same weights, bit for bit: lengths, boolean tensor, expression, additive bias; lengths and cells
// read back; and the code for other libraries says what it should. (What that code computes is tested where Python runs.)
#include <catch2/catch_test_macros.hpp>

#include <limits>

#include "attn/mask_export.hpp"
#include "attn/softmax.hpp"
#include "mask_random.hpp"
#include "support.hpp"

using namespace attn;

namespace {

BoundMask bound(const std::string& text, MaskSizes sizes) { return BoundMask::make(parse_mask(text).value(), sizes).value(); }

template <class T>
Tensor<T, 4> random_scores4(support::Bits& bits, const MaskSizes& sizes) {
  Tensor<T, 4> scores = Tensor<T, 4>::from_shape({sizes.batch, sizes.heads, sizes.queries, sizes.keys});
  for (T& score : scores) score = static_cast<T>(bits.real(-6, 6));
  return scores;
}

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](auto x, auto y) { return support::same(static_cast<double>(x), static_cast<double>(y)); });
}

Mask three_axes(const Mask4& cells) {
  Mask mask = Mask::from_shape({cells.shape()[0], cells.shape()[2], cells.shape()[3]});
  std::copy(cells.begin(), cells.end(), mask.begin());
  return mask;
}

}  // namespace

TEST_CASE("expression, boolean tensor, lengths and additive bias give the same bits", "[mask_export]") {
  support::Bits bits(55);
  std::size_t empty = 0, by_lengths = 0;
  for (int round = 0; round < 400; ++round) {
    const MaskSizes sizes{1 + bits.below(3), 1, 1 + bits.below(7), 1 + bits.below(9)};
    const MaskExpr expr = support::random_expression(bits, sizes, bits.below(3));
    INFO(mask_text(expr));
    const auto mask = BoundMask::make(expr, sizes).value();
    const auto scores = support::random_scores<float>(bits, sizes.batch, sizes.queries, sizes.keys, 6);
    Tensor<float, 4> scores4 = Tensor<float, 4>::from_shape({sizes.batch, 1, sizes.queries, sizes.keys});
    std::copy(scores.begin(), scores.end(), scores4.begin());
    const auto by_expression = masked_softmax(scores, mask).value();
    CHECK(same_bits(masked_softmax(scores4, mask).value(), by_expression));
    const Mask4 cells = cells_of(mask).value();
    CHECK(same_bits(masked_softmax(scores, three_axes(cells)).value(), by_expression));
    for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
      for (const BiasFill fill : {BiasFill::lowest, BiasFill::infinity}) {
        CHECK(same_bits(masked_softmax(scores4, Bias{additive_bias(mask, dtype, fill).value(), dtype}).value(), by_expression));
      }
    }
    if (const auto lens = valid_lens_of(mask)) {
      ++by_lengths;
      if (lens.value().batch() == sizes.batch) CHECK(same_bits(masked_softmax(scores, lens.value()).value(), by_expression));
      CHECK(cells_of(BoundMask::make(MaskExpr::padding(lens.value()), sizes).value()).value() == cells);
    }
    for (std::size_t b = 0; b < sizes.batch; ++b) {
      for (std::size_t q = 0; q < sizes.queries; ++q) {
        double sum = 0;
        for (std::size_t k = 0; k < sizes.keys; ++k) {
          if (!mask.allows(b, 0, q, k)) CHECK(support::plus_zero(static_cast<double>(by_expression(b, q, k))));
          sum += static_cast<double>(by_expression(b, q, k));
        }
        empty += sum == 0;
      }
    }
  }
  CHECK(empty > 100);
  CHECK(by_lengths > 50);
}

TEST_CASE("heads have masks of their own", "[mask_export]") {
  support::Bits bits(4);
  const MaskSizes sizes{2, 3, 4, 5};
  const auto scores = random_scores4<double>(bits, sizes);
  const auto mask = BoundMask::make(support::random_expression(bits, sizes, 2) & parse_mask("rows(1/0/1)").value(), sizes).value();
  const auto weights = masked_softmax(scores, mask).value();
  const auto bias = masked_softmax(scores, Bias{additive_bias(mask, Dtype::float32).value()}).value();
  CHECK(same_bits(weights, bias));
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t q = 0; q < 4; ++q) {
      for (std::size_t k = 0; k < 5; ++k) CHECK(weights(b, 1, q, k) == 0);
    }
  }
}

TEST_CASE("a float mask of 0 and 1 is added, and sums of lowest values exclude", "[mask_export]") {
  Tensor<double, 4> scores = Tensor<double, 4>::from_shape({1, 1, 2, 2});
  std::fill(scores.begin(), scores.end(), 0.0);
  Bias bias{Tensor<float, 4>::from_shape({1, 1, 2, 2})};
  bias.values(0, 0, 0, 0) = 1, bias.values(0, 0, 0, 1) = 0, bias.values(0, 0, 1, 0) = 1, bias.values(0, 0, 1, 1) = 1;
  const auto added = masked_softmax(scores, bias).value();
  CHECK(std::fabs(added(0, 0, 0, 0) - 0.7310585786300049) < 1e-15);
  CHECK(added(0, 0, 1, 0) == 0.5);
  const float low = std::numeric_limits<float>::lowest();
  for (float& value : bias.values) value = low;
  bias.values(0, 0, 0, 1) = low + low;
  bias.values(0, 0, 1, 1) = std::nextafter(low, 0.0f);  // just above the lowest: added
  const auto excluded = masked_softmax(scores, bias).value();
  CHECK(excluded(0, 0, 0, 0) == 0);
  CHECK(excluded(0, 0, 0, 1) == 0);
  CHECK(excluded(0, 0, 1, 1) == 1);
  // -65504 is the lowest of float16 and an ordinary number of float32.
  for (float& value : bias.values) value = -65504;
  CHECK(masked_softmax(scores, bias).value()(0, 0, 0, 0) == 0.5);
  bias.dtype = Dtype::float16;
  CHECK(masked_softmax(scores, bias).value()(0, 0, 0, 0) == 0);
}

TEST_CASE("an excluded key's score is never read, by any route", "[mask_export]") {
  for (const double poison : {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    Tensor<double, 4> scores = Tensor<double, 4>::from_shape({1, 1, 1, 3});
    scores(0, 0, 0, 0) = 1, scores(0, 0, 0, 1) = 1, scores(0, 0, 0, 2) = poison;
    const auto mask = bound("padding(2)", {1, 1, 1, 3});
    for (const auto& weights : {masked_softmax(scores, mask).value(), masked_softmax(scores, Bias{additive_bias(mask, Dtype::float32).value()}).value()}) {
      CHECK(weights(0, 0, 0, 0) == 0.5);
      CHECK(support::plus_zero(weights(0, 0, 0, 2)));
    }
  }
}

TEST_CASE("two packed documents get the weights and outputs they get alone", "[mask_export]") {
  support::Bits bits(73);
  const auto scores = support::random_scores<double>(bits, 1, 6, 6, 3);
  const auto values = support::random_scores<double>(bits, 1, 6, 3, 2);
  const auto outputs = [&](const Tensor<double, 3>& weights, std::size_t first) {
    std::vector<double> out;
    for (std::size_t q = 0; q < weights.shape()[1]; ++q) {
      for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < weights.shape()[2]; ++k) sum += weights(0, q, k) * values(0, first + k, c);
        out.push_back(sum);
      }
    }
    return out;
  };
  const auto packed = masked_softmax(scores, bound("causal & documents(4,2)", {1, 1, 6, 6})).value();
  const auto together = outputs(packed, 0);
  std::size_t at = 0;
  for (const auto& [first, length] : {std::pair<std::size_t, std::size_t>{0, 4}, {4, 2}}) {
    Tensor<double, 3> own = Tensor<double, 3>::from_shape({1, length, length});
    for (std::size_t q = 0; q < length; ++q) {
      for (std::size_t k = 0; k < length; ++k) own(0, q, k) = scores(0, first + q, first + k);
    }
    const auto alone = masked_softmax(own, bound("causal", {1, 1, length, length})).value();
    for (std::size_t q = 0; q < length; ++q) {
      for (std::size_t k = 0; k < 6; ++k) CHECK(packed(0, first + q, k) == (k >= first && k < first + length ? alone(0, q, k - first) : 0.0));
    }
    for (const double each : outputs(alone, first)) CHECK(together[at++] == each);
  }
}

TEST_CASE("lengths of a mask, and masks that have none", "[mask_export]") {
  const auto lens = valid_lens_of(bound("padding(6,3)", {2, 1, 6, 6})).value();
  CHECK_FALSE(lens.per_query());
  CHECK(lens.at(1, 0) == 3);
  const auto composed = valid_lens_of(bound("causal & padding(6,3)", {2, 1, 6, 6})).value();
  CHECK(composed.per_query());
  CHECK(composed.at(1, 5) == 3);
  CHECK(valid_lens_of(bound("causal & window(2)", {1, 1, 6, 6})).error().message ==
        "mask: sequence 0, query 2 does not see its first keys only, so no length expresses its row");
  CHECK(valid_lens_of(bound("rows(1/0)", {1, 2, 2, 2})).error().code == ErrorCode::wrong_shape);
}

TEST_CASE("the opposite convention twice is the mask itself", "[mask_export]") {
  support::Bits bits(3);
  for (int round = 0; round < 50; ++round) {
    const MaskSizes sizes = support::random_sizes(bits);
    const MaskExpr expr = support::random_expression(bits, sizes, 2);
    const Mask4 cells = cells_of(BoundMask::make(expr, sizes).value()).value();
    CHECK(opposite(opposite(cells)) == cells);
    CHECK(opposite(cells) == cells_of(BoundMask::make(~expr, sizes).value()).value());
  }
}

TEST_CASE("errors of the routes", "[mask_export][errors]") {
  support::Bits bits(1);
  const auto scores = random_scores4<float>(bits, {2, 1, 3, 4});
  CHECK(masked_softmax(scores, bound("causal", {2, 1, 3, 5})).error().message == "mask is bound to (batch, heads, queries, keys) = (2, 1, 3, 5) and the scores have (2, 1, 3, 4)");
  Bias bias{Tensor<float, 4>::from_shape({3, 1, 1, 4})};
  CHECK(masked_softmax(scores, bias).error().message ==
        "bias of shape (3, 1, 1, 4) does not broadcast to the scores of shape (2, 1, 3, 4): axis 0 (batch) has 3, allowed are 1 and 2");
  const auto wide = additive_bias(bound("causal", {1, 1, 2, 2}), Dtype::float64);
  CHECK(wide.error().code == ErrorCode::out_of_range);
  CHECK(wide.error().param == "dtype");
  // such a bias cannot be given, either: what it excludes no float says
  const auto small = Tensor<float, 4>::from_shape({1, 1, 2, 2});
  const auto weighed = masked_softmax(small, Bias{additive_bias(bound("causal", {1, 1, 2, 2}), Dtype::float32).value(), Dtype::float64});
  CHECK(weighed.error().code == ErrorCode::out_of_range);
  CHECK(weighed.error().param == "bias");
  CHECK(additive_bias(bound("causal", {1, 1, 1u << 20, 1u << 20}), Dtype::float32).error().code == ErrorCode::too_large);
  CHECK(mask_code_named("tensorflow").error().message == "framework is \"tensorflow\"; allowed are pytorch, pytorch-mha, pytorch-flex, jax, keras, numpy");
}

TEST_CASE("code for other libraries ends in their convention", "[mask_export]") {
  const auto mask = bound("causal & padding(6,3)", {2, 1, 6, 6});
  const auto code = [&](const char* library) { return mask_code(mask, mask_code_named(library).value()); };
  CHECK(code("pytorch").find("mask = (k <= q) & (k < lens[b])\n") != std::string::npos);
  CHECK(code("pytorch-mha").find("attn_mask = ~mask.expand(2, num_heads, 6, 6).reshape(-1, 6, 6)") != std::string::npos);
  CHECK(code("pytorch-flex").find("def mask_mod(b, h, q, k):\n    return (k <= q) & (k < lens[b])\n") != std::string::npos);
  CHECK(code("pytorch-flex").find("B=2, H=None, Q_LEN=6, KV_LEN=6") != std::string::npos);
  CHECK(code("jax").find("mask = jnp.broadcast_to(mask, (2, 1, 6, 6))") != std::string::npos);
  CHECK(code("keras").find("attention_mask = mask[:, 0]") != std::string::npos);
  CHECK(code("numpy").find("lens = np.array([6, 3])") != std::string::npos);
  // A number far beyond the sizes is written as their sum: 32-bit indices must not overflow.
  CHECK(mask_code(bound("window(0,2147483647)", {1, 1, 3, 4}), MaskCode::jax).find("k <= q + 7") != std::string::npos);
}

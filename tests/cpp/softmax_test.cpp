// Masked softmax against the textbook formula in long double, its meanings for NaN, infinities and empty rows, agreement of
// its routes, and its errors.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <limits>

#include "attn/softmax.hpp"
#include "support.hpp"

using namespace attn;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class T>
Tensor<T, 3> row_of(std::initializer_list<double> values) {
  auto tensor = Tensor<T, 3>::from_shape({1, 1, values.size()});
  std::size_t i = 0;
  for (const double value : values) tensor.data()[i++] = static_cast<T>(value);
  return tensor;
}

Mask mask_row(std::initializer_list<bool> values) {
  auto mask = Mask::from_shape({1, 1, values.size()});
  std::copy(values.begin(), values.end(), mask.data());
  return mask;
}

}  // namespace

TEMPLATE_TEST_CASE("weights are within half an ULP and a few rounding errors of the formula", "[softmax]", float, double) {
  support::Bits bits(11);
  double worst = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t keys = 1 + bits.below(40);
    const auto scores = support::random_scores<TestType>(bits, 2, 3, keys, bits.real(0.1, 60));
    const auto weights = masked_softmax(scores).value();
    for (std::size_t r = 0; r < 6; ++r) {
      const TestType* row = scores.data() + r * keys;
      long double sum = 0;
      for (std::size_t k = 0; k < keys; ++k) sum += std::exp(static_cast<long double>(row[k]) - static_cast<long double>(row[0]));
      for (std::size_t k = 0; k < keys; ++k) {
        const long double exact = std::exp(static_cast<long double>(row[k]) - static_cast<long double>(row[0])) / sum;
        if (exact < static_cast<long double>(std::numeric_limits<TestType>::min())) continue;
        const double relative = static_cast<double>(std::fabs(static_cast<long double>(weights.data()[r * keys + k]) / exact - 1));
        worst = std::max(worst, relative / static_cast<double>(std::numeric_limits<TestType>::epsilon()));
      }
    }
  }
  INFO("worst error " << worst << " epsilon");
  // float: one rounding of a double result. double: differences from the maximum reach 120 and round by half an ULP there,
  // 32 epsilon each in the exponent of the weight and of the largest term of the sum; a few epsilon more for exp and sum.
  CHECK(worst <= (sizeof(TestType) == 4 ? 0.51 : 70.0));
}

TEMPLATE_TEST_CASE("rows sum to one within keys * epsilon", "[softmax]", float, double) {
  support::Bits bits(12);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t keys = 1 + bits.below(100);
    const auto weights = masked_softmax(support::random_scores<TestType>(bits, 1, 1, keys, 30)).value();
    double sum = 0;
    for (const TestType w : weights) sum += static_cast<double>(w);
    REQUIRE(std::fabs(sum - 1) <= static_cast<double>(keys) * static_cast<double>(std::numeric_limits<TestType>::epsilon()));
  }
}

TEMPLATE_TEST_CASE("a masked score is never read: NaN and infinities leave no trace", "[softmax]", float, double) {
  for (const double poison : {not_a_number, inf, -inf, 1e30}) {
    const auto weights = masked_softmax(row_of<TestType>({1, poison, 2, poison}), mask_row({true, false, true, false})).value();
    const auto clean = masked_softmax(row_of<TestType>({1, 0, 2, 0}), mask_row({true, false, true, false})).value();
    CHECK(weights == clean);
    CHECK(support::plus_zero(static_cast<double>(weights(0, 0, 1))));
  }
}

TEMPLATE_TEST_CASE("non-finite scores that are allowed have their limits", "[softmax]", float, double) {
  SECTION("NaN makes the allowed weights NaN and no other") {
    const auto weights = masked_softmax(row_of<TestType>({not_a_number, 1, 2}), mask_row({true, true, false})).value();
    CHECK(std::isnan(weights(0, 0, 0)));
    CHECK(std::isnan(weights(0, 0, 1)));
    CHECK(support::plus_zero(static_cast<double>(weights(0, 0, 2))));
  }
  SECTION("NaN goes before +infinity") {
    const auto weights = masked_softmax(row_of<TestType>({inf, not_a_number})).value();
    CHECK((std::isnan(weights(0, 0, 0)) && std::isnan(weights(0, 0, 1))));
  }
  SECTION("+infinity takes all weight, shared evenly") {
    CHECK(masked_softmax(row_of<TestType>({0, inf, 5, inf})).value() == row_of<TestType>({0, 0.5, 0, 0.5}));
  }
  SECTION("-infinity is a score that weighs 0") {
    CHECK(masked_softmax(row_of<TestType>({-inf, 0})).value() == row_of<TestType>({0, 1}));
  }
  SECTION("a row of -infinity alone has no key") {
    CHECK(masked_softmax(row_of<TestType>({-inf, -inf})).value() == row_of<TestType>({0, 0}));
    CHECK(masked_softmax(row_of<TestType>({-inf, 3}), mask_row({true, false})).value() == row_of<TestType>({0, 0}));
  }
  SECTION("the largest finite scores do not overflow") {
    const double big = static_cast<double>(std::numeric_limits<TestType>::max());
    CHECK(masked_softmax(row_of<TestType>({big, -big, big})).value() == row_of<TestType>({0.5, 0, 0.5}));
  }
}

TEMPLATE_TEST_CASE("lengths and the boolean mask they stand for give the same bits", "[softmax]", float, double) {
  support::Bits bits(13);
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t batch = 1 + bits.below(3);
    const std::size_t queries = 1 + bits.below(5);
    const std::size_t keys = 1 + bits.below(9);
    const auto scores = support::random_scores<TestType>(bits, batch, queries, keys, 10);
    const bool per_query = bits.below(2) == 1;
    std::vector<std::size_t> shape{batch};
    if (per_query) shape.push_back(queries);
    std::vector<double> values;
    for (std::size_t i = 0; i < (per_query ? batch * queries : batch); ++i) values.push_back(static_cast<double>(bits.below(keys + 1)));
    const auto lens = ValidLens::make(values, shape).value();
    const Mask mask = padding_mask(lens, keys).value();
    CHECK(shape_of(mask) == std::array<std::size_t, 3>{batch, per_query ? queries : 1, keys});
    REQUIRE(masked_softmax(scores, lens).value() == masked_softmax(scores, mask).value());
  }
}

TEST_CASE("the section's two tables, digit for digit at six decimals", "[softmax]") {
  // Dive into Deep Learning 10.2.2.1, JAX: uniform(key(0), (2, 2, 4)) with lengths 2 and 3. Draws as JAX prints them.
  const Tensor<float, 3> scores{{{0.947667F, 0.9785799F, 0.33229148F, 0.46866846F}, {0.5698887F, 0.16550303F, 0.3101946F, 0.68948054F}},
                                {{0.74676657F, 0.17101455F, 0.9853538F, 0.02528262F}, {0.64004195F, 0.5626912F, 0.8992138F, 0.93453753F}}};
  const auto weights = masked_softmax(scores, ValidLens::per_sequence({2, 3}).value()).value();
  const std::vector<double> printed{0.4922724, 0.5077276, 0, 0, 0.5997409, 0.40025908, 0, 0,
                                    0.3531402, 0.19856434, 0.4482954, 0, 0.31042197, 0.2873157, 0.40226236, 0};
  for (std::size_t i = 0; i < printed.size(); ++i) {
    CHECK(std::fabs(static_cast<double>(weights.data()[i]) - printed[i]) < 2e-7);
  }
}

TEST_CASE("masked softmax refuses lengths and masks that do not fit, by name", "[softmax][errors]") {
  const Tensor<float, 3> scores = Tensor<float, 3>::from_shape({2, 2, 4});
  const auto code = [&](const auto& result) {
    REQUIRE_FALSE(result.ok());
    UNSCOPED_INFO(result.error().message);
    return result.error().code;
  };
  const auto beyond = masked_softmax(scores, ValidLens::per_sequence({2, 5}).value());
  CHECK(code(beyond) == ErrorCode::out_of_range);
  CHECK(beyond.error().message == "valid_lens[1] is 5; allowed are integers from 0 to 4, the number of keys");
  CHECK(code(masked_softmax(scores, ValidLens::per_sequence({2, 2, 2}).value())) == ErrorCode::wrong_shape);
  const auto rows = ValidLens::make(std::vector<double>{1, 2, 3, 4, 1, 1}, std::array<std::size_t, 2>{2, 3}).value();
  CHECK(code(masked_softmax(scores, rows)) == ErrorCode::wrong_shape);
  const Mask wrong = Mask::from_shape({1, 3, 4});
  const auto shape = masked_softmax(scores, wrong);
  CHECK(code(shape) == ErrorCode::wrong_shape);
  CHECK(shape.error().message ==
        "mask: shape (1, 3, 4) does not broadcast to the scores' shape (2, 2, 4); axis 1 (queries) is 3, allowed are 1 and 2");
}

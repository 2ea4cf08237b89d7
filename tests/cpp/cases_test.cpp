// Every record of tests/data/masked-softmax-cases.txt: the weights a public bug report should have had, through every route
// that applies (boolean mask, lengths) and both types.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>

#include "attn/entropy.hpp"
#include "attn/mask.hpp"
#include "attn/softmax.hpp"
#include "support.hpp"

using namespace attn;

namespace {

template <class T>
void expect(const support::Case& record, const Tensor<T, 3>& weights, const std::string& route) {
  const support::Field& expected = *record.field("weights");
  REQUIRE(weights.size() == expected.values.size());
  // Published digits are of doubles; a float weight is half a float ULP further away.
  const double tolerance = record.rel_tol + (sizeof(T) == 4 ? 0x1p-24 : 0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto got = static_cast<double>(weights.data()[i]);
    INFO("case " << record.id << " (" << record.about << "), " << route << ", weight " << i << " is " << got << ", expected " << expected.values[i]);
    if (expected.values[i] == 0) {
      // A published 0 is exact, unless the weight is a score far below the largest (case 60: exp(-8000)).
      CHECK(support::plus_zero(got));
    } else if (got < 1e-37 && sizeof(T) == 4) {
      CHECK(std::fabs(got - expected.values[i]) <= tolerance * expected.values[i] + 0x1p-149);  // float subnormals
    } else {
      CHECK(std::fabs(got - expected.values[i]) <= tolerance * expected.values[i]);
    }
  }
}

/// All requirements of a record as one boolean mask.
Mask all_of(const support::Case& record, const std::array<std::size_t, 3>& shape) {
  std::vector<Mask> masks;
  masks.emplace_back(Mask::from_shape({1, 1, 1}));
  masks.back()(0, 0, 0) = true;
  const auto [first, last] = record.fields.equal_range("mask");
  for (auto it = first; it != last; ++it) masks.push_back(support::mask_of(it->second));
  if (const support::Field* lens = record.field("valid_lens")) {
    masks.push_back(padding_mask(ValidLens::make(lens->values, lens->shape).value(), shape[2]).value());
  }
  if (record.causal) masks.push_back(causal_mask(shape[1], shape[2]).value());
  return compose_masks(masks).value();
}

}  // namespace

TEMPLATE_TEST_CASE("cases from public bug reports have the right weights", "[cases]", float, double) {
  const auto cases = support::read_cases();
  REQUIRE(cases.size() >= 42);
  for (const auto& record : cases) {
    const auto scores = support::tensor_of<TestType>(*record.field("scores"));
    const auto weights = masked_softmax(scores, all_of(record, shape_of(scores)));
    REQUIRE(weights.ok());
    expect(record, weights.value(), "boolean mask");
    const support::Field* lens = record.field("valid_lens");
    const bool only_lens = lens != nullptr && record.field("mask") == nullptr && !record.causal;
    if (only_lens) {
      const auto by_length = masked_softmax(scores, ValidLens::make(lens->values, lens->shape).value());
      REQUIRE(by_length.ok());
      expect(record, by_length.value(), "lengths");
    }
    if (lens == nullptr && record.field("mask") == nullptr && !record.causal) {
      expect(record, masked_softmax(scores).value(), "no mask");
    }
  }
}

TEST_CASE("cases from public bug reports have the right entropy and Jacobian norm", "[cases]") {
  std::size_t checked = 0;
  for (const auto& record : support::read_cases()) {
    const auto scores = support::tensor_of<double>(*record.field("scores"));
    const auto weights = masked_softmax(scores, all_of(record, shape_of(scores))).value();
    const std::span<const double> row(weights.data(), weights.size());
    for (const auto& [name, measure] : {std::pair{"entropy", +[](std::span<const double> w) { return entropy(w); }},
                                        std::pair{"jacobian_norm", +[](std::span<const double> w) { return jacobian_norm(w); }}}) {
      const support::Field* expected = record.field(name);
      if (expected == nullptr) continue;
      INFO("case " << record.id << ", " << name);
      CHECK(std::fabs(measure(row) - expected->values.at(0)) <= 1e-9 * expected->values.at(0));
      CHECK_FALSE(std::signbit(measure(row)));
      ++checked;
    }
  }
  CHECK(checked >= 6);
}

TEST_CASE("one row of 65537 equal scores weighs 1/65537 everywhere", "[cases]") {
  const Tensor<float, 3> scores = Tensor<float, 3>::from_shape({1, 1, 65537});
  Tensor<float, 3> equal = scores;
  equal.fill(0.5F);
  const auto weights = masked_softmax(equal).value();
  for (const float w : weights) REQUIRE(w == static_cast<float>(1.0 / 65537));
}

TEST_CASE("a length that no half-precision number can hold keeps exactly its keys", "[cases]") {
  const auto lens = ValidLens::per_sequence({2049}).value();
  const Mask mask = padding_mask(lens, 4096).value();
  CHECK(std::count(mask.begin(), mask.end(), true) == 2049);
  CHECK(mask(0, 0, 2048));
  CHECK_FALSE(mask(0, 0, 2049));
  Tensor<float, 3> scores = Tensor<float, 3>::from_shape({1, 1, 4096});
  scores.fill(0);
  const auto weights = masked_softmax(scores, lens).value();
  CHECK(std::count_if(weights.begin(), weights.end(), [](float w) { return w > 0; }) == 2049);
}

TEST_CASE("zero keys give weights of shape (1, 2, 0), and every row is empty", "[cases]") {
  const Tensor<float, 3> scores = Tensor<float, 3>::from_shape({1, 2, 0});
  CHECK(shape_of(masked_softmax(scores).value()) == std::array<std::size_t, 3>{1, 2, 0});
  CHECK(empty_rows(causal_mask(2, 0).value()).size() == 2);
  const Tensor<float, 3> no_queries = Tensor<float, 3>::from_shape({1, 0, 3});
  CHECK(shape_of(masked_softmax(no_queries).value()) == std::array<std::size_t, 3>{1, 0, 3});
}

TEST_CASE("a transposed view gives the scores of the keys it shows", "[cases]") {
  // Keys (1, 2) and (3, 4) stored by columns; query (1, 0), d = 2.
  const Tensor<double, 2> stored{{1, 3}, {2, 4}};
  const Tensor<double, 2> keys = xt::transpose(stored);
  Tensor<double, 3> scores = Tensor<double, 3>::from_shape({1, 1, 2});
  for (std::size_t k = 0; k < 2; ++k) scores(0, 0, k) = (1 * keys(k, 0) + 0 * keys(k, 1)) / std::sqrt(2.0);
  const auto weights = masked_softmax(scores).value();
  CHECK(std::fabs(weights(0, 0, 0) - 0.19557031749) < 1e-10);
  CHECK(std::fabs(weights(0, 0, 1) - 0.80442968251) < 1e-10);
}

// Every record of tests/data/masked-softmax-cases.txt: the weights a public bug report should have had, through every route
// that applies (boolean tensor, lengths, expressions, additive bias in three formats and sums of such) and in both types; all
// routes with the same bits. What no record can hold (65537 keys, views, dropout) follows by hand.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <set>

#include "attn/entropy.hpp"
#include "attn/mask.hpp"
#include "attn/mask_export.hpp"
#include "attn/softmax.hpp"
#include "support.hpp"

using namespace attn;

namespace {

using support::Case;

/// Weights of a record by one way of asking for them.
template <class T>
struct Route {
  std::string name;
  Tensor<T, 4> weights;
};

/// The requirements of a record, each as an expression: its masks, lengths and causality, or else the expression that it gives.
std::vector<MaskExpr> requirements_of(const Case& record) {
  std::vector<MaskExpr> parts;
  const auto [first, last] = record.fields.equal_range("mask");
  for (auto it = first; it != last; ++it) parts.push_back(MaskExpr::cells(support::mask_of(it->second)).value());
  if (const support::Field* lens = record.field("valid_lens")) parts.push_back(MaskExpr::padding(ValidLens::make(lens->values, lens->shape).value()));
  if (record.causal) parts.push_back(MaskExpr::causal());
  if (parts.empty() && !record.expressions.empty()) parts.push_back(parse_mask(record.expressions.front()).value());
  return parts;
}

BoundMask bound(const MaskExpr& expr, const MaskSizes& sizes) {
  const auto mask = BoundMask::make(expr, sizes);
  INFO(mask_text(expr));
  REQUIRE(mask.ok());
  return mask.value();
}

/// All requirements of a record as one boolean mask for a head, made without expressions where the record has none.
Mask boolean_of(const Case& record, const MaskSizes& sizes, std::size_t head) {
  Mask all = Mask::from_shape({1, 1, 1});
  all(0, 0, 0) = true;
  std::vector<Mask> masks{all};
  const auto [first, last] = record.fields.equal_range("mask");
  for (auto it = first; it != last; ++it) masks.push_back(support::head_of(support::mask_of(it->second), head));
  if (const support::Field* lens = record.field("valid_lens")) masks.push_back(padding_mask(ValidLens::make(lens->values, lens->shape).value(), sizes.keys).value());
  if (record.causal) masks.push_back(causal_mask(sizes.queries, sizes.keys).value());
  if (masks.size() == 1 && !record.expressions.empty()) masks.push_back(support::head_of(cells_of(bound(parse_mask(record.expressions.front()).value(), sizes)).value(), head));
  return compose_masks(masks).value();
}

/// The biases of single requirements, added in their format: a key that two exclude gets twice the lowest, -infinity.
Bias sum_of_biases(const std::vector<MaskExpr>& parts, const MaskSizes& sizes, Dtype dtype, BiasFill fill) {
  Bias sum{Tensor<float, 4>::from_shape({sizes.batch, sizes.heads, sizes.queries, sizes.keys}), dtype};
  sum.values.fill(0);
  for (const MaskExpr& part : parts) {
    const auto bias = additive_bias(bound(part, sizes), dtype, fill).value();
    const auto own = shape_of(bias);
    float* to = sum.values.data();
    for (std::size_t b = 0; b < sizes.batch; ++b) {
      for (std::size_t h = 0; h < sizes.heads; ++h) {
        for (std::size_t q = 0; q < sizes.queries; ++q) {
          for (std::size_t k = 0; k < sizes.keys; ++k, ++to) *to = static_cast<float>(rounded(dtype, *to + bias(own[0] == 1 ? 0 : b, own[1] == 1 ? 0 : h, q, k)));
        }
      }
    }
  }
  return sum;
}

/// Weights of every head by a function of scores of three axes and the head's number.
template <class T, class Weigh>
Tensor<T, 4> head_by_head(const Tensor<T, 4>& scores, Weigh weigh) {
  const auto [batch, heads, queries, keys] = shape_of(scores);
  Tensor<T, 4> weights = Tensor<T, 4>::from_shape({batch, heads, queries, keys});
  for (std::size_t h = 0; h < heads; ++h) {
    const Result<Tensor<T, 3>> part = weigh(support::head_of(scores, h), h);
    REQUIRE(part.ok());
    for (std::size_t b = 0; b < batch; ++b) {
      const T* first = part.value().data() + b * queries * keys;
      std::copy(first, first + queries * keys, weights.data() + (b * heads + h) * queries * keys);
    }
  }
  return weights;
}

template <class T>
std::vector<Route<T>> routes_of(const Case& record) {
  const auto scores = support::tensor_of<T>(*record.field("scores"));
  const auto [batch, heads, queries, keys] = shape_of(scores);
  const MaskSizes sizes{batch, heads, queries, keys};
  std::vector<Route<T>> routes;
  const auto add = [&](std::string name, Result<Tensor<T, 4>> weights) {
    INFO("case " << record.id << ", " << name);
    REQUIRE(weights.ok());
    routes.push_back({std::move(name), std::move(weights).value()});
  };
  if (const support::Field* given = record.field("bias")) {
    add("bias", masked_softmax(scores, Bias{support::tensor_of<float>(*given)}));
    return routes;
  }
  add("boolean tensor", head_by_head(scores, [&](const Tensor<T, 3>& part, std::size_t h) { return masked_softmax(part, boolean_of(record, sizes, h)); }));
  const auto parts = requirements_of(record);
  if (parts.empty()) add("no mask", head_by_head(scores, [&](const Tensor<T, 3>& part, std::size_t) { return masked_softmax(part); }));
  const auto mask = bound(MaskExpr::both(parts), sizes);
  add("expression", masked_softmax(scores, mask));
  if (heads == 1) add("expression, three axes", head_by_head(scores, [&](const Tensor<T, 3>& part, std::size_t) { return masked_softmax(part, mask); }));
  for (const std::string& text : record.expressions) add(text, masked_softmax(scores, bound(parse_mask(text).value(), sizes)));
  if (const auto lens = valid_lens_of(mask); lens.ok() && lens.value().batch() == batch) {
    add("lengths", head_by_head(scores, [&](const Tensor<T, 3>& part, std::size_t) { return masked_softmax(part, lens.value()); }));
  }
  if (const support::Field* lens = record.field("valid_lens"); lens != nullptr && parts.size() == 1) {
    add("lengths as given", head_by_head(scores, [&](const Tensor<T, 3>& part, std::size_t) { return masked_softmax(part, ValidLens::make(lens->values, lens->shape).value()); }));
  }
  for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
    for (const BiasFill fill : {BiasFill::lowest, BiasFill::infinity}) {
      const std::string name = std::string(attn::name(dtype)).append(fill == BiasFill::lowest ? ", lowest" : ", -infinity");
      add("bias of " + name, masked_softmax(scores, Bias{additive_bias(mask, dtype, fill).value(), dtype}));
      if (parts.size() > 1) add("sum of biases of " + name, masked_softmax(scores, sum_of_biases(parts, sizes, dtype, fill)));
    }
  }
  return routes;
}

template <class T>
void expect(const Case& record, const Tensor<T, 4>& weights) {
  const support::Field& expected = *record.field("weights");
  REQUIRE(weights.size() == expected.values.size());
  // Published digits are of doubles; a float weight is half a float ULP further away.
  const double tolerance = record.rel_tol + (sizeof(T) == 4 ? 0x1p-24 : 0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto got = static_cast<double>(weights.data()[i]);
    INFO("weight " << i << " is " << got << ", expected " << expected.values[i]);
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

/// Sums of values over the keys that weigh anything: what weighs 0 is not read, so a NaN there stays where it is.
template <class T>
void expect_outputs(const Case& record, const Tensor<T, 4>& weights) {
  const support::Field* outputs = record.field("outputs");
  if (outputs == nullptr) return;
  const auto values = support::tensor_of<double>(*record.field("values"));
  const std::size_t queries = weights.shape()[2], keys = weights.shape()[3], width = values.shape()[3];
  REQUIRE(outputs->values.size() == queries * width);
  for (std::size_t q = 0; q < queries; ++q) {
    for (std::size_t c = 0; c < width; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < keys; ++k) sum += weights(0, 0, q, k) == 0 ? 0.0 : static_cast<double>(weights(0, 0, q, k)) * values(0, 0, k, c);
      CHECK(sum == outputs->values[q * width + c]);
    }
  }
}

template <class T>
bool same_bits(const Tensor<T, 4>& a, const Tensor<T, 4>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](T x, T y) { return support::same(static_cast<double>(x), static_cast<double>(y)); });
}

}  // namespace

TEMPLATE_TEST_CASE("cases from public bug reports have the right weights by every route", "[cases]", float, double) {
  std::set<std::string> reports;
  std::size_t routes = 0;
  for (const auto& record : support::read_cases()) {
    reports.insert(record.id.substr(0, record.id.find('/')));
    const auto all = routes_of<TestType>(record);
    for (const auto& route : all) {
      INFO("case " << record.id << " (" << record.about << "), " << route.name);
      expect(record, route.weights);
      expect_outputs(record, route.weights);
      CHECK(same_bits(route.weights, all.front().weights));
    }
    routes += all.size();
  }
  // Three more of the 48 reports have tests of their own below: 46, 47 and 49.
  CHECK(reports.size() == 45);
  CHECK(routes > 500);
}

TEST_CASE("every way in which a case says its mask says the same mask", "[cases]") {
  std::size_t texts = 0;
  for (const auto& record : support::read_cases()) {
    const auto [batch, heads, queries, keys] = shape_of(support::tensor_of<double>(*record.field("scores")));
    const MaskSizes sizes{batch, heads, queries, keys};
    for (const std::string& text : record.expressions) {
      ++texts;
      INFO("case " << record.id << ", " << text);
      const auto mask = bound(parse_mask(text).value(), sizes);
      const auto stated = bound(MaskExpr::both(requirements_of(record)), sizes);
      for (std::size_t b = 0; b < batch; ++b) {
        for (std::size_t h = 0; h < heads; ++h) {
          for (std::size_t q = 0; q < queries; ++q) {
            for (std::size_t k = 0; k < keys; ++k) CHECK(mask.allows(b, h, q, k) == stated.allows(b, h, q, k));
          }
        }
      }
    }
  }
  CHECK(texts > 40);
}

TEST_CASE("cases from public bug reports have the right entropy and Jacobian norm", "[cases]") {
  std::size_t checked = 0;
  for (const auto& record : support::read_cases()) {
    for (const auto& [name, measure] : {std::pair{"entropy", +[](std::span<const double> w) { return entropy(w); }},
                                        std::pair{"jacobian_norm", +[](std::span<const double> w) { return jacobian_norm(w); }}}) {
      const support::Field* expected = record.field(name);
      if (expected == nullptr) continue;
      const auto weights = routes_of<double>(record).front().weights;
      const std::span<const double> row(weights.data(), weights.size());
      INFO("case " << record.id << ", " << name);
      CHECK(std::fabs(measure(row) - expected->values.at(0)) <= 1e-9 * expected->values.at(0));
      CHECK_FALSE(std::signbit(measure(row)));
      ++checked;
    }
  }
  CHECK(checked >= 6);
}

TEST_CASE("entropy in bits is the entropy in nats over ln 2", "[cases]") {
  const std::vector<double> uniform(64, 1.0 / 64);
  CHECK(std::fabs(entropy(uniform) / nats_per_bit - 6) <= 6 * 64 * 0x1p-53);  // a rounding for each of the 64 terms
  const std::vector<double> weights{0.09003057317038046, 0.24472847105479767, 0.6652409557748219};
  CHECK(std::fabs(entropy(weights) / nats_per_bit - 1.200892975) <= 1e-7);  // as published
}

TEST_CASE("dropping weights at p = 1/2 and doubling the rest keeps the mean and has variance 0.1 for ten equal ones", "[cases]") {
  Tensor<double, 3> scores = Tensor<double, 3>::from_shape({1, 1, 10});
  scores.fill(2.5);
  const auto weights = masked_softmax(scores).value();
  // Every one of the 1024 ways to drop, over values of one; whoever drops nothing, as in evaluation, gets 1.
  double mean = 0, square = 0, kept = 0;
  for (const double w : weights) kept += w;
  for (unsigned dropped = 0; dropped < 1024; ++dropped) {
    double output = 0;
    for (std::size_t k = 0; k < 10; ++k) output += (dropped >> k & 1) != 0 ? 0 : weights(0, 0, k) / 0.5;
    mean += output / 1024;
    square += output * output / 1024;
  }
  CHECK(std::fabs(kept - 1) <= 1e-15);
  CHECK(std::fabs(mean - 1) <= 1e-13);
  CHECK(std::fabs(square - mean * mean - 0.1) <= 1e-12);
  // One key dropped at p = 0.2 is 0 or 1 / 0.8.
  Tensor<double, 3> one = Tensor<double, 3>::from_shape({1, 1, 1});
  one.fill(-7);
  CHECK(masked_softmax(one).value()(0, 0, 0) / (1 - 0.2) == 1.25);
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

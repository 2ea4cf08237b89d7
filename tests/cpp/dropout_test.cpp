// Dropout's tosses against PyTorch's own, its moments against the formula with standard errors, and its edges.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "attn/dropout.hpp"
#include "attn/random/jax.hpp"
#include "layers_support.hpp"

using namespace attn;
using namespace layers;

namespace {

std::string pattern(const Batch& tensor) {
  std::string text;
  for (const double value : tensor) text += value != 0 ? '1' : '0';
  return text;
}

Batch ones(std::size_t b, std::size_t n, std::size_t m) {
  Batch tensor = Batch::from_shape({b, n, m});
  tensor.fill(1);
  return tensor;
}

}  // namespace

TEST_CASE("tosses are PyTorch's, call after call", "[dropout]") {
  // torch.nn.functional.dropout(torch.ones(shape), p) after manual_seed(seed), PyTorch 1.13.1 of Debian 12, CPU, without MKL:
  // the places that were kept; then torch.rand(1) from the same generator.
  struct Record {
    std::uint64_t seed;
    std::array<const char*, 3> kept;
    float next;
  };
  const std::array<double, 3> rates{0.5, 0.1, 0.3};
  const std::array<std::array<std::size_t, 3>, 3> shapes{{{2, 1, 10}, {2, 3, 5}, {1, 4, 7}}};
  for (const Record& record : {Record{0, {"00100011011110111100", "111111111111111011111111111101", "0110011011111011101000101111"}, 0.00442582368850708F},
                               Record{1, {"11110110010101110100", "001111101111100101111111111111", "1110010101101111111111111111"}, 0.7883691787719727F},
                               Record{12345, {"00000010001010011101", "111111111101111111110111111111", "1110110000111101111111101101"}, 0.932650625705719F}}) {
    random::torch::Generator generator(record.seed);
    for (std::size_t call = 0; call < 3; ++call) {
      const auto [b, n, m] = shapes[call];
      const auto kept = apply_dropout(ones(b, n, m), {rates[call], &generator, Mode::training}).value();
      CHECK(pattern(kept) == record.kept[call]);
      CHECK(largest(kept) == 1 / (1 - rates[call]));
    }
    CHECK(pattern(apply_dropout(ones(1, 1, 50), {0.999, &generator, Mode::training}).value()) == std::string(50, '0'));
    std::array<float, 1> next{};
    generator.rand(next);
    CHECK(next[0] == record.next);
  }
}

TEST_CASE("tosses leave a waiting normal waiting, as PyTorch's do", "[dropout]") {
  // manual_seed(7); randn(3); dropout(ones(1, 1, 9), 0.25); randn(3)
  random::torch::Generator generator(7);
  std::array<float, 3> first{};
  std::array<float, 3> second{};
  generator.randn(first);
  CHECK(pattern(apply_dropout(ones(1, 1, 9), {0.25, &generator, Mode::training}).value()) == "001100111");
  generator.randn(second);
  const std::array<float, 3> expected{-1.1143440008163452F, 0.49633222818374634F, 0.11960003525018692F};
  for (std::size_t i = 0; i < 3; ++i) CHECK(std::fabs(second[i] - expected[i]) <= 2e-7F);
}

TEST_CASE("JAX's tosses compare a uniform float with 1 - p, and one key tosses the same again", "[dropout]") {
  const random::Key key = flax_dropout_key(3, 5);
  CHECK(key == random::jax::fold_in(random::jax::key(3), 5));
  std::vector<float> uniforms(2 * 3 * 301);
  random::jax::uniform(key, 0, uniforms);
  const auto once = apply_dropout(ones(2, 3, 301), {0.3, key, Mode::training}).value();
  for (std::size_t i = 0; i < uniforms.size(); ++i) REQUIRE((once.data()[i] != 0) == (uniforms[i] < 0.7F));
  CHECK(once == apply_dropout(ones(2, 3, 301), {0.3, key, Mode::training}).value());
  CHECK(once != apply_dropout(ones(2, 3, 301), {0.3, flax_dropout_key(3, 6), Mode::training}).value());
}

TEMPLATE_TEST_CASE("what is kept is divided by 1 - p and rounded once, the rest is +0 and unread", "[dropout]", float, double) {
  support::Bits bits(301);
  auto values = support::random_scores<TestType>(bits, 2, 4, 9, 3);
  const random::Key key = random::jax::key(9);
  const auto kept = apply_dropout(values, {0.3, key, Mode::training}).value();
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kept.data()[i] == 0) {
      CHECK(support::plus_zero(static_cast<double>(kept.data()[i])));
      values.data()[i] = std::numeric_limits<TestType>::quiet_NaN();
      ++dropped;
    } else {
      CHECK(kept.data()[i] == static_cast<TestType>(static_cast<double>(values.data()[i]) / (1 - 0.3)));
    }
  }
  CHECK((dropped > 0 && dropped < values.size()));
  CHECK(apply_dropout(values, {0.3, key, Mode::training}).value() == kept);
}

TEST_CASE("evaluation, rate 0 and empty tensors are copies and leave the generator alone", "[dropout]") {
  const Batch values = batch_of(1, 1, 3, {1, not_a_number, -0.0});
  random::torch::Generator generator(4);
  CHECK(same_bits(apply_dropout(values, {0.5, &generator, Mode::evaluation}).value(), values));
  CHECK(same_bits(apply_dropout(values, {0, &generator, Mode::training}).value(), values));
  CHECK(apply_dropout(Batch(Batch::from_shape({2, 0, 3})), {0.5, &generator, Mode::training}).value().size() == 0);
  std::array<float, 2> drawn{};
  std::array<float, 2> fresh{};
  generator.rand(drawn);
  random::torch::Generator(4).rand(fresh);
  CHECK(drawn == fresh);
}

TEST_CASE("a row's sum keeps its mean and gets variance p / (1 - p) times the sum of squared weights", "[dropout]") {
  constexpr std::size_t draws = 40000;
  constexpr std::size_t keys = 6;
  support::Bits bits(302);
  for (const double p : {0.1, 0.5, 0.8}) {
    std::array<double, keys> row{};
    double sum = 0;
    for (double& w : row) sum += w = bits.unit();
    Batch weights = Batch::from_shape({draws, 1, keys});
    for (std::size_t i = 0; i < weights.size(); ++i) weights.data()[i] = row[i % keys] / sum;
    double squares = 0;
    double fourths = 0;
    for (std::size_t j = 0; j < keys; ++j) squares += std::pow(row[j] / sum, 2), fourths += std::pow(row[j] / sum, 4);
    const double toss = p / (1 - p);  // the variance of kept / (1 - p); its fourth central moment below
    const double fourth = (1 - p) * std::pow(toss, 4) + p;
    const double variance = toss * squares;
    const double fourth_of_sum = fourths * fourth + 3 * (squares * squares - fourths) * toss * toss;

    random::torch::Generator generator(77);
    for (const DropoutGenerator& source : {DropoutGenerator{random::jax::key(77)}, DropoutGenerator{&generator}}) {
      const auto kept = apply_dropout(weights, {p, source, Mode::training}).value();
      double mean = 0;
      double spread = 0;
      for (std::size_t i = 0; i < draws; ++i) {
        double s = 0;
        for (std::size_t j = 0; j < keys; ++j) s += kept(i, 0, j);
        mean += s / draws;
        spread += (s - 1) * (s - 1) / draws;  // about the mean that is known
      }
      INFO("p = " << p << ", generator " << source.index() << ": mean " << mean << ", variance " << spread << " of " << variance);
      CHECK(std::fabs(mean - 1) <= 4 * std::sqrt(variance / draws));
      CHECK(std::fabs(spread - variance) <= 4 * std::sqrt((fourth_of_sum - variance * variance) / draws));
    }
  }
}

TEST_CASE("rates below 0, rates from 1 on and missing generators are refused, also where they are not used", "[dropout][errors]") {
  const Batch values = ones(1, 1, 2);
  for (const double rate : {-0.1, 1.0, 1.5, not_a_number, inf}) {
    for (const Mode mode : {Mode::training, Mode::evaluation}) {
      CHECK(complaint(apply_dropout(values, {rate, random::Key{}, mode})).starts_with("out_of_range dropout | dropout is "));
    }
  }
  CHECK(complaint(apply_dropout(values, {1, random::Key{}, Mode::training})) == "out_of_range dropout | dropout is 1; allowed are rates from 0 to below 1");
  random::torch::Generator* none = nullptr;
  CHECK(complaint(apply_dropout(values, {0.5, none, Mode::training})).starts_with("wrong_type generator | "));
}

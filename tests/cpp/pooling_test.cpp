// Attention against the plain formula and PyTorch's own numbers; what a mask, an empty row and dropout do to the output.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "attn/pooling.hpp"
#include "attn/random/jax.hpp"
#include "attn/softmax.hpp"
#include "layers_support.hpp"

using namespace attn;
using namespace layers;

namespace {

Mask random_mask(support::Bits& bits, std::size_t batch, std::size_t queries, std::size_t keys, double share) {
  Mask mask = Mask::from_shape({batch, queries, keys});
  for (bool& cell : mask) cell = bits.unit() < share;
  return mask;
}

/// The section's operands: torch.manual_seed(0); randn(2, 1, 2), randn(2, 10, 2), randn(2, 10, 4).
struct Section {
  Tensor<float, 3> queries = Tensor<float, 3>::from_shape({2, 1, 2});
  Tensor<float, 3> keys = Tensor<float, 3>::from_shape({2, 10, 2});
  Tensor<float, 3> values = Tensor<float, 3>::from_shape({2, 10, 4});
  ValidLens lens = ValidLens::per_sequence({2, 6}).value();
  random::torch::Generator generator{0};
  Section() {
    for (auto* tensor : {&queries, &keys, &values}) generator.randn(std::span(tensor->data(), tensor->size()));
  }
};

Batch identities(std::size_t batch, std::size_t n) {
  Batch tensor = Batch::from_shape({batch, n, n});
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = i % (n * n) % (n + 1) == 0 ? 1 : 0;
  return tensor;
}

}  // namespace

TEMPLATE_TEST_CASE("weights and outputs are those of the plain formula", "[pooling]", float, double) {
  support::Bits bits(401);
  double worst = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t batch = 1 + bits.below(3), n = 1 + bits.below(4), m = 1 + bits.below(7), d = 1 + bits.below(9), v = 1 + bits.below(5);
    const auto q = support::random_scores<TestType>(bits, batch, n, d, 2);
    const auto k = support::random_scores<TestType>(bits, batch, m, d, 2);
    const auto values = support::random_scores<TestType>(bits, batch, m, v, 3);
    const Mask mask = random_mask(bits, batch, n, m, 0.6);
    const auto got = dot_product_attention(q, k, values, mask).value();
    REQUIRE(shape_of(got.output) == std::array<std::size_t, 3>{batch, n, v});
    REQUIRE(got.pooled_weights == got.weights);
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> e(m);
        double sum = 0;
        for (std::size_t j = 0; j < m; ++j) {
          double score = 0;
          for (std::size_t c = 0; c < d; ++c) score += static_cast<double>(q(b, i, c)) * static_cast<double>(k(b, j, c));
          sum += e[j] = mask(b, i, j) ? std::exp(score / std::sqrt(static_cast<double>(d))) : 0;
        }
        for (std::size_t j = 0; j < m; ++j) worst = std::max(worst, std::fabs(static_cast<double>(got.weights(b, i, j)) - (sum > 0 ? e[j] / sum : 0)));
        for (std::size_t c = 0; c < v; ++c) {
          double out = 0;
          for (std::size_t j = 0; j < m; ++j) out += sum > 0 ? e[j] / sum * static_cast<double>(values(b, j, c)) : 0;
          worst = std::max(worst, std::fabs(static_cast<double>(got.output(b, i, c)) - out) / 3);
        }
      }
    }
  }
  INFO("worst difference " << worst);
  // Scores up to 12 (a rounding is 8 double_epsilon of a weight) in double; half an ULP of a float of at most 3, divided by 3, in float.
  CHECK(worst <= (sizeof(TestType) == 4 ? 0x1p-24 : 40 * double_epsilon));
}

TEST_CASE("the section's example: PyTorch's weights and outputs, in evaluation and in training", "[pooling]") {
  Section section;
  const Dropout evaluation{0.5, &section.generator, Mode::evaluation};
  const auto calm = dot_product_attention(section.queries, section.keys, section.values, section.lens, evaluation).value();
  CHECK(shape_of(calm.output) == std::array<std::size_t, 3>{2, 1, 4});
  // Printed by PyTorch 1.13.1 from float64 operands widened from its float32 draws; ours differ from those in a last digit (torch.hpp).
  const Batch weights = batch_of(2, 1, 10, {0.2579845718107963, 0.7420154281892036, 0, 0, 0, 0, 0, 0, 0, 0,
                                            0.13580522909869372, 0.14728936991034777, 0.49474018521843427, 0.026095915796337583, 0.15044828662111992, 0.04562101335506672, 0, 0, 0, 0});
  CHECK(distance(calm.weights, weights) <= 5e-7);
  for (std::size_t i = 0; i < weights.size(); ++i) CHECK((weights.data()[i] == 0) == support::plus_zero(static_cast<double>(calm.weights.data()[i])));
  const Batch output = batch_of(2, 1, 4, {-1.243685245513916, 2.1422650814056396, -0.06448876857757568, 0.5817514657974243, -0.07034306228160858, -1.329258680343628, 0.4321151077747345, -0.09034944325685501});
  CHECK(distance(calm.output, output) <= 2e-6);
  CHECK(calm.pooled_weights == calm.weights);

  // The generator goes on from the draws of the operands, as in a notebook.
  const auto dropped = dot_product_attention(section.queries, section.keys, section.values, section.lens, {0.5, &section.generator, Mode::training}).value();
  const Batch trained = batch_of(2, 1, 4, {-0.2937144637107849, 0.47467687726020813, 0.5731468796730042, 0.6655352115631104, -0.003553878515958786, -2.5372087955474854, 0.334065318107605, -0.056641414761543274});
  CHECK(distance(dropped.output, trained) <= 2e-6);
  CHECK(dropped.weights == calm.weights);
  CHECK(dropped.pooled_weights != calm.weights);
}

TEMPLATE_TEST_CASE("a masked key's entries and value never reach anything, NaN and infinity included", "[pooling]", float, double) {
  support::Bits bits(402);
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t n = 1 + bits.below(4), m = 2 + bits.below(6);
    const auto q = support::random_scores<TestType>(bits, 2, n, 3, 2);
    auto k = support::random_scores<TestType>(bits, 2, m, 3, 2);
    auto values = support::random_scores<TestType>(bits, 2, m, 4, 2);
    const auto length = static_cast<double>(bits.below(m));  // at least one key is masked; sometimes all
    const ValidLens lens = ValidLens::per_sequence({length, length}).value();
    const Dropout dropout{0.3, random::jax::key(static_cast<std::uint64_t>(trial)), Mode::training};
    const auto clean = dot_product_attention(q, k, values, lens, dropout).value();
    for (const double poison : {not_a_number, inf, -inf, 1e30}) {
      for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t j = static_cast<std::size_t>(length); j < m; ++j) {
          for (std::size_t c = 0; c < 3; ++c) k(b, j, c) = static_cast<TestType>(poison);
          for (std::size_t c = 0; c < 4; ++c) values(b, j, c) = static_cast<TestType>(poison);
        }
      }
      const auto got = dot_product_attention(q, k, values, lens, dropout).value();
      REQUIRE(same_bits(got.output, clean.output));
      REQUIRE(same_bits(got.weights, clean.weights));
      REQUIRE(same_bits(got.pooled_weights, clean.pooled_weights));
    }
  }
}

TEST_CASE("lengths, their mask, and a mask that broadcasts give the same bits", "[pooling]") {
  support::Bits bits(403);
  const auto q = support::random_scores<float>(bits, 2, 3, 5, 2);
  const auto k = support::random_scores<float>(bits, 2, 6, 5, 2);
  const auto values = support::random_scores<float>(bits, 2, 6, 4, 2);
  const ValidLens lens = ValidLens::per_sequence({0, 4}).value();
  const Mask mask = padding_mask(lens, 6).value();
  const auto by_lens = dot_product_attention(q, k, values, lens).value();
  const auto by_mask = dot_product_attention(q, k, values, mask).value();
  CHECK(by_lens.output == by_mask.output);
  CHECK(by_lens.weights == by_mask.weights);
  const Mask all = Mask(xt::ones<bool>({1, 1, 1}));
  CHECK(dot_product_attention(q, k, values, all).value().output == dot_product_attention(q, k, values).value().output);
  // A query without a key: the first example.
  for (std::size_t i = 0; i < 3 * 4; ++i) CHECK(support::plus_zero(static_cast<double>(by_lens.output.data()[i])));
}

TEST_CASE("floats are widened, pooled in double and rounded once", "[pooling]") {
  support::Bits bits(404);
  const auto q = support::random_scores<float>(bits, 2, 3, 4, 2);
  const auto k = support::random_scores<float>(bits, 2, 7, 5, 2);
  const auto values = support::random_scores<float>(bits, 2, 7, 3, 2);
  const Additive rule{random_matrix(bits, 6, 4), random_matrix(bits, 6, 5), random_vector(bits, 6)};
  const Dropout dropout{0.25, random::jax::key(8), Mode::training};
  const auto narrow = additive_attention(rule, q, k, values, {}, dropout).value();
  const auto wide = additive_attention(rule, cast<double>(q), cast<double>(k), cast<double>(values), {}, dropout).value();
  CHECK(narrow.output == cast<float>(wide.output));
  CHECK(narrow.weights == cast<float>(wide.weights));
  CHECK(narrow.pooled_weights == cast<float>(wide.pooled_weights));
  // Attention is its parts.
  const Batch weights = masked_softmax(scores(rule, cast<double>(q), cast<double>(k)).value()).value();
  CHECK(wide.weights == weights);
  CHECK(wide.pooled_weights == apply_dropout(weights, dropout).value());
  CHECK(wide.output == pool(wide.pooled_weights, cast<double>(values)).value());
}

TEST_CASE("with identity values the output is the weights after dropout, their sums have the predicted moments", "[pooling]") {
  Section section;
  const Batch q = cast<double>(section.queries);
  const Batch k = cast<double>(section.keys);
  const Batch values = identities(2, 10);
  constexpr int draws = 4000;
  constexpr double p = 0.5;
  std::array<double, 2> mean{};
  std::array<double, 2> spread{};
  std::array<double, 2> squares{};
  std::array<double, 2> fourths{};
  for (int draw = 0; draw < draws; ++draw) {
    const auto got = dot_product_attention(q, k, values, section.lens, {p, &section.generator, Mode::training}).value();
    REQUIRE(got.output == got.pooled_weights);
    for (std::size_t b = 0; b < 2; ++b) {
      double sum = 0;
      for (std::size_t j = 0; j < 10; ++j) sum += got.output(b, 0, j);
      mean[b] += sum / draws;
      spread[b] += (sum - 1) * (sum - 1) / draws;
      if (draw == 0) {
        for (std::size_t j = 0; j < 10; ++j) squares[b] += std::pow(got.weights(b, 0, j), 2), fourths[b] += std::pow(got.weights(b, 0, j), 4);
      }
    }
  }
  for (std::size_t b = 0; b < 2; ++b) {
    const double variance = p / (1 - p) * squares[b];
    // At p = 1/2 a toss minus 1 is 1 or -1: fourth central moment of the sum 3 s2^2 - 2 s4.
    const double of_variance = 3 * squares[b] * squares[b] - 2 * fourths[b] - variance * variance;
    INFO("example " << b << ": mean " << mean[b] << ", variance " << spread[b] << " of " << variance);
    CHECK(std::fabs(mean[b] - 1) <= 4 * std::sqrt(variance / draws));
    CHECK(std::fabs(spread[b] - variance) <= 4 * std::sqrt(of_variance / draws));
  }
}

TEST_CASE("a one-hot row loses its output when its key is dropped", "[pooling]") {
  const Batch q = batch_of(1, 1, 1, {1});
  const Batch k = batch_of(1, 3, 1, {0, 5000, 0});
  const Batch values = batch_of(1, 3, 2, {1, 2, 3, 4, 5, 6});
  random::torch::Generator generator(21);
  int kept = 0;
  for (int draw = 0; draw < 400; ++draw) {
    const auto got = dot_product_attention(q, k, values, {}, {0.25, &generator, Mode::training}).value();
    REQUIRE(got.weights == batch_of(1, 1, 3, {0, 1, 0}));
    const bool stays = got.output(0, 0, 0) != 0;
    REQUIRE(got.output == (stays ? batch_of(1, 1, 2, {3 / 0.75, 4 / 0.75}) : batch_of(1, 1, 2, {0, 0})));
    kept += stays ? 1 : 0;
  }
  CHECK(std::fabs(kept - 300.0) <= 4 * std::sqrt(400 * 0.25 * 0.75));
}

TEST_CASE("what is allowed and not finite is seen", "[pooling]") {
  const Batch q = batch_of(1, 1, 1, {1});
  const Batch k = batch_of(1, 2, 1, {0, 0});
  CHECK(std::isnan(dot_product_attention(q, k, batch_of(1, 2, 1, {1, not_a_number})).value().output(0, 0, 0)));
  CHECK(dot_product_attention(q, k, batch_of(1, 2, 1, {1, inf})).value().output(0, 0, 0) == inf);
  CHECK(std::isnan(dot_product_attention(q, batch_of(1, 2, 1, {0, not_a_number}), batch_of(1, 2, 1, {1, 1})).value().output(0, 0, 0)));
  // +infinity is the limit, -infinity a score that weighs 0 and so reads no value.
  CHECK(dot_product_attention(q, batch_of(1, 2, 1, {0, inf}), batch_of(1, 2, 1, {not_a_number, 7})).value().output(0, 0, 0) == 7);
  CHECK(dot_product_attention(q, batch_of(1, 2, 1, {0, -inf}), batch_of(1, 2, 1, {7, not_a_number})).value().output(0, 0, 0) == 7);
}

TEST_CASE("no keys, no queries, no batch, no width", "[pooling]") {
  const auto shaped = [](std::size_t a, std::size_t b, std::size_t c) { return Batch::from_shape({a, b, c}); };
  const auto none = dot_product_attention<double>(shaped(2, 3, 4), shaped(2, 0, 4), shaped(2, 0, 5)).value();
  CHECK(shape_of(none.weights) == std::array<std::size_t, 3>{2, 3, 0});
  CHECK(shape_of(none.output) == std::array<std::size_t, 3>{2, 3, 5});
  CHECK(all_plus_zero(none.output));
  CHECK(dot_product_attention<double>(shaped(2, 0, 4), shaped(2, 6, 4), shaped(2, 6, 5)).value().output.size() == 0);
  CHECK(dot_product_attention<double>(shaped(0, 3, 4), shaped(0, 6, 4), shaped(0, 6, 5)).value().output.size() == 0);
  CHECK(shape_of(dot_product_attention<double>(shaped(1, 1, 0), shaped(1, 4, 0), shaped(1, 4, 0)).value().output) == std::array<std::size_t, 3>{1, 1, 0});
  // d = 0: all scores 0, the plain mean of the values.
  CHECK(dot_product_attention<double>(shaped(1, 1, 0), shaped(1, 4, 0), batch_of(1, 4, 1, {1, 2, 3, 6})).value().output(0, 0, 0) == 3);
}

TEST_CASE("what does not fit is refused by name", "[pooling][errors]") {
  const auto shaped = [](std::size_t a, std::size_t b, std::size_t c) { return Batch::from_shape({a, b, c}); };
  const Batch q = shaped(2, 3, 4);
  const Batch k = shaped(2, 6, 4);
  const Batch values = shaped(2, 6, 5);
  CHECK(complaint(dot_product_attention(q, k, shaped(2, 5, 5))) == "wrong_shape values | values: shape (2, 5, 5) does not fit keys of shape (2, 6, 4); axis 1 (keys) is 5, allowed is 6");
  CHECK(complaint(dot_product_attention(q, k, shaped(1, 6, 5))).starts_with("wrong_shape values | values: shape (1, 6, 5) does not fit keys of shape (2, 6, 4); axis 0 (batch)"));
  CHECK(complaint(dot_product_attention(q, shaped(2, 6, 3), values)).starts_with("wrong_shape keys | "));
  CHECK(complaint(dot_product_attention(q, k, values, {}, {1, random::Key{}, Mode::evaluation})).starts_with("out_of_range dropout | "));
  const ValidLens beyond = ValidLens::per_sequence({2, 7}).value();
  CHECK(complaint(dot_product_attention(q, k, values, beyond)).starts_with("out_of_range valid_lens | valid_lens[1] is 7"));
  const Mask wrong = Mask::from_shape({1, 2, 6});
  CHECK(complaint(dot_product_attention(q, k, values, wrong)).starts_with("wrong_shape mask | "));
  CHECK(complaint(pool(shaped(2, 3, 6), shaped(2, 5, 1))) == "wrong_shape values | values: shape (2, 5, 1) does not fit weights of shape (2, 3, 6); axis 1 (keys) is 5, allowed is 6, axis 2 of weights");
  // A refused call has drawn nothing.
  random::torch::Generator generator(4);
  CHECK(!dot_product_attention(q, k, values, beyond, {0.5, &generator, Mode::training}).ok());
  std::array<float, 1> drawn{};
  std::array<float, 1> fresh{};
  generator.rand(drawn);
  random::torch::Generator(4).rand(fresh);
  CHECK(drawn == fresh);
}

TEST_CASE("reported cases: NaN behind a mask, no keys, dropout, empty rows in the next layer", "[pooling][cases]") {
  const Batch one = batch_of(1, 1, 1, {1});
  {  // 06: scores 0 and NaN, the second masked, its value NaN.
    Mask mask = Mask::from_shape({1, 1, 2});
    mask(0, 0, 0) = true, mask(0, 0, 1) = false;
    const auto got = attention(Dot{}, one, batch_of(1, 2, 1, {0, not_a_number}), batch_of(1, 2, 1, {2, not_a_number}), mask).value();
    CHECK(got.weights == batch_of(1, 1, 2, {1, 0}));
    CHECK(got.output == batch_of(1, 1, 1, {2}));
  }
  {  // 48: two queries, no keys, values of width 3.
    const auto got = dot_product_attention<double>(Batch::from_shape({1, 2, 4}), Batch::from_shape({1, 0, 4}), Batch::from_shape({1, 0, 3})).value();
    CHECK(shape_of(got.weights) == std::array<std::size_t, 3>{1, 2, 0});
    CHECK(got.output == batch_of(1, 2, 3, {0, 0, 0, 0, 0, 0}));
  }
  {  // 49: a single key at p = 0.2 gives 0 or 1.25, in evaluation 1; ten even weights at p = 0.5 have row sums of variance 0.1.
    random::torch::Generator generator(0);
    std::array<int, 2> seen{};
    for (int draw = 0; draw < 200; ++draw) {
      const double out = dot_product_attention(one, one, one, {}, {0.2, &generator, Mode::training}).value().output(0, 0, 0);
      REQUIRE((out == 0 || out == 1.25));
      ++seen[out == 0 ? 0 : 1];
    }
    CHECK((seen[0] > 0 && seen[1] > seen[0]));
    CHECK(dot_product_attention(one, one, one, {}, {0.2, &generator, Mode::evaluation}).value().output(0, 0, 0) == 1);
    constexpr std::size_t draws = 20000;
    Batch queries = Batch::from_shape({1, draws, 1});
    Batch keys = Batch::from_shape({1, 10, 1});
    queries.fill(0), keys.fill(0);
    Batch ones = Batch(keys + 1);
    const auto sums = dot_product_attention(queries, keys, ones, {}, {0.5, &generator, Mode::training}).value().output;
    double variance = 0;
    for (const double sum : sums) variance += (sum - 1) * (sum - 1) / draws;
    // Binomial of ten tosses: fourth central moment 3 * 0.1^2 - 2 * 10 * 0.1^4 = 0.028.
    CHECK(std::fabs(variance - 0.1) <= 4 * std::sqrt((0.028 - 0.01) / draws));
  }
  {  // 50: dropout comes after the softmax, so that a score of -infinity never meets a 0.
    const Batch keys = batch_of(1, 2, 1, {1, -inf});
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto got = attention(Dot{}, one, keys, batch_of(1, 2, 1, {1, 1}), {}, {0.5, random::jax::key(seed), Mode::training}).value();
      REQUIRE(got.weights == batch_of(1, 1, 2, {1, 0}));
      REQUIRE((got.output(0, 0, 0) == 0 || got.output(0, 0, 0) == 2));
    }
  }
  // 53: a value of NaN under a weight of 0 is not read.
  CHECK(pool(batch_of(1, 1, 2, {1, 0}), batch_of(1, 2, 1, {3, not_a_number})).value() == batch_of(1, 1, 1, {3}));
}

TEST_CASE("a mask expression pools as its boolean tensor does, and packed documents as each alone", "[pooling]") {
  support::Bits bits(73);
  const auto q = support::random_scores<double>(bits, 1, 6, 4, 2);
  const auto k = support::random_scores<double>(bits, 1, 6, 4, 2);
  const auto v = support::random_scores<double>(bits, 1, 6, 3, 2);
  const BoundMask packed = BoundMask::make(parse_mask("causal & documents(4,2)").value(), {1, 1, 6, 6}).value();
  const auto by_expression = dot_product_attention(q, k, v, packed).value();
  Mask cells = Mask::from_shape({1, 6, 6});
  for (std::size_t i = 0; i < 36; ++i) cells.data()[i] = packed.allows(0, 0, i / 6, i % 6);
  const auto by_cells = dot_product_attention(q, k, v, cells).value();
  CHECK(by_expression.output == by_cells.output);
  CHECK(by_expression.weights == by_cells.weights);
  struct Document {
    std::size_t first, length;
  };
  for (const Document document : {Document{0, 4}, Document{4, 2}}) {
    const std::size_t length = document.length;
    const auto part = [document](const Batch& whole) {
      Batch rows = Batch::from_shape({1, document.length, whole.shape()[2]});
      for (std::size_t i = 0; i < document.length; ++i) {
        for (std::size_t c = 0; c < whole.shape()[2]; ++c) rows(0, i, c) = whole(0, document.first + i, c);
      }
      return rows;
    };
    const BoundMask causal = BoundMask::make(MaskExpr::causal(), {1, 1, length, length}).value();
    const auto alone = dot_product_attention(part(q), part(k), part(v), causal).value();
    CHECK(alone.output == part(by_expression.output));
  }
}

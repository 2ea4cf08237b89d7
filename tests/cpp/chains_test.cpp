// The chains that print the textbook's numbers: known values of their exp and tanh, the printed texts, and the one near tie.
#include <catch2/catch_test_macros.hpp>

#include <cmath>

#include "attn/chains.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "ledger_printed.hpp"
#include "support.hpp"

using namespace attn;

TEST_CASE("all 112 printed numbers come out again as text", "[chains]") {
  std::size_t slots = 0;
  std::size_t index = 0;
  for (const char* framework : {"jax", "torch"}) {
    const auto tables = studies::make_tables(framework, 0, [](double) { return true; }).value();
    for (const auto& made : tables) {
      const studies::PrintedTable& table = studies::printed_tables().at(index++);
      REQUIRE(table.framework == framework);
      REQUIRE(made.size() == table.printed.size());
      for (std::size_t i = 0; i < made.size(); ++i) {
        INFO(framework << ", " << table.about << ", " << table.entries[i] << ", value " << made[i].value);
        CHECK(made[i].text == table.printed[i]);
        // The text is that of the value: rounding the value for print gives it back.
        CHECK(std::fabs(std::strtod(made[i].text.c_str(), nullptr) - made[i].value) <= (table.about.starts_with("Jacobian") ? 5e-4 : 5.001e-5));
        ++slots;
      }
    }
  }
  CHECK(slots == 112);
}

TEST_CASE("the near tie prints 0.2584 only by way of double", "[chains]") {
  // Second table of torch.rand(2, 2, 4) in the section's order, row [0][1], third weight: 0.258350003817 from the float draws.
  random::torch::Generator generator(0);
  for (const std::size_t d : {4U, 64U, 512U}) {
    for (int call = 0; call < 2; ++call) {
      std::vector<float> draws(256 * d);
      generator.randn(draws);
      draws.resize(256 * 64 * d);
      generator.randn(draws);
    }
  }
  std::vector<float> scores(16);
  generator.rand(scores);
  generator.rand(scores);
  const auto row = std::span<const float>(scores).subspan(4, 3);
  std::vector<double> weights(3);
  chains::torch::softmax_row(row, 3, weights);
  CHECK(std::fabs(weights[2] - 0.258350003817) < 1e-12);
  long double sum = 0;
  for (const float score : row) sum += std::exp(static_cast<long double>(score));
  const auto exact = static_cast<double>(std::exp(static_cast<long double>(row[2])) / sum);
  CHECK(std::fabs(exact - 0.258350003817) < 1e-12);
  CHECK(chains::torch::text(weights[2]) == "0.2584");
  // exp, sum and division in float32, each exactly rounded, fall on the other side.
  float float_sum = 0;
  std::array<float, 3> exponentials{};
  const float largest = std::max({row[0], row[1], row[2]});
  for (std::size_t j = 0; j < 3; ++j) {
    exponentials[j] = static_cast<float>(std::exp(static_cast<double>(row[j]) - static_cast<double>(largest)));
    float_sum = float_sum + exponentials[j];
  }
  CHECK(chains::torch::text(static_cast<double>(exponentials[2] / float_sum)) == "0.2583");
}

TEST_CASE("the JAX chain's exp and tanh are close to the functions", "[chains]") {
  support::Bits bits(51);
  double worst_exp = 0;
  double worst_tanh = 0;
  double worst_small = 0;
  for (int i = 0; i < 200000; ++i) {
    const auto x = static_cast<float>(bits.real(-87.3, 80));  // down to the least normal number
    const double exact = std::exp(static_cast<double>(x));
    worst_exp = std::max(worst_exp, std::fabs(static_cast<double>(chains::jax::exp(x)) / exact - 1));
    const auto y = static_cast<float>(bits.real(-12, 12));
    worst_tanh = std::max(worst_tanh, std::fabs(static_cast<double>(chains::jax::tanh(y)) - std::tanh(static_cast<double>(y))));
    const auto small = y / 1000;  // about 0.0004, below which tanh x is x
    worst_small = std::max(worst_small, std::fabs(static_cast<double>(chains::jax::tanh(small)) / std::tanh(static_cast<double>(small)) - 1));
  }
  INFO("exp " << worst_exp << " relative, tanh " << worst_tanh << " absolute, near 0 " << worst_small << " relative");
  CHECK(worst_exp < 2.4e-7);  // two float epsilons
  CHECK(worst_tanh < 4.8e-7);
  CHECK(worst_small < 3.6e-7);  // three: numerator, denominator and quotient
  CHECK(chains::jax::exp(0) == 1);
  CHECK(chains::jax::tanh(1e-5F) == 1e-5F);
  CHECK(chains::jax::tanh(-1e-5F) == -1e-5F);
}

TEST_CASE("numbers print as the frameworks print them", "[chains]") {
  CHECK(chains::jax::text(0.25F) == "0.25");
  CHECK(chains::jax::text(1.0F) == "1.");
  CHECK(chains::jax::text(0.0F) == "0.");
  CHECK(chains::jax::text(0.1F) == "0.1");
  CHECK(chains::jax::text(0.062760763F) == "0.06276076");
  CHECK(chains::torch::text(0.70046) == "0.7005");
  CHECK(chains::torch::text(1.0) == "1.0000");
}

TEST_CASE("masked rows of both chains are zero beyond their length", "[chains]") {
  const std::vector<float> scores{0.5F, 2.0F, 1.0F};
  const auto check = [&](auto row, auto zero) {
    using Weights = std::vector<decltype(zero)>;
    Weights weights(3, 9);
    row(scores, 0, weights);
    CHECK(weights == Weights{0, 0, 0});
    row(scores, 1, weights);
    CHECK(weights == Weights{1, 0, 0});
    row(scores, 2, weights);
    CHECK(weights[2] == 0);
    CHECK(std::fabs(static_cast<double>(weights[0] + weights[1]) - 1) < 1e-6);
  };
  check(chains::jax::softmax_row, 0.0F);
  check(chains::torch::softmax_row, 0.0);
}

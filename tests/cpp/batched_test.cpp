// The study of batched attention: its stages against the core's functions, its draws of dropout against single calls and against
// PyTorch's own, its histogram against every way to toss, and the input that is strange but has an answer.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

#include "attn/dropout.hpp"
#include "attn/matmul.hpp"
#include "attn/pooling.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/score.hpp"
#include "attn/softmax.hpp"
#include "layers_support.hpp"
#include "studies.hpp"
#include "study_support.hpp"

using namespace attn;
using namespace layers;
using namespace studies_support;

namespace {

Run batched(const Given& given) { return run_of(studies::batched(), given); }

Batch tensor(const Run& run, const std::string& name) {
  const Series& found = series(run, name);
  REQUIRE(found.shape.size() == 3);
  Batch out = Batch::from_shape({found.shape[0], found.shape[1], found.shape[2]});
  REQUIRE(out.size() == found.data.size());
  std::copy(found.data.begin(), found.data.end(), out.data());
  return out;
}

/// The dropout of draw `draw` from 0, as a fresh run of single calls makes it.
std::vector<Batch> single_calls(const Batch& weights, bool torch, std::uint32_t seed, double rate, std::uint32_t draws) {
  random::torch::Generator generator(seed);
  std::vector<Batch> calls;
  for (std::uint32_t call = 0; call < draws; ++call) {
    const DropoutGenerator source = torch ? DropoutGenerator{&generator} : DropoutGenerator{flax_dropout_key(seed, call)};
    calls.push_back(apply_dropout(weights, {rate, source, Mode::training}).value());
  }
  return calls;
}

}  // namespace

TEST_CASE("each stage is the core's own function of the stages before it", "[batched]") {
  for (const std::string generator : {"jax", "torch"}) {
    for (const std::string lens : {"", "2,6", "1,2,3;0,9,10"}) {
      const Run run = batched({{"generator", generator}, {"lens", lens}, {"queries", 3.0}, {"d", 5.0}, {"width", 3.0}, {"seed", 4.0}, {"dropout_seed", 9.0}, {"dropout", 0.3}, {"draws", 10.0}});
      const Batch queries = tensor(run, "queries");
      const Batch keys = tensor(run, "keys");
      CHECK(tensor(run, "products") == scores(Dot{}, queries, keys).value());
      CHECK(tensor(run, "scaled") == scores(ScaledDot{}, queries, keys).value());
      const auto text = parse_lengths("lens", lens).value();
      const Batch weights = tensor(run, "weights");
      if (lens.empty()) {
        CHECK(weights == masked_softmax(tensor(run, "scaled")).value());
      } else {
        CHECK(weights == masked_softmax(tensor(run, "scaled"), ValidLens::make(text.values, text.shape).value()).value());
      }
      const Batch first = single_calls(weights, generator == "torch", 9, 0.3, 1)[0];
      CHECK(tensor(run, "pooled") == first);
      CHECK(tensor(run, "output") == pool(first, tensor(run, "values")).value());
      CHECK(distance(tensor(run, "plain_output"), tensor(run, "output")) < 1e-15);
      const Batch kept = tensor(run, "kept");
      const Batch allowed = tensor(run, "allowed");
      std::size_t cells = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        CHECK((allowed.data()[i] == 1) == (weights.data()[i] > 0));
        if (weights.data()[i] > 0) CHECK((kept.data()[i] == 1) == (first.data()[i] > 0));
        cells += allowed.data()[i] == 1 ? 1U : 0U;
      }
      CHECK(cells == (lens.empty() ? 60U : lens == "2,6" ? 24U : 25U));
    }
  }
}

TEST_CASE("the inputs are the section's draws, and seeds shift them", "[batched]") {
  std::array<float, 40> drawn{};
  const Run jax = batched({{"seed", 7.0}, {"draws", 10.0}});
  random::jax::normal(random::jax::key(8), 0, drawn);
  for (std::size_t i = 0; i < 40; ++i) CHECK(series(jax, "keys").data[i] == static_cast<double>(drawn[i]));
  const Run torch = batched({{"seed", 7.0}, {"draws", 10.0}, {"generator", std::string("torch")}});
  random::torch::Generator stream(7);
  std::array<float, 4> queries{};
  stream.randn(queries);
  stream.randn(drawn);
  for (std::size_t i = 0; i < 40; ++i) CHECK(series(torch, "keys").data[i] == static_cast<double>(drawn[i]));
}

TEST_CASE("PyTorch's layer, its dropout and a thousand draws", "[batched]") {
  // PyTorch 1.13.1 of Debian 12, CPU, without MKL: DotProductAttention of the section on its inputs, then manual_seed(dropout_seed) and
  // torch.nn.functional.dropout of the weights again and again; sums in float64 of float32 weights. Bounds: a few float32 roundings.
  struct Record {
    double seed, dropout_seed, rate, draws;
    std::array<double, 8> evaluation, training;
    std::array<double, 2> mean, variance;
  };
  for (const Record& record :
       {Record{0, 0, 0.5, 1000,
               {-1.243685245513916, 2.1422650814056396, -0.06448876857757568, 0.5817514657974243, -0.07034306228160858, -1.329258680343628, 0.4321151077747345, -0.09034944325685501},
               {0, 0, 0, 0, -0.19092170894145966, -2.676741123199463, 0.912322998046875, -0.17776598036289215},
               {0.9647076272964478, 1.0163939760699867}, {0.6264781661891586, 0.3160837982904466}},
        Record{3, 5, 0.3, 200,
               {-0.8008161783218384, 0.4519399404525757, -0.27760329842567444, 0.41430002450942993, -0.25463661551475525, 0.8114541172981262, -0.36032170057296753, -0.325510710477829},
               {-1.1440231800079346, 0.6456284523010254, -0.3965761661529541, 0.5918571949005127, -0.3397524952888489, 1.1274185180664062, -0.5514512062072754, -0.4636600911617279},
               {1.037065514922142, 1.015161271095276}, {0.20836435527539993, 0.10451370787528838}}}) {
    Given given{{"generator", std::string("torch")}, {"seed", record.seed}, {"dropout_seed", record.dropout_seed}, {"dropout", record.rate}, {"draws", record.draws}};
    const Run training = batched(given);
    given.emplace_back("training", false);
    const Run evaluation = batched(given);
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(std::fabs(series(training, "output").data[i] - record.training[i]) < 2e-6);
      CHECK(std::fabs(series(evaluation, "output").data[i] - record.evaluation[i]) < 2e-6);
    }
    for (std::size_t row = 0; row < 2; ++row) {
      CHECK(std::fabs(series(training, "sum_mean").data[row] - record.mean[row]) < 1e-6);
      CHECK(std::fabs(series(training, "sum_variance").data[row] - record.variance[row]) < 1e-6);
    }
  }
}

TEST_CASE("the draws are call after call, and their figures plain sums over them", "[batched]") {
  constexpr std::uint32_t draws = 50;
  for (const std::string generator : {"jax", "torch"}) {
    const Run run = batched({{"generator", generator}, {"queries", 3.0}, {"dropout", 0.4}, {"dropout_seed", 11.0}, {"draws", double{draws}}, {"sequence", 2.0}, {"row", 3.0}});
    const auto calls = single_calls(tensor(run, "weights"), generator == "torch", 11, 0.4, draws);
    for (std::size_t row = 0; row < 6; ++row) {
      double mean = 0, variance = 0, inside = 0;
      std::vector<double> sums;
      for (const Batch& call : calls) {
        double sum = 0;
        for (std::size_t k = 0; k < 10; ++k) sum += call.data()[row * 10 + k];
        sums.push_back(sum);
        mean += sum / draws;
      }
      for (const double sum : sums) variance += (sum - mean) * (sum - mean) / (draws - 1);
      CHECK(std::fabs(series(run, "sum_mean").data[row] - mean) < 1e-14);
      CHECK(std::fabs(series(run, "sum_variance").data[row] - variance) < 1e-13);
      if (row != 5) continue;
      const auto& edges = series(run, "histogram_edges").data;
      const auto& counts = series(run, "histogram").data;
      for (std::size_t bin = 0; bin < counts.size(); ++bin) {
        for (const double sum : sums) inside += sum > edges[bin] + 1e-12 && sum < edges[bin + 1] - 1e-12 && counts[bin] == 0 ? 1 : 0;
      }
      CHECK(inside == 0);
      double total = 0;
      for (const double count : counts) total += count;
      CHECK(total == draws);
    }
    double dropped = 0;
    const auto key = static_cast<std::size_t>(single(run, "one_hot_key")) - 1;
    for (const Batch& call : calls) dropped += call(1, 2, key) == 0 ? 1.0 / draws : 0;
    CHECK(std::fabs(single(run, "one_hot_zero_share") - dropped) < 1e-14);
    for (std::size_t i = 0; i < 60; ++i) {
      double mean = 0;
      for (const Batch& call : calls) mean += call.data()[i] / draws;
      CHECK(std::fabs(series(run, "pooled_mean").data[i] - mean) < 1e-14);
    }
  }
}

TEST_CASE("mean, variance and histogram keep to the formula within four standard errors", "[batched]") {
  for (const std::string generator : {"jax", "torch"}) {
    for (const double rate : {0.05, 0.5, 0.9}) {
      const Run run = batched({{"generator", generator}, {"dropout", rate}, {"draws", 20000.0}, {"dropout_seed", 21.0}, {"batch", 1.0}, {"queries", 4.0}, {"lens", std::string("1,2,5,10;")}, {"row", 3.0}});
      for (std::size_t row = 0; row < 4; ++row) {
        const double predicted = series(run, "predicted_variance").data[row];
        INFO(generator << ", p = " << rate << ", row " << row);
        CHECK(std::fabs(series(run, "sum_mean").data[row] - 1) <= 4 * series(run, "sum_mean_se").data[row]);
        CHECK(std::fabs(series(run, "sum_variance").data[row] - predicted) <= 4 * series(run, "sum_variance_se").data[row]);
        CHECK(predicted >= series(run, "uniform_variance").data[row] * (1 - 1e-15));
        CHECK(predicted <= single(run, "one_hot_variance") * (1 + 1e-15));
      }
      CHECK(std::fabs(series(run, "predicted_variance").data[0] - single(run, "one_hot_variance")) <= 1e-15 * single(run, "one_hot_variance"));
      CHECK(std::fabs(single(run, "one_hot_zero_share") - rate) <= 4 * single(run, "one_hot_zero_se"));
      double exact = 0;
      for (std::size_t bin = 0; bin < 41; ++bin) {
        const double expected = series(run, "histogram_exact").data[bin];
        const double share = expected / 20000;
        exact += expected;
        CHECK(std::fabs(series(run, "histogram").data[bin] - expected) <= 4 * std::sqrt(expected * (1 - share)) + 1e-9);
      }
      CHECK(std::fabs(exact - 20000) < 1e-8);
    }
  }
}

TEST_CASE("standard errors of mean and variance are those of the tosses themselves", "[batched]") {
  // Over 300 seeds the means of 40 draws spread as told: their variance within 4 of its own standard errors, sqrt(2 / 299).
  double means = 0, variances = 0;
  for (double seed = 0; seed < 300; ++seed) {
    const Run run = batched({{"dropout", 0.3}, {"draws", 40.0}, {"dropout_seed", seed}});
    means += std::pow((series(run, "sum_mean").data[1] - 1) / series(run, "sum_mean_se").data[1], 2) / 300;
    variances += std::pow((series(run, "sum_variance").data[1] - series(run, "predicted_variance").data[1]) / series(run, "sum_variance_se").data[1], 2) / 300;
  }
  CHECK(std::fabs(means - 1) < 4 * std::sqrt(2.0 / 299));
  CHECK(std::fabs(variances - 1) < 6 * std::sqrt(2.0 / 299));  // a variance of 40 draws has heavier tails
}

TEST_CASE("what is predicted of a row is what all ways to toss it give, and its bins part the range of its sums evenly", "[batched]") {
  for (const double rate : {0.1, 0.5, 0.75}) {
    const Run run = batched({{"keys", 5.0}, {"lens", std::string("5,3")}, {"dropout", rate}, {"draws", 200.0}, {"sequence", 2.0}});
    const Batch weights = tensor(run, "weights");
    INFO("p = " << rate);
    for (std::size_t row = 0; row < 2; ++row) {
      long double mean = 0, second = 0, fourth = 0;
      for (unsigned way = 0; way < 32; ++way) {
        long double chance = 1, sum = -1;
        for (std::size_t k = 0; k < 5; ++k) {
          const bool kept = (way >> k & 1U) != 0;
          chance *= kept ? 1 - static_cast<long double>(rate) : static_cast<long double>(rate);
          if (kept) sum += static_cast<long double>(weights.data()[row * 5 + k]) / (1 - static_cast<long double>(rate));
        }
        mean += chance * sum;
        second += chance * sum * sum;
        fourth += chance * sum * sum * sum * sum;
      }
      CHECK(std::fabs(static_cast<double>(mean)) < 1e-15);
      CHECK(std::fabs(series(run, "predicted_variance").data[row] / static_cast<double>(second) - 1) < 1e-14);
      CHECK(std::fabs(series(run, "sum_mean_se").data[row] / static_cast<double>(std::sqrt(second / 200)) - 1) < 1e-14);
      CHECK(std::fabs(series(run, "sum_variance_se").data[row] / static_cast<double>(std::sqrt((fourth - second * second * 197 / 199) / 200)) - 1) < 1e-13);
    }
    const auto& edges = series(run, "histogram_edges").data;
    REQUIRE(edges.size() == 42);
    CHECK(edges.front() == 0);
    CHECK(edges.back() == 1 / (1 - rate));
    for (std::size_t i = 0; i < 42; ++i) CHECK(std::fabs(edges[i] - static_cast<double>(i) / 41 / (1 - rate)) < 1e-14);
  }
}

TEST_CASE("of keys that weigh alike the first stands for all the weight", "[batched]") {
  // keys all alike: so are the weights
  const Run run = batched({{"keys", 4.0}, {"d", 1.0}, {"lens", std::string("4,4")}, {"key_entries", std::string("1;1;1;1;1;1;1;1")}, {"dropout", 0.5}, {"draws", 10.0}});
  const auto& weights = series(run, "weights").data;
  CHECK(weights[0] == weights[3]);
  CHECK(single(run, "one_hot_key") == 1);
}

TEST_CASE("evaluation draws nothing and leaves the sums as they are", "[batched]") {
  for (const char* off : {"training", "dropout"}) {
    const Run run = batched({{off, std::string(off) == "training" ? Value(false) : Value(0.0)}});
    CHECK(single(run, "active_rate") == 0);
    CHECK(series(run, "pooled").data == series(run, "weights").data);
    CHECK(series(run, "pooled_mean").data == series(run, "weights").data);
    CHECK(series(run, "sum_variance").data == std::vector<double>{0, 0});
    CHECK(series(run, "sum_mean").data == series(run, "sum_expected").data);
    CHECK(single(run, "one_hot_zero_share") == 0);
    CHECK(series(run, "histogram").data.back() == 1000);
    CHECK(series(run, "kept").data == std::vector<double>(20, 1.0));
  }
}

TEST_CASE("identity values make the output the weights after dropout", "[batched]") {
  const Run run = batched({{"identity", true}, {"value_entries", std::string("1,2;3,4")}, {"width", 1.0}});
  CHECK(series(run, "output").shape == std::vector<std::size_t>{2, 1, 10});
  CHECK(series(run, "output").data == series(run, "pooled").data);
}

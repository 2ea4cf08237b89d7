// The study of masked softmax: its series against plain loops over the lengths and the order of queries and keys, its snippet's mask by its words.
// The softmax itself is tested in softmax_test.cpp and cases_test.cpp.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "attn/random/jax.hpp"
#include "studies.hpp"
#include "study_support.hpp"

using namespace attn;
using studies_support::run_of;
using studies_support::series;

TEST_CASE("allowed cells, lengths, weights and empty rows are those of a loop", "[masked-softmax]") {
  constexpr std::size_t batch = 2, queries = 3, keys = 4;
  const std::vector<double> by_sequence{2, 4}, by_query{1, 0, 4, 3, 2, 0};
  std::vector<float> draws(batch * queries * keys);
  random::jax::normal(random::jax::key(9), 0, draws);
  for (const char* lens : {"", "2,4", "1,0,4;3,2,0"}) {
    for (const bool causal : {false, true}) {
      const std::string text = lens;
      INFO(text << (causal ? ", causal" : ""));
      const Run run = run_of(studies::masked_softmax(), {{"batch", 2.0}, {"queries", 3.0}, {"keys", 4.0}, {"lens", text}, {"causal", causal}, {"scores", std::string("normal")}, {"seed", 9.0}});
      for (std::size_t b = 0; b < batch; ++b) {
        for (std::size_t q = 0; q < queries; ++q) {
          const std::size_t row = b * queries + q;
          const double length = text.empty() ? 4 : text == "2,4" ? by_sequence[b] : by_query[row];
          double sum = 0, kept = 0;
          const auto sees = [&](std::size_t k) { return static_cast<double>(k) < length && (!causal || k <= q); };
          for (std::size_t k = 0; k < keys; ++k) sum += sees(k) ? std::exp(static_cast<double>(draws[row * keys + k])) : 0;
          for (std::size_t k = 0; k < keys; ++k) {
            const std::size_t cell = row * keys + k;
            kept += sees(k) ? 1 : 0;
            CHECK(series(run, "scores").data[cell] == static_cast<double>(draws[cell]));
            CHECK(series(run, "allowed").data[cell] == (sees(k) ? 1 : 0));
            const double weight = sees(k) ? std::exp(static_cast<double>(draws[cell])) / sum : 0;
            CHECK(std::fabs(series(run, "weights").data[cell] - weight) <= 6e-8);  // half a step of a float below 1
          }
          CHECK(series(run, "valid_lens").data[row] == length);
          CHECK(series(run, "empty_rows").data[row] == (kept == 0 ? 1 : 0));
          CHECK(std::fabs(series(run, "row_sums").data[row] - (kept == 0 ? 0 : 1)) <= 4 * 6e-8);
        }
      }
    }
  }
}

TEST_CASE("the snippet writes the mask that the run has", "[masked-softmax]") {
  const auto code = [](const std::string& lens, bool causal, const char* generator) {
    const Study& study = studies::masked_softmax();
    return study.code(validate(study, {{"batch", 2.0}, {"queries", 2.0}, {"keys", 4.0}, {"lens", lens}, {"causal", causal}, {"generator", std::string(generator)}}).value());
  };
  const auto has = [](const std::string& whole, const char* part) { return whole.find(part) != std::string::npos; };
  CHECK(has(code("2,3", true, "torch"), "lens = torch.tensor([2, 3])\nmask = torch.ones_like(scores, dtype=torch.bool) & (keys < lens[:, None, None]) & (keys <= torch.arange(2)[:, None])\n"));
  CHECK(has(code("1,3;2,4", false, "jax"), "lens = jnp.array([[1, 3], [2, 4]])\nmask = jnp.ones_like(scores, dtype=bool) & (keys < lens[..., None])\n"));
  CHECK_FALSE(has(code("", true, "jax"), "lens"));
  CHECK(has(code("", true, "jax"), "(keys <= jnp.arange(2)[:, None])"));
}

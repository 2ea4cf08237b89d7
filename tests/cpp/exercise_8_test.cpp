// Exercise 8: each key against the formula p / (1 - p) sum of squares, on weights that the core makes elsewhere.
#include <catch2/catch_test_macros.hpp>

#include <cmath>

#include "exercises.hpp"
#include "layers_support.hpp"
#include "studies.hpp"
#include "study_support.hpp"

using namespace attn;
using namespace attn::studies;

namespace {

Answer key_of(const char* id) { return find_part(exercises(), id)->key(); }

std::string outcome(const char* id, const char* text) { return std::string(name(check_answer(*find_part(exercises(), id), text).value().outcome)); }

}  // namespace

TEST_CASE("exercise 8 expects a sum of 1 and the variances of uniform and one-hot rows", "[exercises]") {
  CHECK(std::fabs(key_of("8.1a")[0] - 1) < 1e-14);
  CHECK(std::fabs(key_of("8.1b")[0] - 1.0 / 32) < 1e-14);
  CHECK(std::fabs(key_of("8.1c")[0] - 0.25) < 1e-14);
  CHECK(outcome("8.1b", "1/32") == "right");
  CHECK(outcome("8.1b", "0.03125") == "right");
  CHECK(outcome("8.1b", "0.031") == "right");
  CHECK(outcome("8.1b", "0.034") == "wrong");
  CHECK(check_answer(*find_part(exercises(), "8.1b"), "0.177").value().words.starts_with("That is the standard deviation"));
  CHECK(outcome("8.1c", "25%") == "right");
}

TEST_CASE("exercise 8 knows what becomes of a one-hot row", "[exercises]") {
  CHECK(key_of("8.1d") == Answer{0});
  CHECK(outcome("8.1d", "zero") == "right");
  CHECK(outcome("8.1d", "nan") == "wrong");
}

TEST_CASE("exercise 8 predicts the variances of the section's rows for both frameworks", "[exercises]") {
  for (const char* generator : {"jax", "torch"}) {
    const Run run = studies_support::run_of(batched(), {{"generator", std::string(generator)}, {"draws", 10.0}});
    const auto& predicted = studies_support::series(run, "predicted_variance").data;
    const Answer key = key_of(std::string(generator) == "jax" ? "8.2a" : "8.2b");
    REQUIRE(key.size() == 2);
    for (std::size_t b = 0; b < 2; ++b) CHECK(std::fabs(key[b] - predicted[b]) < 1e-14);
  }
  CHECK(outcome("8.2a", "0.513;0.178") == "right");
  CHECK(outcome("8.2b", "0.617;0.310") == "right");
  CHECK(outcome("8.2a", "0.617;0.310") == "wrong");
}

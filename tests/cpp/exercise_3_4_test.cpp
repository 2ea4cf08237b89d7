// Answers of exercises 3 and 4 against formulas written out with the C library.
#include <catch2/catch_test_macros.hpp>

#include <cmath>

#include "exercises.hpp"

using namespace attn;
using namespace attn::studies;

namespace {

Answer key(std::string_view id) { return find_part(exercises(), id)->key(); }
Outcome outcome(std::string_view id, std::string_view text) { return check_answer(*find_part(exercises(), id), text).value().outcome; }

}  // namespace

TEST_CASE("exercise 3, the entropy of random scores", "[exercises]") {
  CHECK(key("3.1")[0] == 1);
  CHECK(std::fabs(key("3.2")[0] - (std::log(64.0) - 0.5)) < 1e-14);
  CHECK(std::fabs(key("3.3a")[0] - std::sqrt((std::exp(4.0) - 1) / 64)) < 1e-13);
  CHECK(std::fabs(key("3.3b")[0] - std::sqrt((std::exp(8.0) - 1) / 64)) < 1e-12);
  CHECK(key("3.3c")[0] == 0);
  CHECK(outcome("3.2", "3.66") == Outcome::right);
  CHECK(outcome("3.2", "3.65") == Outcome::close);
  CHECK(outcome("3.3a", "0.92") == Outcome::right);
  CHECK(outcome("3.3b", "6.8") == Outcome::right);
  CHECK(outcome("3.3d", "1.9") == Outcome::right);
  CHECK(outcome("3.3d", "0.2") == Outcome::wrong);
}

TEST_CASE("exercise 4, the softmax Jacobian", "[exercises]") {
  CHECK(key("4.1a")[0] == 0);
  CHECK(outcome("4.1b", "0.1875,-0.1875;-0.1875,0.1875") == Outcome::right);
  CHECK(outcome("4.1b", "3/16,-3/16;-3/16,3/16") == Outcome::right);
  CHECK(outcome("4.1b", "0.25,0;0,0.75") == Outcome::wrong);
  CHECK(key("4.2a")[0] == 0);
  CHECK(std::fabs(key("4.2b")[0] - std::sqrt(63.0) / 64) < 1e-15);
  CHECK(key("4.2c")[0] == 0);
  CHECK(key("4.3a")[0] == 2);
  CHECK(key("4.3b")[0] == 0.5);
  CHECK(key("4.3c")[0] == 0);
}

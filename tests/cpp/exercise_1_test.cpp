// Exercise 1 against the algebra on paper: which transformations keep which weights, and what biases do.
#include <catch2/catch_test_macros.hpp>

#include "exercises.hpp"

using namespace attn::studies;

TEST_CASE("exercise 1 has the answers of the algebra", "[exercises]") {
  const auto key = [](const char* id) { return find_part(exercises(), id)->key(); };
  // q - k is what the Gaussian sees: kept when both move, and its length by an orthogonal matrix.
  CHECK(key("1.1a") == Answer{0, 1, 1});
  // q.(k + c) = q.k + q.c; (q + c).(k + c) has c.k in it; (Rq).(Rk) = q.k.
  CHECK(key("1.1b") == Answer{1, 0, 1});
  CHECK(key("1.2") == Answer{0});
  CHECK(key("1.3a") == Answer{2});
  CHECK(key("1.3b") == Answer{0});
}

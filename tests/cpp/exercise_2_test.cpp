// Exercise 2 against a score by hand and the two rules written out plainly in long double on the section's draws.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <vector>

#include "attn/random/jax.hpp"
#include "exercises.hpp"

using namespace attn;
using namespace attn::studies;

namespace {

double key(const char* id) { return find_part(exercises(), id)->key().front(); }

struct Most {
  double number = 0, size = 0;
};

/// Both rules over the ten keys of an example, from the differences and from the products.
Most most_of(std::size_t sequence) {
  std::vector<float> queries(4), keys(40);
  random::jax::normal(random::jax::key(0), 0, queries);
  random::jax::normal(random::jax::key(1), 0, keys);
  const float* q = queries.data() + 2 * sequence;
  std::vector<long double> gaussian, dot;
  long double gaussian_sum = 0, dot_sum = 0;
  for (std::size_t j = 0; j < 10; ++j) {
    const float* k = keys.data() + 20 * sequence + 2 * j;
    const auto x = static_cast<long double>(q[0]), y = static_cast<long double>(q[1]), u = static_cast<long double>(k[0]), v = static_cast<long double>(k[1]);
    gaussian.push_back(std::exp(-((x - u) * (x - u) + (y - v) * (y - v)) / (2 * std::sqrt(2.0L))));
    dot.push_back(std::exp((x * u + y * v) / std::sqrt(2.0L)));
    gaussian_sum += gaussian.back();
    dot_sum += dot.back();
  }
  Most most;
  for (std::size_t j = 0; j < 10; ++j) {
    const auto difference = static_cast<double>(std::fabs(gaussian[j] / gaussian_sum - dot[j] / dot_sum));
    if (difference > most.size) most = {static_cast<double>(j + 1), difference};
  }
  return most;
}

}  // namespace

TEST_CASE("exercise 2 has the numbers of the rules written out", "[exercises]") {
  CHECK(std::fabs(key("2.1") - (1.5 - 2.5) / std::sqrt(2.0)) <= 1e-15);  // q.k = 1.5, |k|^2 / 2 = 2.5
  CHECK(key("2.2") == 0);
  CHECK(key("2.3a") == most_of(0).number);
  CHECK(std::fabs(key("2.3b") - most_of(0).size) <= 1e-14);
  CHECK(key("2.3c") == most_of(1).number);
  CHECK(key("2.3d") == 0);
}

// Exercises 5, 6 and 7: each key against what follows by hand, written out here.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <string>

#include "exercises.hpp"

using namespace attn::studies;

namespace {

Answer key(const char* part) { return find_part(exercises(), part)->key(); }

std::string chosen(const char* part) {
  const Part& found = *find_part(exercises(), part);
  return answer_text(found, found.key());
}

template <class Test>
Answer square(std::size_t rows, std::size_t columns, const Test& test) {
  Answer answer;
  for (std::size_t q = 1; q <= rows; ++q) {
    for (std::size_t k = 1; k <= columns; ++k) answer.push_back(test(q, k) ? 1 : 0);
  }
  return answer;
}

}  // namespace

TEST_CASE("exercise 5: fully masked rows", "[exercises]") {
  CHECK(chosen("5.1a") == "even");
  CHECK(key("5.1b").front() == 1.0 / 6);
  CHECK(chosen("5.1c") == "nan");
  CHECK(key("5.2a").front() == -std::numeric_limits<double>::infinity());
  CHECK(chosen("5.2b") == "nan");
  CHECK(chosen("5.2c") == "exact");
  CHECK(chosen("5.3a") == "product");
  CHECK(key("5.3b").front() == 2);
}

TEST_CASE("exercise 6: composite masks", "[exercises]") {
  CHECK(key("6.1a") == square(6, 6, [](std::size_t, std::size_t k) { return k <= 3; }));
  CHECK(key("6.1b") == square(6, 6, [](std::size_t q, std::size_t k) { return k <= q && q < k + 2; }));
  CHECK(chosen("6.1c") == "5,6");
  CHECK(chosen("6.2a") == "causal,window,packed");
  CHECK(chosen("6.2b") == "padded");
  // In single precision itself.
  volatile float lowest = -std::numeric_limits<float>::max();
  CHECK(key("6.3a").front() == static_cast<double>(lowest + lowest));
  CHECK(chosen("6.3b") == "nan");
  CHECK(chosen("6.3c") == "once");
}

TEST_CASE("exercise 7: two conventions", "[exercises]") {
  constexpr std::size_t lens[] = {1, 3, 0, 5};
  CHECK(key("7.1") == square(4, 5, [&](std::size_t q, std::size_t k) { return k <= lens[q - 1]; }));
  CHECK(key("7.2").front() == 0);
  CHECK(key("7.3a") == square(6, 6, [](std::size_t q, std::size_t k) { return k <= q && (q <= 4) == (k <= 4); }));
  CHECK(key("7.3b").front() == 0);
  CHECK(chosen("7.4a") == "padding,causal,both");
  CHECK(key("7.4b").front() == 1024.0 * 1024 / (4 * 1024));
  CHECK(key("7.4c").front() == 1024.0 * 1024 / 4);
}

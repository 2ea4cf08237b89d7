// Threefry and JAX's draws against published answers, and the promise that element i depends on the key and i only.
//
// The section's printed tables are compared in the tests of what is computed from the draws; that fast and plain forms
// of the normal agree on every input is kernels_test.cpp's matter.
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <vector>

#include "attn/random/jax.hpp"
#include "attn/random/threefry.hpp"
#include "support.hpp"

using namespace attn::random;

namespace {

std::vector<std::uint32_t> some_bits(Key key, std::uint64_t first, std::size_t n) {
  std::vector<std::uint32_t> out(n);
  jax::bits(key, first, out);
  return out;
}

std::vector<float> some_uniforms(Key key, std::uint64_t first, std::size_t n) {
  std::vector<float> out(n);
  jax::uniform(key, first, out);
  return out;
}

std::vector<float> some_normals(Key key, std::uint64_t first, std::size_t n) {
  std::vector<float> out(n);
  jax::normal(key, first, out);
  return out;
}

}  // namespace

TEST_CASE("threefry gives its authors' known answers", "[random]") {
  std::ifstream file(support::data_path("threefry2x32.txt"));
  std::string line;
  std::size_t compared = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::array<std::uint32_t, 6> w{};
    for (std::uint32_t& word : w) words >> std::hex >> word;
    REQUIRE(words);
    INFO(line);
    CHECK(threefry2x32({w[2], w[3]}, {w[0], w[1]}) == std::array{w[4], w[5]});
    ++compared;
  }
  CHECK(compared == 4);
  static_assert(threefry2x32({0, 0}, {0, 0})[0] == 0x6b200159u);
}

TEST_CASE("a key is the two halves of its seed, and splits as in JAX", "[random]") {
  CHECK(jax::key(7) == Key{0, 7});
  CHECK(jax::key(0x0123456789ABCDEFu) == Key{0x01234567u, 0x89ABCDEFu});
  const std::vector<Key> two = jax::split(jax::key(0));
  REQUIRE(two.size() == 2);
  CHECK(two[0] == Key{1797259609u, 2579123966u});
  CHECK(two[1] == Key{928981903u, 3453687069u});
  // The first keys do not depend on how many are asked for.
  const std::vector<Key> five = jax::split(jax::key(0), 5);
  REQUIRE(five.size() == 5);
  CHECK(five[0] == two[0]);
  CHECK(five[1] == two[1]);
  CHECK(jax::split(jax::key(0), 0).empty());
}

TEST_CASE("bits, uniforms and normals give JAX's known answers", "[random]") {
  CHECK(some_bits(jax::key(0), 0, 4) == std::vector<std::uint32_t>{4070199207u, 4202968722u, 1427181096u, 2012915765u});
  // The 23 high bits of the four words, as fractions.
  CHECK(some_uniforms(jax::key(0), 0, 4) ==
        std::vector<float>{(4070199207u >> 9) * 0x1p-23f, (4202968722u >> 9) * 0x1p-23f, (1427181096u >> 9) * 0x1p-23f,
                           (2012915765u >> 9) * 0x1p-23f});
  CHECK(some_normals(jax::key(0), 0, 1)[0] == 1.6226422f);
  CHECK(some_normals(jax::key(42), 0, 1)[0] == -0.028304616f);
}

TEST_CASE("an element depends on the key and its index only", "[random]") {
  const Key key{0x9E3779B9u, 17};
  constexpr std::size_t n = 1500;
  const auto bits = some_bits(key, 0, n);
  const auto uniforms = some_uniforms(key, 0, n);
  const auto normals = some_normals(key, 0, n);
  support::Bits pieces(20);
  for (std::size_t first = 0; first < n;) {
    const std::size_t count = std::min(n - first, pieces.below(300));
    const auto b = some_bits(key, first, count);
    const auto u = some_uniforms(key, first, count);
    const auto z = some_normals(key, first, count);
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(b[i] == bits[first + i]);
      REQUIRE(u[i] == uniforms[first + i]);
      REQUIRE(z[i] == normals[first + i]);
    }
    first += count;
  }
}

TEST_CASE("indices beyond 32 bits carry into the counter's high word", "[random]") {
  const Key key{3, 4};
  constexpr std::uint64_t first = 0xFFFF'FFFFu - 300;
  constexpr std::size_t n = 600;
  const auto bits = some_bits(key, first, n);
  const auto normals = some_normals(key, first, n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t index = first + i;
    const auto words = threefry2x32(key, {static_cast<std::uint32_t>(index >> 32), static_cast<std::uint32_t>(index)});
    REQUIRE(bits[i] == (words[0] ^ words[1]));
    REQUIRE(normals[i] == some_normals(key, index, 1)[0]);
  }
}

TEST_CASE("nothing is written beyond what was asked for", "[random]") {
  for (const std::size_t n : {0u, 1u, 3u, 4u, 255u, 256u, 257u}) {
    std::vector<float> out(n + 8, 99.0f);
    jax::normal(jax::key(1), 0, std::span(out).first(n));
    for (std::size_t i = 0; i < out.size(); ++i) REQUIRE((out[i] == 99.0f) == (i >= n));
    std::vector<std::uint32_t> words(n + 8, 99u);
    jax::bits(jax::key(1), 0, std::span(words).first(n));
    for (std::size_t i = n; i < words.size(); ++i) REQUIRE(words[i] == 99u);
  }
}

TEST_CASE("a million draws have the moments of their distributions", "[random]") {
  // Within five standard errors of each moment: a chance of about 2e-6 that a sound generator and a new seed would
  // fail.
  constexpr std::size_t n = 1'000'000;
  const double root = std::sqrt(static_cast<double>(n));
  double mean = 0;
  double square = 0;
  double fourth = 0;
  for (const float value : some_normals(jax::key(2024), 0, n)) {
    const double z = static_cast<double>(value);
    mean += z / n;
    square += z * z / n;
    fourth += z * z * z * z / n;
  }
  CHECK(std::fabs(mean) < 5 / root);
  CHECK(std::fabs(square - 1) < 5 * std::sqrt(2.0) / root);
  CHECK(std::fabs(fourth - 3) < 5 * std::sqrt(96.0) / root);

  std::array<double, 16> counts{};
  std::size_t outside = 0;
  for (const float u : some_uniforms(jax::key(2024), 0, n)) {
    if (u >= 0.0f && u < 1.0f) {
      counts[static_cast<std::size_t>(u * 16.0f)] += 1;
    } else {
      ++outside;
    }
  }
  CHECK(outside == 0);
  double chi_square = 0;
  for (const double count : counts) chi_square += (count - n / 16.0) * (count - n / 16.0) / (n / 16.0);
  CHECK(chi_square < 15 + 5 * std::sqrt(30.0));
}

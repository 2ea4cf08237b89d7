// The kernels against their plain forms: every possible normal, the meaning of the normal, dot products in their order,
// and one hash that all builds must share.
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../cpp/src/kernels/dot.hpp"
#include "../../cpp/src/kernels/normals.hpp"
#include "support.hpp"

using namespace attn;

namespace {

constexpr std::uint32_t distinct = std::uint32_t{1} << 23;  // the normal depends on the 23 high bits of its word

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) { return std::rotl((hash ^ word) * 0x9E3779B97F4A7C15u, 29); }

// The stated order, written as the statement reads.
double dot_by_definition(const float* a, const float* b, std::size_t n) {
  std::array<double, 8> s{};
  for (std::size_t i = 0; i < n; ++i) s[i % 8] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

std::vector<float> random_floats(std::uint64_t seed, std::size_t n) {
  support::Bits bits(seed);
  std::vector<float> out(n);
  for (float& x : out) x = static_cast<float>(bits.real(-4.0, 4.0));
  return out;
}

}  // namespace

TEST_CASE("all 2^23 normals equal the reference with std::fma, bit for bit", "[kernels]") {
  constexpr std::uint32_t chunk = 1u << 16;
  std::vector<std::uint32_t> words(chunk);
  std::vector<float> fast(chunk);
  std::uint32_t unequal = 0;
  for (std::uint32_t from = 0; from < distinct; from += chunk) {
    // The nine low bits must not matter: they differ from word to word here.
    for (std::uint32_t i = 0; i < chunk; ++i) words[i] = (from + i) << 9 | ((from + i) * 2654435761u >> 23);
    kernels::normals_from_bits(words.data(), fast.data(), chunk);
    for (std::uint32_t i = 0; i < chunk; ++i) {
      const float plain = kernels::normal_reference(words[i]);
      unequal += std::bit_cast<std::uint32_t>(fast[i]) != std::bit_cast<std::uint32_t>(plain) ? 1u : 0u;
    }
  }
  CHECK(unequal == 0);
}

TEST_CASE("normals are quantiles: erf(z / sqrt 2) gives the uniform back", "[kernels]") {
  double worst = 0;
  float last = -100.0f;
  for (std::uint32_t i = 0; i < distinct; i += 1009) {
    const float z = kernels::normal_reference(i << 9);
    const double u = (2.0 * i) * 0x1p-23 - (1.0 - 0x1p-24);
    worst = std::max(worst, std::fabs(std::erf(static_cast<double>(z) / std::sqrt(2.0)) - u));
    CHECK(z > last);
    last = z;
  }
  INFO("worst " << worst);
  CHECK(worst < 2.5e-7);  // four units in the last place of a float below 1
  CHECK(kernels::normal_reference(0) < -5.0f);
  CHECK(kernels::normal_reference(0xFFFFFFFFu) > 5.0f);
}

TEST_CASE("threefry_normals are the normals of threefry_bits", "[kernels]") {
  const random::Key key{12, 34};
  constexpr std::size_t n = 100'003;
  std::vector<std::uint32_t> words(n);
  std::vector<float> fused(n);
  std::vector<float> separate(n);
  kernels::threefry_bits(key, 5, words.data(), n);
  kernels::normals_from_bits(words.data(), separate.data(), n);
  kernels::threefry_normals(key, 5, fused.data(), n);
  CHECK(fused == separate);
}

TEST_CASE("dot products are summed in the stated order", "[kernels]") {
  for (std::size_t n = 0; n <= 70; ++n) {
    const auto a = random_floats(2 * n, n);
    const auto b = random_floats(2 * n + 1, n);
    INFO("n = " << n);
    CHECK(support::same(kernels::dot(a.data(), b.data(), n), dot_by_definition(a.data(), b.data(), n)));
  }
  CHECK(support::plus_zero(kernels::dot(nullptr, nullptr, 0)));
  // An order that any other would change: 2^60 is cancelled before the ones are added, or swallows them.
  const std::vector<float> big{0x1p60f, 1, 1, 1, -0x1p60f, 1, 1, 1};
  const std::vector<float> ones(8, 1.0f);
  CHECK(kernels::dot(big.data(), ones.data(), 8) == 6.0);
  const std::vector<float> split{0x1p60f, 1, 1, 1, 1, -0x1p60f, 1, 1};
  CHECK(kernels::dot(split.data(), ones.data(), 8) == 0.0);
  // Products are exact: the square of 2^24 - 1 has 48 bits.
  const float full = 16777215.0f;
  CHECK(kernels::dot(&full, &full, 1) == 281474943156225.0);
}

TEST_CASE("dots gives the bits of dot for every key", "[kernels]") {
  for (const std::size_t d : {1u, 4u, 8u, 13u, 64u, 100u, 512u}) {
    for (const std::size_t num_keys : {0u, 1u, 2u, 3u, 7u, 64u}) {
      const auto q = random_floats(d, d);
      const auto keys = random_floats(1000 * d + num_keys, num_keys * d);
      std::vector<double> scores(num_keys + 1, 99.0);
      kernels::dots(q.data(), keys.data(), num_keys, d, scores.data());
      for (std::size_t j = 0; j < num_keys; ++j) {
        CHECK(support::same(scores[j], kernels::dot(q.data(), keys.data() + j * d, d)));
      }
      CHECK(scores[num_keys] == 99.0);
    }
  }
}

TEST_CASE("one hash of draws and dot products is the same on every target", "[kernels][golden]") {
  constexpr std::size_t n = 1u << 20;
  std::vector<float> normals(n);
  kernels::threefry_normals({0, 2017}, 0, normals.data(), n);
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const float z : normals) hash = mix(hash, std::bit_cast<std::uint32_t>(z));
  std::vector<double> scores(n / 512);
  kernels::dots(normals.data(), normals.data(), scores.size(), 512, scores.data());
  for (const double score : scores) hash = mix(hash, std::bit_cast<std::uint64_t>(score));
  std::printf("\n  hash of normals and dots: 0x%016llX\n", static_cast<unsigned long long>(hash));
  CHECK(hash == 0x6E20C6FD90E9A2A9u);
}

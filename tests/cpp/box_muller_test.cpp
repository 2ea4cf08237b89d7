// PyTorch's block normals against their plain form on every logarithm, cosine and sine there is, and words of the twister
// read many at a time against words read one by one.
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "attn/random/mt19937.hpp"
#include "kernels/box_muller.hpp"
#include "support.hpp"

using namespace attn;

namespace {

constexpr std::size_t block = kernels::box_muller_block;
constexpr std::uint32_t distinct = std::uint32_t{1} << 24;  // a word counts by its 24 low bits

// All inputs where the code is optimised; a prime stride's share where each takes ten times as long, or is compared with
// itself.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(ATTN_SCALAR)
constexpr std::uint32_t stride = 1;
#else
constexpr std::uint32_t stride = 61;
#endif

// Words of which the low 24 bits are `x`, and the others differ from word to word.
std::uint32_t word(std::uint32_t x) { return x | (x * 2654435761u & 0xFF000000u); }

// How many normals differ from the plain form in any bit, over all x: `place(words, j, x)` fills pair j of a block.
template <class Place>
std::uint32_t unequal(Place place) {
  constexpr std::size_t blocks = 1024;
  std::vector<std::uint32_t> words(blocks * block);
  std::vector<float> fast(words.size());
  std::array<float, block> plain{};
  std::uint32_t count = 0;
  std::uint32_t x = 0;
  while (x < distinct) {
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::size_t j = 0; j < block / 2; ++j, x += stride) place(words.data() + b * block, j, std::min(x, distinct - 1));
    }
    kernels::box_muller(words.data(), fast.data(), blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
      kernels::box_muller_reference(words.data() + b * block, plain.data());
      for (std::size_t i = 0; i < block; ++i) {
        count += std::bit_cast<std::uint32_t>(fast[b * block + i]) != std::bit_cast<std::uint32_t>(plain[i]) ? 1u : 0u;
      }
    }
  }
  return count;
}

// A word whose radius is 1, so that the normals are cosine and sine themselves: x close to 1 - exp(-1/2) = 0.3935.
std::uint32_t unit_radius() {
  std::array<std::uint32_t, block> words{};
  std::array<float, block> normals{};
  for (std::uint32_t x = distinct / 1000 * 393; x < distinct / 1000 * 394; ++x) {
    words[0] = x;
    kernels::box_muller_reference(words.data(), normals.data());  // the angle is 0
    if (normals[0] == 1.0f) return x;
  }
  FAIL("no radius is 1");
  return 0;
}

}  // namespace

TEST_CASE("the radius of every uniform equals the plain form, bit for bit", "[box_muller]") {
  CHECK(unequal([](std::uint32_t* words, std::size_t j, std::uint32_t x) {
          words[j] = word(x);
          words[j + block / 2] = 0;  // cosine 1, sine 0
        }) == 0);
}

TEST_CASE("cosine and sine of every angle equal the plain form, bit for bit", "[box_muller]") {
  const std::uint32_t one = unit_radius();
  CHECK(unequal([one](std::uint32_t* words, std::size_t j, std::uint32_t x) {
          words[j] = one;
          words[j + block / 2] = word(x);
        }) == 0);
}

TEST_CASE("any number of blocks of mixed words equals the plain form", "[box_muller]") {
  for (const std::size_t blocks : {0u, 1u, 2u, 15u, 16u, 17u, 40u}) {
    random::Mt19937 generator(static_cast<std::uint32_t>(blocks));
    std::vector<std::uint32_t> words(blocks * block);
    generator.fill(words);
    std::vector<float> fast((blocks + 1) * block, 99.0f);
    std::vector<float> plain = fast;
    kernels::box_muller(words.data(), fast.data(), blocks);
    for (std::size_t b = 0; b < blocks; ++b) kernels::box_muller_reference(words.data() + b * block, plain.data() + b * block);
    CHECK(fast == plain);
  }
}

TEST_CASE("uniforms are the low 24 bits over 2^24", "[box_muller]") {
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<std::uint32_t> words(n);
    random::Mt19937(static_cast<std::uint32_t>(n)).fill(words);
    if (n > 5) words[5] = 0xFFFFFFFFu;
    std::vector<float> out(n + 1, 99.0f);
    kernels::uniforms_from_words(words.data(), out.data(), n);
    for (std::size_t i = 0; i < n; ++i) REQUIRE(static_cast<double>(out[i]) == words[i] % 16777216u / 16777216.0);
    REQUIRE(out[n] == 99.0f);
  }
}

TEST_CASE("words read many at a time are those read one by one", "[box_muller]") {
  random::Mt19937 one_by_one(77);
  random::Mt19937 many(77);
  for (std::size_t n : {0u, 1u, 3u, 620u, 624u, 625u, 2000u, 623u, 1u, 0u, 4u}) {
    std::vector<std::uint32_t> words(n);
    many.fill(words);
    for (const std::uint32_t w : words) REQUIRE(w == one_by_one.next());
    REQUIRE(many.next() == one_by_one.next());
  }
}

// PyTorch's generator against draws of PyTorch itself (tests/data/torch-random.txt), the standard's Mersenne Twister, the
// known answers of the textbook's notebooks, and the rules of its normal paths.
#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cmath>
#include <random>

#include "attn/attention.hpp"
#include "attn/random/mt19937.hpp"
#include "attn/random/torch.hpp"
#include "support.hpp"

using namespace attn;
using random::torch::Generator;

namespace {

std::vector<float> randn(Generator& generator, std::size_t n) {
  std::vector<float> out(n);
  generator.randn(out);
  return out;
}

std::vector<float> rand(Generator& generator, std::size_t n) {
  std::vector<float> out(n);
  generator.rand(out);
  return out;
}

/// Distance in units in the last place of two floats of one sign; huge when the signs differ.
std::int64_t ulps(float a, float b) {
  const auto bits = [](float x) { return static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(x)); };
  return std::signbit(a) == std::signbit(b) ? std::abs(bits(a) - bits(b)) : std::int64_t{1} << 40;
}

}  // namespace

TEST_CASE("the twister gives the standard's sequence", "[torch]") {
  random::Mt19937 standard_seed;
  std::uint32_t word = 0;
  for (int i = 0; i < 10000; ++i) word = standard_seed.next();
  CHECK(word == 4123659995U);  // ISO C++ [rand.predef]
  for (const std::uint32_t seed : {0U, 1U, 42U, 4294967295U}) {
    random::Mt19937 ours(seed);
    std::mt19937 library(seed);
    for (int i = 0; i < 3000; ++i) REQUIRE(ours.next() == library());
  }
}

TEST_CASE("every recorded draw of PyTorch comes out again", "[torch]") {
  std::ifstream file(support::data_path("torch-random.txt"));
  std::string line;
  std::optional<Generator> generator;
  std::size_t uniforms = 0;
  std::size_t normals = 0;
  std::int64_t worst = 0;
  std::int64_t worst_short = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string call, word;
    words >> call;
    if (call == "seed") {
      std::uint64_t seed = 0;
      words >> seed;
      generator.emplace(seed);
      continue;
    }
    std::size_t n = 1;
    while (words >> word && word != "=") n *= std::stoul(word);
    const std::vector<float> ours = call == "rand" ? rand(*generator, n) : randn(*generator, n);
    std::vector<float> recorded;
    std::size_t skipped_at = n;
    while (words >> word && word != "sum") {
      if (word == "...") {
        skipped_at = recorded.size();
      } else {
        recorded.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16))));
      }
    }
    double sum = 0;
    words >> sum;
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      const float got = ours[i < skipped_at ? i : n - recorded.size() + i];
      INFO(line.substr(0, 40) << ", element " << i << ": " << got << ", recorded " << recorded[i]);
      if (call == "rand") {
        REQUIRE(got == recorded[i]);
        ++uniforms;
      } else {
        (n < 16 ? worst_short : worst) = std::max(n < 16 ? worst_short : worst, ulps(got, recorded[i]));
        REQUIRE(std::fabs(static_cast<double>(got) - static_cast<double>(recorded[i])) <= 2.4e-7);
        ++normals;
      }
    }
    double total = 0;
    for (const float x : ours) total += static_cast<double>(x);
    CHECK(std::fabs(total - sum) <= 1e-7 * static_cast<double>(n) + 1e-12);
  }
  WARN(uniforms << " uniforms bit for bit; " << normals << " normals, worst " << worst << " ULP (short path " << worst_short << ")");
  CHECK(uniforms >= 100);
  CHECK(normals >= 390);
  CHECK(worst <= 3);        // PyTorch's vectorised log, sin and cos against ours
  CHECK(worst_short == 0);  // in double, then rounded once
}

TEST_CASE("the notebooks' known answers", "[torch]") {
  Generator generator(0);
  const auto first = rand(generator, 5);
  const std::array<double, 5> uniforms{0.4963, 0.7682, 0.0885, 0.1320, 0.3074};
  for (std::size_t i = 0; i < 5; ++i) CHECK(std::fabs(static_cast<double>(first[i]) - uniforms[i]) <= 0.00005);
  generator.manual_seed(0);
  const auto few = randn(generator, 5);
  const std::array<double, 5> normals{1.5410, -0.2934, -2.1788, 0.5684, -1.0845};
  for (std::size_t i = 0; i < 5; ++i) CHECK(std::fabs(static_cast<double>(few[i]) - normals[i]) <= 0.00005);
  generator.manual_seed(0);
  const auto block = randn(generator, 16);
  const std::array<double, 5> front{-1.1258, -1.1524, -0.2506, -0.4339, 0.8487};
  for (std::size_t i = 0; i < 5; ++i) CHECK(std::fabs(static_cast<double>(block[i]) - front[i]) <= 0.00005);
}

TEST_CASE("the short path keeps its second value for the next call, and manual_seed drops it", "[torch]") {
  Generator whole(3);
  Generator parts(3);
  const auto six = randn(whole, 6);
  std::vector<float> joined = randn(parts, 1);
  for (const std::size_t n : {3U, 2U}) {
    const auto more = randn(parts, n);
    joined.insert(joined.end(), more.begin(), more.end());
  }
  CHECK(joined == six);
  parts.manual_seed(3);
  CHECK(randn(parts, 6) == six);
  (void)randn(parts, 1);  // a second value waits
  parts.manual_seed(3);
  CHECK(randn(parts, 6) == six);
  // The block path neither uses nor drops it.
  Generator waiting(3);
  const float head = randn(waiting, 1).front();
  CHECK(head == six[0]);
  (void)randn(waiting, 16);
  CHECK(randn(waiting, 1).front() == six[1]);
}

TEST_CASE("a count that is no multiple of 16 redraws its last sixteen elements", "[torch]") {
  Generator even(5);
  Generator odd(5);
  const auto whole = randn(even, 48);
  const auto ragged = randn(odd, 60);
  for (std::size_t i = 0; i < 44; ++i) REQUIRE(ragged[i] == whole[i]);
  Generator words(5);
  (void)rand(words, 60);
  std::vector<float> tail = rand(words, 16);
  Generator again(5);
  (void)rand(again, 60);
  const auto last = randn(again, 16);
  for (std::size_t i = 0; i < 16; ++i) REQUIRE(ragged[44 + i] == last[i]);
}

TEST_CASE("a toss is a uniform of 53 bits below p, and not one that is p", "[torch]") {
  random::Mt19937 words(7);
  bool toss = true;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t high = words.next(), low = words.next();
    const double uniform = static_cast<double>(((high << 32) | low) & 0x1fffffffffffff) / 9007199254740992.0;
    for (const bool above : {false, true}) {
      Generator generator(7);
      for (int before = 0; before < i; ++before) generator.bernoulli(0.5, {&toss, 1});
      generator.bernoulli(above ? std::nextafter(uniform, 1.0) : uniform, {&toss, 1});
      REQUIRE(toss == above);
    }
  }
}

TEST_CASE("only the low 32 bits of a seed count", "[torch]") {
  Generator low(7);
  Generator high((std::uint64_t{9} << 32) | 7);
  CHECK(rand(low, 40) == rand(high, 40));
}

TEST_CASE("attention_stats in the section's order gives its PyTorch figure and table", "[torch]") {
  const std::array<std::array<double, 8>, 2> entropies{{{2.8130, 2.1137, 1.3664, 0.9197, 0.5316, 0.4159, 0.2696, 0.1873},
                                                        {3.7091, 3.6966, 3.6859, 3.6879, 3.6784, 3.6853, 3.6901, 3.7037}}};
  Generator generator(0);
  AttentionStatsOptions options;
  for (std::size_t f = 0; f < 2; ++f) {
    options.scaled = f == 1;
    for (std::size_t i = 0; i < 8; ++i) {
      options.d = std::size_t{4} << i;
      INFO((f == 0 ? "unscaled" : "scaled") << ", d = " << options.d);
      CHECK(std::fabs(attention_stats(options, generator).value().entropy.mean - entropies[f][i]) <= 0.00005);
    }
  }
  generator.manual_seed(0);
  const std::array<double, 6> norms{0.259008, 0.178306, 0.207736, 0.181724, 0.092574, 0.184025};
  std::size_t slot = 0;
  for (const std::size_t d : {4U, 64U, 512U}) {
    for (const bool scaled : {false, true}) {
      options.d = d;
      options.scaled = scaled;
      CHECK(std::fabs(attention_stats(options, generator).value().jacobian_norm.mean - norms[slot++]) < 1e-6);
    }
  }
}

TEST_CASE("the first query's scores are those of the whole call", "[torch]") {
  for (const std::size_t d : {1U, 2U, 5U, 16U, 37U}) {
    for (const std::size_t keys : {2U, 3U, 7U}) {
      AttentionStatsOptions options;
      options.d = d;
      options.num_keys = keys;
      options.num_queries = 3;
      options.seed = 11;
      const auto scores = first_draw_scores_torch(options).value();
      Generator generator(11);
      const auto q = randn(generator, 3 * d);
      const auto k = randn(generator, 3 * keys * d);
      for (std::size_t j = 0; j < keys; ++j) {
        double score = 0;
        for (std::size_t c = 0; c < d; ++c) score += static_cast<double>(q[c]) * static_cast<double>(k[j * d + c]);
        CHECK(std::fabs(scores[j] - score) < 1e-12);
      }
    }
  }
}

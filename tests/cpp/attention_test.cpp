// attention_stats against the printed and unrounded values of the textbook section, against a second implementation in the
// test, and the cache against no cache.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "attn/attention.hpp"
#include "attn/random/jax.hpp"
#include "support.hpp"

using namespace attn;

namespace {

AttentionStatsOptions options_at(std::size_t d) {
  AttentionStatsOptions options;
  options.d = d;
  return options;
}

std::string three_digits(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

/// The section's function, written again from its text: long double, whole arrays, the explicit Jacobian.
std::array<double, 2> section_stats(const AttentionStatsOptions& options) {
  const auto keys = random::jax::split(random::jax::key(options.seed), 2);
  const std::size_t n = options.num_queries;
  const std::size_t m = options.num_keys;
  std::vector<float> q(n * options.d);
  std::vector<float> k(n * m * options.d);
  random::jax::normal(keys[0], 0, q);
  random::jax::normal(keys[1], 0, k);
  long double entropy_sum = 0;
  long double norm_sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<long double> alpha(m);
    long double z = 0;
    for (std::size_t j = 0; j < m; ++j) {
      long double score = 0;
      for (std::size_t c = 0; c < options.d; ++c) {
        score += static_cast<long double>(q[i * options.d + c]) * static_cast<long double>(k[(i * m + j) * options.d + c]);
      }
      if (options.scaled) score /= std::sqrt(static_cast<long double>(options.d));
      alpha[j] = std::exp(score);
      z += alpha[j];
    }
    long double norm = 0;
    for (std::size_t a = 0; a < m; ++a) {
      alpha[a] /= z;
      entropy_sum -= alpha[a] * std::log(alpha[a] + 1e-30L);
    }
    for (std::size_t a = 0; a < m; ++a) {
      for (std::size_t b = 0; b < m; ++b) {
        const long double entry = (a == b ? alpha[a] : 0) - alpha[a] * alpha[b];
        norm += entry * entry;
      }
    }
    norm_sum += std::sqrt(norm);
  }
  return {static_cast<double>(entropy_sum / n), static_cast<double>(norm_sum / n)};
}

}  // namespace

TEST_CASE("seed 0 prints the section's JAX table and matches its unrounded values", "[attention]") {
  struct Row {
    std::size_t d;
    const char *printed_unscaled, *printed_scaled;
    double unscaled, scaled;
  };
  DrawCache cache;
  for (const Row& row : {Row{4, "0.258", "0.178", 0.257813, 0.178221}, Row{64, "0.218", "0.184", 0.217991, 0.184095},
                         Row{512, "0.103", "0.186", 0.102658, 0.185724}}) {
    const auto pair = attention_stats_pair(options_at(row.d), cache).value();
    INFO("d = " << row.d);
    CHECK(three_digits(pair[0].jacobian_norm.mean) == row.printed_unscaled);
    CHECK(three_digits(pair[1].jacobian_norm.mean) == row.printed_scaled);
    CHECK(std::fabs(pair[0].jacobian_norm.mean - row.unscaled) < 1e-6);
    CHECK(std::fabs(pair[1].jacobian_norm.mean - row.scaled) < 1e-6);
  }
}

TEST_CASE("the entropies of the section's figure, to four decimals", "[attention]") {
  const std::array<double, 8> unscaled{2.8403, 2.0382, 1.3912, 0.8924, 0.6082, 0.3744, 0.2440, 0.1984};
  const std::array<double, 8> scaled{3.7064, 3.6789, 3.6701, 3.6733, 3.6779, 3.6824, 3.6691, 3.6725};
  DrawCache cache;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto pair = attention_stats_pair(options_at(std::size_t{4} << i), cache).value();
    INFO("d = " << (4U << i));
    CHECK(std::fabs(pair[0].entropy.mean - unscaled[i]) <= 0.00005);
    CHECK(std::fabs(pair[1].entropy.mean - scaled[i]) <= 0.00005);
  }
}

TEST_CASE("attention_stats agrees with the section's function written out in long double", "[attention]") {
  for (const std::size_t d : {1U, 3U, 16U, 65U}) {
    for (const bool scaled : {false, true}) {
      AttentionStatsOptions options = options_at(d);
      options.num_keys = 20;
      options.num_queries = 33;
      options.seed = 7;
      options.scaled = scaled;
      const auto stats = attention_stats(options).value();
      const auto [entropy, norm] = section_stats(options);
      CHECK(std::fabs(stats.entropy.mean - entropy) < 1e-13);
      CHECK(std::fabs(stats.jacobian_norm.mean - norm) < 1e-13);
    }
  }
}

TEST_CASE("standard errors are those of the sample", "[attention]") {
  // Two halves of the queries estimate the same mean; the error of 256 queries covers the spread of seeds.
  AttentionStatsOptions options = options_at(16);
  double sum = 0;
  double squares = 0;
  double reported = 0;
  const int runs = 60;
  for (int seed = 0; seed < runs; ++seed) {
    options.seed = static_cast<std::uint64_t>(100 + seed);
    options.num_queries = 64;
    const auto stats = attention_stats(options).value();
    sum += stats.entropy.mean;
    squares += stats.entropy.mean * stats.entropy.mean;
    reported += stats.entropy.standard_error / runs;
  }
  const double spread = std::sqrt((squares - sum * sum / runs) / (runs - 1));
  // The sample deviation of 60 means is itself within about 10 % (one standard error); allow four.
  CHECK(reported / spread > 0.6);
  CHECK(reported / spread < 1.4);
}

TEST_CASE("means and standard errors are those of the queries one by one", "[attention]") {
  AttentionStatsOptions options = options_at(6);
  options.num_keys = 5;
  options.num_queries = 7;
  DrawCache cache;
  std::array<std::vector<long double>, 4> samples;
  for (std::size_t query = 0; query < 7; ++query) {
    std::vector<double> scores = draw_scores(options, query, cache).value();
    for (double& score : scores) score /= std::sqrt(6.0);
    long double mean = 0, variance = 0, sum = 0, entropy = 0, norm = 0, largest = 0;
    for (const double score : scores) mean += static_cast<long double>(score) / 5, sum += std::exp(static_cast<long double>(score));
    for (const double score : scores) variance += (score - mean) * (score - mean) / 4;
    for (std::size_t i = 0; i < 5; ++i) {
      const long double w = std::exp(static_cast<long double>(scores[i])) / sum;
      entropy -= w * std::log(w);
      largest = std::max(largest, w);
      for (std::size_t j = 0; j < 5; ++j) {
        const long double entry = (i == j ? w : 0) - w * std::exp(static_cast<long double>(scores[j])) / sum;
        norm += entry * entry;
      }
    }
    samples[0].push_back(entropy);
    samples[1].push_back(std::sqrt(norm));
    samples[2].push_back(variance);
    samples[3].push_back(largest);
  }
  const AttentionStats stats = attention_stats(options).value();
  const std::array<Estimate, 4> found{stats.entropy, stats.jacobian_norm, stats.score_variance, stats.largest_weight};
  for (std::size_t s = 0; s < 4; ++s) {
    long double mean = 0, squares = 0;
    for (const long double value : samples[s]) mean += value / 7;
    for (const long double value : samples[s]) squares += (value - mean) * (value - mean);
    INFO(s);
    CHECK(std::fabs(found[s].mean - static_cast<double>(mean)) < 1e-14);
    CHECK(std::fabs(found[s].standard_error - static_cast<double>(std::sqrt(squares / 6 / 7))) < 1e-14);
  }
}

TEST_CASE("a cache changes no bit, whatever was asked before", "[attention]") {
  DrawCache cache;
  for (const std::size_t d : {64U, 4U, 128U, 64U, 5U}) {
    for (const std::uint64_t seed : {0U, 1U}) {
      AttentionStatsOptions options = options_at(d);
      options.num_queries = 8;
      options.seed = seed;
      const auto fresh = attention_stats(options).value();
      const auto cached = attention_stats(options, cache).value();
      CHECK(support::same(fresh.entropy.mean, cached.entropy.mean));
      CHECK(support::same(fresh.jacobian_norm.standard_error, cached.jacobian_norm.standard_error));
      CHECK(support::same(fresh.largest_weight.mean, cached.largest_weight.mean));
      CHECK(support::same(fresh.score_variance.mean, cached.score_variance.mean));
    }
  }
}

TEST_CASE("draws too many to keep are generated in passing, with the same elements", "[attention]") {
  DrawCache cache;
  const auto key = random::jax::split(random::jax::key(5), 2)[1];
  std::vector<float> expected(100);
  random::jax::normal(key, 12345, expected);
  const auto passing = cache.elements(5, 1, 12345, 100, DrawCache::capacity + 1);
  CHECK(std::equal(expected.begin(), expected.end(), passing.begin(), passing.end()));
  const auto kept = cache.elements(5, 1, 12345, 100, 20000);
  CHECK(std::equal(expected.begin(), expected.end(), kept.begin(), kept.end()));
}

TEST_CASE("the drawn scores of a query are those the statistics use", "[attention]") {
  AttentionStatsOptions options = options_at(32);
  options.num_queries = 2;
  DrawCache cache;
  const auto first = draw_scores(options, 0, cache).value();
  const auto second = draw_scores(options, 1, cache).value();
  CHECK(first.size() == 64);
  CHECK(first != second);
  CHECK(draw_scores(options, 2, cache).error().param == "query");
}

TEST_CASE("sizes out of range are refused by name", "[attention][errors]") {
  const auto refused = [](AttentionStatsOptions options, const std::string& param, ErrorCode code) {
    const auto result = attention_stats(options);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().param == param);
    CHECK(result.error().code == code);
    const std::string& message = result.error().message;
    CHECK((message.find("allowed") != std::string::npos || message.find("at most") != std::string::npos));
  };
  refused(options_at(0), "d", ErrorCode::out_of_range);
  refused(options_at(65537), "d", ErrorCode::out_of_range);
  AttentionStatsOptions options = options_at(4);
  options.num_keys = 1;
  refused(options, "num_keys", ErrorCode::out_of_range);
  options = options_at(4);
  options.num_queries = 1;
  refused(options, "num_queries", ErrorCode::out_of_range);
  options = options_at(65536);
  options.num_keys = 65536;
  options.num_queries = 65536;
  refused(options, "num_queries", ErrorCode::too_large);
}

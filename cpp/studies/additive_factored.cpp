// Moments of partial sums, one pass over the repeats. See additive_factored.hpp.
#include "additive_factored.hpp"

#include <cmath>
#include <vector>

#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"

namespace attn::studies::additive_factored {
namespace {

/// |row| / sqrt(width): the standard deviation of an entry of W row.
double deviation(const float* row, std::size_t width) {
  double square = 0;
  for (std::size_t i = 0; i < width; ++i) square += static_cast<double>(row[i]) * static_cast<double>(row[i]);
  return std::sqrt(square / static_cast<double>(width));
}

}  // namespace

std::array<Spread, most_ranks> spreads(std::size_t query_width, std::size_t key_width, bool torch, std::uint64_t seed) {
  std::array<std::vector<float>, 4> draws;
  const std::array<std::size_t, 4> widths{query_width, key_width, most_ranks, most_ranks};
  random::torch::Generator generator(seed);
  const auto keys = random::jax::split(random::jax::fold_in(random::jax::key(seed), 9), 4);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    draws[i].resize(repeats * widths[i]);
    if (torch) {
      generator.randn(draws[i]);
    } else {
      random::jax::normal(keys[i], 0, draws[i]);
    }
  }
  // Powers one to four of the score of every rank, which has the mean 0: sums about 0 lose nothing.
  std::array<std::array<double, 4>, most_ranks> sums{};
  for (std::size_t s = 0; s < repeats; ++s) {
    const double spread = deviation(draws[0].data() + s * query_width, query_width) * deviation(draws[1].data() + s * key_width, key_width);
    double score = 0;
    for (std::size_t r = 0; r < most_ranks; ++r) {
      score += spread * static_cast<double>(draws[2][s * most_ranks + r]) * static_cast<double>(draws[3][s * most_ranks + r]);
      double power = 1;
      for (double& sum : sums[r]) sum += power *= score;
    }
  }
  std::array<Spread, most_ranks> spreads;
  const auto count = static_cast<double>(repeats);
  for (std::size_t r = 0; r < most_ranks; ++r) {
    const double mean = sums[r][0] / count;
    const double second = sums[r][1] / count;
    const double fourth = sums[r][3] / count - 4 * mean * sums[r][2] / count + 6 * mean * mean * second - 3 * mean * mean * mean * mean;
    const double variance = (second - mean * mean) * count / (count - 1);
    spreads[r] = {variance, std::sqrt((fourth - variance * variance * (count - 3) / (count - 1)) / count)};
  }
  return spreads;
}

}  // namespace attn::studies::additive_factored

// The formulas, as doubles: whole numbers far below 2^53. See cost_counts.hpp.
#include "cost_counts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "additive_counts.hpp"

namespace attn::studies::cost_counts {
namespace {

constexpr double bytes_each = 4;

double product(std::size_t a, std::size_t b) { return static_cast<double>(a) * static_cast<double>(b); }

}  // namespace

std::array<double, 8> passes(const Sizes& s) {
  const double scores = bytes_each * product(s.n, s.m);
  return {scores, scores, scores, scores, bytes_each * product(s.n, s.d), bytes_each * product(s.m, s.d), bytes_each * product(s.m, s.v), bytes_each * product(s.n, s.v)};
}

std::array<Work, algorithms> work(const Sizes& s) {
  const double scores = product(s.n, s.m);
  const auto moved = passes(s);
  const double ends = std::accumulate(moved.begin() + 4, moved.end(), 0.0);
  const double products = 2 * scores * static_cast<double>(s.d + s.v);
  const auto h = static_cast<double>(s.h);
  const additive_counts::Cost additive = additive_counts::costs({s.n, s.m, s.d, s.d, s.h, s.d, 1})[0];
  // Queries, keys and both maps read; projections written and read again; w read; scores written.
  const double scoring = bytes_each * (product(s.n + s.m, s.d) + 2 * product(s.h, s.d) + 2 * product(s.n + s.m, s.h) + h + scores);
  std::array<Work, algorithms> all;
  all[materialised] = {products, 4 * moved[0] + ends, scores, materialised_limit(s.d, s.v)};
  all[tiled] = {products, ends, 0, std::numeric_limits<double>::infinity()};
  all[additive_direct] = {additive.operations, scoring + 2 * bytes_each * scores * h, additive.largest, h / (2 * h + 1)};
  all[additive_factored] = {additive.operations, scoring, std::max({scores, product(s.n, s.h), product(s.m, s.h)}), h};
  return all;
}

double materialised_limit(std::size_t d, std::size_t v, double each) { return (2 * static_cast<double>(d + v) + each) / (4 * bytes_each); }

double attainable(double peak, double bandwidth, double intensity) { return std::min(peak, bandwidth * intensity); }

double pairs(Sight sight, std::size_t n, std::size_t window) {
  if (sight == all_keys) return product(n, n);
  const std::size_t w = sight == causal ? n : std::min(window, n);
  return product(w, n) - product(w, w - 1) / 2;
}

Tiles tiles(Sight sight, std::size_t n, std::size_t window) {
  const std::size_t columns = (n + tile_keys - 1) / tile_keys;
  const std::size_t w = sight == windowed ? std::min(window, n) : n;
  Tiles count;
  for (std::size_t first = 0; first < n; first += tile_queries) {
    const std::size_t last = std::min(first + tile_queries, n) - 1;
    // Tiles from the one that holds the oldest key in sight of the first query to the one that holds the last query's own key.
    const std::size_t from = sight == all_keys || first + 1 <= w ? 0 : (first + 1 - w) / tile_keys;
    const std::size_t to = sight == all_keys ? columns : last / tile_keys + 1;
    for (std::size_t tile = from; tile < to; ++tile) {
      const std::size_t oldest = tile * tile_keys;
      const std::size_t newest = std::min(oldest + tile_keys, n) - 1;
      const bool full = sight == all_keys || (newest <= first && last - oldest < w);
      (full ? count.full : count.mixed) += 1;
    }
    count.empty += static_cast<double>(columns - (to - from));
  }
  return count;
}

}  // namespace attn::studies::cost_counts

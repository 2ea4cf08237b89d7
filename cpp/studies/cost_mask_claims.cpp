// What the page of The price of attention states about masks: pairs, tiles and memory. Pairs are proved by asking a mask cell by cell,
// tiles by running the kernel. See evidence.hpp.
#include <algorithm>

#include "attn/fused.hpp"
#include "attn/mask_expr.hpp"
#include "cost_claims.hpp"
#include "cost_counts.hpp"
#include "cost_jobs.hpp"
#include "evidence.hpp"

namespace attn::studies {
namespace {

using namespace cost_counts;

BoundMask bound(const std::string& text, std::size_t n) { return BoundMask::make(parse_mask(text).value(), {1, 1, n, n}).value(); }

double allowed(const std::string& text, std::size_t n) {
  const BoundMask mask = bound(text, n);
  double count = 0;
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t k = 0; k < n; ++k) count += mask.allows(0, 0, q, k) ? 1 : 0;
  }
  return count;
}

Finding causal_half() {
  Proof proof;
  for (const std::size_t n : {1U, 2U, 37U, 64U, 129U}) {
    proof.require(allowed("causal", n) == pairs(causal, n, 0), std::to_string(static_cast<long>(pairs(causal, n, 0))).append(" pairs of ").append(std::to_string(n * n)));
    proof.require(2 * pairs(causal, n, 0) == static_cast<double>(n * (n + 1)), "n(n + 1)/2");
  }
  proof.require(tile_queries == 32 && tile_keys == 96, "tiles of 32 queries by 96 keys");
  for (const std::size_t times : {1U, 2U, 3U, 4U, 50U}) {
    const std::size_t n = times * tile_keys;
    const Tiles count = tiles(causal, n, 0);
    proof.require(2 * static_cast<double>(n) * count.visited() == static_cast<double>(n + tile_keys) * (count.visited() + count.empty), std::string("1/2 + c/2n of the tiles at ").append(std::to_string(n)));
  }
  return proof.finding();
}

Finding window_width() {
  Proof proof;
  for (const std::size_t n : {1U, 5U, 64U, 130U}) {
    for (const std::size_t w : {1U, 2U, 33U, 128U, 200U}) {
      const double met = pairs(windowed, n, w);
      proof.require(allowed(cost_jobs::sight_text(windowed, w), n) == met, std::to_string(static_cast<long>(met)).append(" pairs"));
      if (w <= n) proof.require(met == static_cast<double>(w * n) - static_cast<double>(w * (w - 1)) / 2, "wn less the corner");
    }
  }
  // Past the first w queries every further block adds the same number of tiles.
  constexpr std::size_t step = 32 * tile_keys;
  for (const std::size_t w : {64U, 128U, 500U}) {
    const auto more = [&](std::size_t n) { return tiles(windowed, n + step, w).visited() - tiles(windowed, n, w).visited(); };
    proof.require(more(step) == more(2 * step) && more(step) == more(3 * step), std::string("tiles grow in proportion, window ").append(std::to_string(w)));
  }
  return proof.finding();
}

Finding documents() {
  Proof proof;
  for (const std::vector<std::size_t>& lengths : {std::vector<std::size_t>{4, 2}, {10, 1, 7, 30}, {64, 64}}) {
    std::string list;
    std::size_t n = 0;
    double squares = 0, triangles = 0;
    for (const std::size_t length : lengths) {
      list.append(list.empty() ? "" : ",").append(std::to_string(length));
      n += length;
      squares += static_cast<double>(length * length);
      triangles += pairs(causal, length, 0);
    }
    const std::string mask = std::string("documents(").append(list).append(")");
    proof.require(allowed(mask, n) == squares, std::string(mask).append(": ").append(std::to_string(static_cast<long>(squares))));
    proof.require(allowed(std::string("causal & ").append(mask), n) == triangles, "causally each its own half");
  }
  return proof.finding();
}

/// The kernel's own count, on one number a row: where it goes does not depend on what is there.
Finding tile_counts() {
  Proof proof;
  for (const std::size_t n : {1U, 31U, 64U, 65U, 300U, 513U}) {
    const auto rows = Tensor<float, 4>::from_shape({1, 1, n, 1});
    Tensor<float, 4> ones = rows;
    ones.fill(1);
    std::size_t agreed = 0, tried = 0;
    for (const std::size_t w : {1U, 33U, 64U, 128U, 1000U}) {
      for (const Sight sight : {all_keys, causal, windowed}) {
        const Tiles count = tiles(sight, n, w);
        const auto ran = [&] {
          if (sight == all_keys) return fused_attention(ones, ones, ones).value().tiles;
          const BoundMask mask = bound(cost_jobs::sight_text(sight, w), n);
          return fused_attention(ones, ones, ones, mask).value().tiles;
        }();
        ++tried;
        agreed += static_cast<double>(ran.full) == count.full && static_cast<double>(ran.mixed) == count.mixed && static_cast<double>(ran.empty) == count.empty ? 1U : 0U;
      }
    }
    proof.require(agreed == tried, std::to_string(agreed).append(" of ").append(std::to_string(tried)).append(" at n ").append(std::to_string(n)));
  }
  return proof.finding();
}

Finding square_32k() {
  Proof proof;
  const auto moved = passes({32768, 32768, 64, 64, 0});
  proof.within("GB of scores and weights", (moved[0] + moved[2]) / 1e9, 8.55, 8.65);
  proof.within("MB of queries, keys, values and output", (moved[4] + moved[5] + moved[6] + moved[7]) / 1e6, 33, 34.4);
  return proof.finding();
}

}  // namespace

std::vector<Claim> cost_mask_claims() {
  return {
      {"causal-half", "A causal mask leaves n(n + 1)/2 pairs; of the kernel’s tiles, 32 queries by c = 96 keys, it leaves 1/2 + c/2n where n is a multiple of c.", proof(causal_half)},
      {"window-width", "A causal window of w keys leaves wn − w(w − 1)/2 pairs: the length times the width, less a corner.", proof(window_width)},
      {"documents", "Packed documents leave the sum of the squares of their lengths.", proof(documents)},
      {"tile-counts", "The tiles that the kernel visits, whole and mixed, are those that the formulas count.", proof(tile_counts)},
      {"square-32k", "At 32 768 queries and keys of width 64 scores and weights would take 8.6 GB; queries, keys, values and output take 34 MB.", proof(square_32k)},
  };
}

}  // namespace attn::studies

// Keys that weigh more than an eighth of their query's sum, for one target: few, and what an error of float32 shows in. Such a key's score is
// computed once more in double, and its values go into the output by themselves:
//   a score's error e moves the output by w (1 - w) e |v - v'|, so only a heavy key's matters; a long sum errs by its largest part at every step
// Part of the body of fused_tile; included once a target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dot.hpp"
#include "fused.hpp"
#include "fused_sight.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

/// 2^x for x of up to 8 in size: a polynomial of degree 6 on [-1/2, 1/2], off by 2e-9 in proportion.
inline double exp2_near(double x) {
  const auto nearest = static_cast<std::int32_t>(x + 16.5) - 16;
  const double f = x - nearest;
  constexpr double terms[] = {0.00133988739, 0.00961843692, 0.0555033237, 0.240226477, 0.693147182, 1.0};
  double p = 0.00015353362;
  for (const double next : terms) p = p * f + next;
  return p * static_cast<double>(1U << (nearest + 16)) * 0x1p-16;
}

/// A key that weighs more than an eighth of its query's sum so far: seven of a query may, or eight where the sum was rounded down.
struct Heavy {
  std::uint32_t key, query;  ///< of the tile and of the panel
  float weight;
};
constexpr std::size_t most_heavy = 8 * panel;

/// A panel of queries and the keys of a run that it sees.
struct PanelKeys {
  std::size_t first, rows;  ///< queries: the first, and how many lanes have one
  std::size_t key, count;
  float* scores;        ///< [count][panel], which become the weights 2^(score - base)
  const float* base;    ///< [panel]
  const float* peak;    ///< [panel] the largest score so far
  const float* factor;  ///< [panel] of sum and output, whose base was another
  const float* known;   ///< [panel] what was summed before and is kept elsewhere, of this base
  float* sum;           ///< [panel]
  float* output;        ///< [v][panel]
};

/// Finds the heavy keys, takes them out of the weights, and weighs them once more.
[[gnu::noinline]] std::size_t take_heavy(const Head& head, const PanelKeys& run, Heavy* heavy) {
  std::size_t found = 0;
  for (std::size_t half = 0; half < panel; half += lanes) {
    const vf eighth = (wide(run.known + half) + wide(run.sum + half)) * (1.0f / 8);
    if (!some_lane(eighth < exp2(wide(run.peak + half) - wide(run.base + half)) * 1.0001f)) continue;
    ATTN_ROLLED
    for (std::size_t j = 0; j < run.count; ++j) {
      const vi above = wide(run.scores + j * panel + half) > eighth;
      if (!some_lane(above)) continue;
      ATTN_ROLLED
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t r = half + lane;
        if (above[lane] == 0 || r >= run.rows || found == most_heavy) continue;
        float& weight = run.scores[j * panel + r];
        if (weight == run.known[r] + run.sum[r]) continue;  // it is alone, and its values are the output as they are
        const double score = dot(head.queries + (run.first + r) * head.query_stride, head.keys + (run.key + j) * head.key_stride, head.d);
        const double x = score * (static_cast<double>(head.scale) * 1.4426950408889634) - static_cast<double>(run.base[r]);
        double sharp = x > -8 && x < 8 ? exp2_near(x) : 0;
        // scores whose float is off by so much are not mended one by one
        if (!(sharp > 0.75 * static_cast<double>(weight) && sharp < 1.25 * static_cast<double>(weight))) sharp = static_cast<double>(weight);
        run.sum[r] += static_cast<float>(sharp - static_cast<double>(weight));
        heavy[found++] = {static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(r), static_cast<float>(sharp)};
        weight = 0;
      }
    }
  }
  return found;
}

/// Puts heavy keys back into the weights, and what they pool into the output.
[[gnu::noinline]] void put_heavy(const Head& head, const PanelKeys& run, const Heavy* heavy, std::size_t found) {
  ATTN_ROLLED
  for (; found > 0; --found, ++heavy) {
    run.scores[heavy->key * panel + heavy->query] = heavy->weight;
    const float* const value = head.values + (run.key + heavy->key) * head.value_stride;
    ATTN_ROLLED
    for (std::size_t c = 0; c < head.v; ++c) run.output[c * panel + heavy->query] += heavy->weight * value[c];
  }
}

}  // namespace
}  // namespace attn::kernels

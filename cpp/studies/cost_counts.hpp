// What attention costs by formula: operations, bytes that memory must move, their ratio, pairs that a mask leaves and tiles that a
// kernel visits for them. Not a measurement: no time, no cache. Single precision, four bytes a number, one sequence and one head.
//   intensity = operations / bytes; throughput at most min(peak, bandwidth * intensity), the roofline
// Convention: the two products of attention count 2nmd + 2nmv; scaling and softmax are counted apart, six operations a score, of which a
// comparison is one, and are in no `Work`. Additive scoring counts as in additive_counts.hpp, the rule as it is written, four a hidden unit
// of a pair, and the scaled dot product a division a score, however they are run: the factored form is charged the same.
// Every tensor that is named is moved once a pass, whatever a cache would keep.
// Sources: Dive into Deep Learning, section 10.2, exercises 10 and 12; Williams, Waterman and Patterson 2009 (roofline).
#pragma once

#include <array>
#include <cstddef>

#include "attn/fused.hpp"

namespace attn::studies::cost_counts {

struct Sizes {
  std::size_t n = 0, m = 0;  ///< queries, keys
  std::size_t d = 0, v = 0;  ///< widths of queries and keys, and of values
  std::size_t h = 0;         ///< hidden units of the additive rule
};

/// The algorithms, in the order of every table here.
enum Algorithm : std::size_t { materialised, tiled, additive_direct, additive_factored, algorithms };

struct Work {
  double operations = 0, bytes = 0;
  double largest = 0;  ///< entries of the largest tensor between inputs and result; 0 where nothing of the size of the scores is kept
  double limit = 0;    ///< operations a byte as n and m grow without bound; infinity where they do, too
  [[nodiscard]] double intensity() const { return operations / bytes; }
};
[[nodiscard]] std::array<Work, algorithms> work(const Sizes& sizes);

/// Bytes of the passes of materialised attention: scores written, scores read, weights written, weights read; queries, keys and values
/// read, output written.
[[nodiscard]] std::array<double, 8> passes(const Sizes& sizes);

/// Scale, compare with the largest, subtract it, exponentiate, add, divide.
constexpr double softmax_operations = 6;
/// (d + v) / 8, and what `each` further operations a score add to it.
[[nodiscard]] double materialised_limit(std::size_t d, std::size_t v, double each = 0);

/// Throughput that a peak and a bandwidth allow, GFLOP/s from GFLOP/s and GB/s.
[[nodiscard]] double attainable(double peak, double bandwidth, double intensity);

/// Masks of n queries and n keys: none, causal, and a causal window of `window` keys.
enum Sight : std::size_t { all_keys, causal, windowed, sights };
/// Pairs that may meet: n^2, n(n + 1)/2, and wn - w(w - 1)/2 with w = min(window, n).
[[nodiscard]] double pairs(Sight sight, std::size_t n, std::size_t window);

constexpr std::size_t tile_queries = fused_tile_queries, tile_keys = fused_tile_keys;
struct Tiles {
  double full = 0, mixed = 0, empty = 0;
  [[nodiscard]] double visited() const { return full + mixed; }
};
[[nodiscard]] Tiles tiles(Sight sight, std::size_t n, std::size_t window);

struct Accelerator {
  const char* name;
  double gflops, gbs;
  const char* source;
};
/// Peaks in single precision as the maker's data sheets state them.
constexpr std::array<Accelerator, 3> accelerators{{
    {"A100", 19500, 1555, "NVIDIA A100 Tensor Core GPU, data sheet, 40 GB: FP32 19.5 TFLOPS, 1,555 GB/s"},
    {"A100 tensor cores", 156000, 1555, "NVIDIA A100 Tensor Core GPU, data sheet, 40 GB: TF32 156 TFLOPS without sparsity, 1,555 GB/s"},
    {"H100", 67000, 3350, "NVIDIA H100 Tensor Core GPU, data sheet, SXM: FP32 67 teraFLOPS, 3.35 TB/s"},
}};

}  // namespace attn::studies::cost_counts

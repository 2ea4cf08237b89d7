// Points in the plane and the weights that three rules give them: the arithmetic behind From kernels to dot products. Not the
// study (kernels.cpp) and not the rules, which are the core's (score.hpp):
//   Gaussian (q.k - |k|^2/2 - |q|^2/2) / c, c = 1 or sqrt(2)     Dot q.k     ScaledDot q.k / sqrt(2)
// All in double. A softmax over the keys makes weights of scores; the field asks for one key's weight wherever the query could stand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "attn/score.hpp"

namespace attn::studies::kernels_plane {

struct Point {
  double x = 0, y = 0;
};

/// A query and its keys.
struct Points {
  Point query;
  std::vector<Point> keys;
};

inline constexpr std::size_t rules = 3;
using Rules = std::array<ScoreRule, rules>;

/// Gaussian, dot, scaled dot, in the order of every series.
[[nodiscard]] Rules rules_of(bool scaled_gaussian);

/// Keys in the section's example, and its sequences.
inline constexpr std::size_t section_keys = 10, section_sequences = 2;

/// The section's inputs of a sequence (from 0): normal(key(seed), (2, 1, 2)) and normal(key(seed + 1), (2, 10, 2)) of JAX, or
/// randn(2, 1, 2), then randn(2, 10, 2) of PyTorch after manual_seed(seed).
[[nodiscard]] Points section_points(bool torch, std::uint64_t seed, std::size_t sequence);

[[nodiscard]] double norm(Point point);
[[nodiscard]] double product(Point a, Point b);

/// True for keys at the origin.
[[nodiscard]] std::vector<bool> undirected_keys(const Points& points);

/// Gives every key the root mean square norm of those that have a direction, and keeps the directions. A key at the origin has
/// none: it stays, and its entry in the answer is true.
std::vector<bool> equalise(Points& points);

enum class Move { none, keys, both, rotate, query };

[[nodiscard]] Move move_named(std::string_view name);

/// Points after a move, and the biases it stands for: b_q added to the query, b_k to every key.
struct Moved {
  Points points;
  Point query_bias, key_bias;
};

/// @param degrees  counter-clockwise; multiples of 90 are exact
[[nodiscard]] Moved moved(const Points& points, Move move, Point shift, int degrees);

[[nodiscard]] std::vector<double> scores_of(const ScoreRule& rule, const Points& points);
[[nodiscard]] std::vector<double> weights_of(const ScoreRule& rule, const Points& points);

/// exp(-|q - k|^2 / (2 sqrt 2)) over their sum, from the differences: exercise 2's second way to the scaled Gaussian.
[[nodiscard]] std::vector<double> direct_weights(const Points& points);

/// Gradient of the average key number, sum_i i alpha_i with i from 1, with respect to a vector b_k added to every key, at b_k = 0.
[[nodiscard]] Point bias_gradient(const ScoreRule& rule, const Points& points);

/// The Gaussian and the dot product, both scaled.
struct Comparison {
  std::vector<double> gaussian, dot;
  std::vector<double> disagreement;  ///< gaussian - dot
  std::size_t most = 0;              ///< the first key, from 0, with the largest |disagreement|
};
[[nodiscard]] Comparison compare(const Points& points);

/// Weights of points within 13 that differ by no more than this differ by rounding alone: scores stay below 400 in size and are
/// rounded a few times, to 400 x 2^-53 = 4.4e-14 each.
inline constexpr double rounding = 1e-12;

/// The largest |a_i - b_i|.
[[nodiscard]] double largest_difference(std::span<const double> a, std::span<const double> b);

/// Cells of the field, a side.
inline constexpr std::size_t side = 96;

/// Half the width of the square that the field covers: the first of 3, 4, 6, 9 and 13 that has every point in it, so that the
/// square stands still while a point is dragged. No move of points within 5 leads further than 12.1.
[[nodiscard]] double half_width(const Points& before, const Points& after);

/// The weight of key `key` (from 0) under each rule if the query stood in the middle of a cell: cell (row, column) is at
/// x = extent ((2 column + 1) / side - 1), y = extent (1 - (2 row + 1) / side). The Gaussian divides by c.
///
/// e^score is e^(x k_x / c) e^(y k_y / c) e^(-|k|^2 / 2c) but for a factor that all keys share, so a cell takes a product a key and no
/// exponential. Within half_width no product leaves e^+-400, and no maximum need be taken off: the weights are those of the
/// softmax to within 1e-12.
void field(const Points& points, bool scaled_gaussian, std::size_t key, double extent, std::span<double> out);

}  // namespace attn::studies::kernels_plane

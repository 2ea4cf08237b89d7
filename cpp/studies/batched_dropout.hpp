// Dropout over many draws: the sums of the rows of weights, their mean and variance beside the formula, and what becomes of one
// row. Not the dropout of one call (attn/dropout.hpp); tosses are the same, call after call.
//   E[sum] = sum of the weights, Var[sum] = p / (1 - p) * sum of the squared weights
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "attn/study.hpp"
#include "attn/tensor.hpp"

namespace attn::studies::batched_dropout {

/// Bins of the histogram from 0 to the largest sum there is; odd, so that 1 lies inside a bin when p = 0.5.
inline constexpr std::size_t bins = 41;

/// A row that no batch has.
inline constexpr std::size_t no_row = static_cast<std::size_t>(-1);

struct Ask {
  bool torch = false;
  std::uint32_t seed = 0;
  double rate = 0;  ///< 0 in evaluation
  std::size_t draws = 0;
  std::size_t row = 0;  ///< the row of the histogram, over all examples; there may be none
};

struct Draws {
  // One a row.
  std::vector<double> expected;   ///< sum of the weights before dropout
  std::vector<double> mean;       ///< of the sums
  std::vector<double> mean_se;    ///< standard error that the formula gives the mean
  std::vector<double> variance;   ///< of the sums, divided by draws - 1
  std::vector<double> variance_se;
  std::vector<double> predicted;  ///< p / (1 - p) sum of squares
  std::vector<double> squares;    ///< sum of the squared weights
  std::vector<double> pooled_mean;  ///< one a weight: its mean over the draws, after dropout
  // Of the chosen row; empty when there is none.
  std::array<double, bins + 1> edges{};
  std::vector<double> histogram;  ///< counts of its sums
  std::vector<double> exact;      ///< counts to expect, from all 2^keys ways to toss; empty when a weight is not finite
  std::vector<double> one_hot;    ///< counts of the sums if all its weight were on its heaviest key
  std::size_t one_hot_key = 0;    ///< from 0
  double zero_share = 0;          ///< share of the draws that drop that key
};

/// Weights (batch, queries, keys). With rate 0 nothing is tossed and every draw is the same. Error: cancelled.
[[nodiscard]] Result<Draws> draw(const Tensor<double, 3>& weights, const Ask& ask, const Workspace& workspace);

}  // namespace attn::studies::batched_dropout

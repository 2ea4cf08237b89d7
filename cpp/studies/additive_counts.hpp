// What scoring rules cost, counted by formula: parameters, floating-point operations, and entries of the largest tensor between
// the inputs and the weights. Not a measurement: no time, no cache, no bytes moved.
// Convention: a multiplication, an addition, a division and a tanh are one operation each, and an inner product of length c is
// c multiplications and c additions, 2c. The scores themselves count among the tensors; the softmax is left out of every rule.
// Source: Dive into Deep Learning, section 10.2, exercises 9.1, 9.2 and 12.1.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace attn::studies::additive_counts {

struct Widths {
  std::size_t queries = 3, keys = 6;            ///< n, m
  std::size_t query_width = 20, key_width = 2;  ///< d_q, d_k
  std::size_t hidden = 8;                       ///< h of the additive rule
  std::size_t shared = 64;                      ///< d of the dot product
  std::size_t rank = 8;                         ///< r of the factored rule
};

struct Cost {
  std::string rule;
  double parameters = 0, operations = 0, largest = 0;
  std::string parameters_formula, operations_formula, largest_formula;
};

/// Additive; scaled dot; bilinear in its cheaper order; bilinear factored, divided by sqrt(r).
[[nodiscard]] std::array<Cost, 4> costs(const Widths& widths);

/// (Q M) K^T: 2 n d_q d_k + 2 n m d_k, and Q (M K^T): 2 m d_q d_k + 2 n m d_q; a row an order, a column a product.
[[nodiscard]] std::array<std::array<double, 2>, 2> order_steps(const Widths& widths);

/// 0 when (Q M) K^T takes no more operations than Q (M K^T), else 1. Divided by 2 n m d_q d_k the two counts are 1/m + 1/d_q and
/// 1/n + 1/d_k, so the first is cheaper exactly when 1/m + 1/d_q < 1/n + 1/d_k.
[[nodiscard]] std::size_t cheaper_order(const Widths& widths);

/// d_q d_k / (d_q + d_k): below this rank the factors have fewer parameters than M. It is less than d_q and d_k both, so every rank
/// that saves parameters also limits M, whose rank is then at most r.
[[nodiscard]] double break_even_rank(const Widths& widths);

/// The greatest rank with fewer parameters than M; 0 if there is none.
[[nodiscard]] std::size_t largest_saving_rank(const Widths& widths);

}  // namespace attn::studies::additive_counts

// The counts, as doubles: whole numbers far below 2^53. See additive_counts.hpp.
#include "additive_counts.hpp"

#include <algorithm>

namespace attn::studies::additive_counts {
namespace {

struct Reals {
  explicit Reals(const Widths& w)
      : n(static_cast<double>(w.queries)), m(static_cast<double>(w.keys)), dq(static_cast<double>(w.query_width)),
        dk(static_cast<double>(w.key_width)), h(static_cast<double>(w.hidden)), d(static_cast<double>(w.shared)),
        r(static_cast<double>(w.rank)) {}
  double n, m, dq, dk, h, d, r;
};

/// The greatest of several tensors, with the formula of its size; the first of equals.
void largest_of(Cost& cost, std::initializer_list<std::pair<double, const char*>> tensors) {
  for (const auto& [size, formula] : tensors) {
    if (size <= cost.largest) continue;
    cost.largest = size;
    cost.largest_formula = formula;
  }
}

}  // namespace

std::array<std::array<double, 2>, 2> order_steps(const Widths& widths) {
  const Reals x(widths);
  return {{{2 * x.n * x.dq * x.dk, 2 * x.n * x.m * x.dk}, {2 * x.m * x.dq * x.dk, 2 * x.n * x.m * x.dq}}};
}

std::size_t cheaper_order(const Widths& widths) {
  const auto steps = order_steps(widths);
  return steps[0][0] + steps[0][1] <= steps[1][0] + steps[1][1] ? 0 : 1;
}

std::array<Cost, 4> costs(const Widths& widths) {
  const Reals x(widths);
  // Projections of queries and of keys, the sum and the tanh of every unit of every pair, the product with w_v.
  Cost additive{"additive", x.h * (x.dq + x.dk + 1), 2 * x.h * (x.n * x.dq + x.m * x.dk) + 4 * x.n * x.m * x.h, 0,
                "h (d_q + d_k + 1)", "2 h (n d_q + m d_k) + 4 n m h", ""};
  largest_of(additive, {{x.n * x.m * x.h, "n m h"}});
  // One product, and a division a score.
  Cost dot{"scaled dot", 0, 2 * x.n * x.m * x.d + x.n * x.m, 0, "0", "2 n m d + n m", ""};
  largest_of(dot, {{x.n * x.m, "n m"}});
  const std::size_t order = cheaper_order(widths);
  const auto steps = order_steps(widths);
  Cost bilinear{"bilinear", x.dq * x.dk, steps[order][0] + steps[order][1], 0, "d_q d_k",
                order == 0 ? "2 n d_k (d_q + m)" : "2 m d_q (d_k + n)", ""};
  largest_of(bilinear, {{x.n * x.m, "n m"}, order == 0 ? std::pair{x.n * x.dk, "n d_k"} : std::pair{x.m * x.dq, "m d_q"}});
  Cost factored{"factored bilinear", x.r * (x.dq + x.dk), 2 * x.r * (x.n * x.dq + x.m * x.dk) + 2 * x.n * x.m * x.r + x.n * x.m, 0,
                "r (d_q + d_k)", "2 r (n d_q + m d_k) + 2 n m r + n m", ""};
  largest_of(factored, {{x.n * x.m, "n m"}, {x.n * x.r, "n r"}, {x.m * x.r, "m r"}});
  return {additive, dot, bilinear, factored};
}

double break_even_rank(const Widths& widths) {
  const Reals x(widths);
  return x.dq * x.dk / (x.dq + x.dk);
}

std::size_t largest_saving_rank(const Widths& widths) {
  const std::size_t product = widths.query_width * widths.key_width;
  return (product - 1) / (widths.query_width + widths.key_width);
}

}  // namespace attn::studies::additive_counts

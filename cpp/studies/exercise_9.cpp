// Exercise 9, keys of another width: two orders of a product of three matrices, a matrix against two factors, and the variance that
// asks for a divisor. Counts come from additive_counts.hpp. Source: Dive into Deep Learning, section 10.2, exercise 9.
#include <array>
#include <cmath>

#include "additive_counts.hpp"
#include "additive_model.hpp"
#include "exercises.hpp"

namespace attn::studies {
namespace {

using namespace additive_counts;

/// Three queries of width 20 and six keys of width 2: the defaults of Widths.
Answer order(std::size_t which, bool first, bool second) {
  const auto steps = order_steps({})[which];
  return {(first ? steps[0] : 0) + (second ? steps[1] : 0)};
}

/// A sum of c products begun with the first of them, 2c - 1: every entry of both results takes one addition less.
Answer order_begun(std::size_t which) {
  const Widths w;
  const std::size_t middle = which == 0 ? w.queries * w.key_width : w.query_width * w.keys;
  return {order(which, true, true)[0] - static_cast<double>(middle + w.queries * w.keys)};
}

constexpr Slip first_slips[] = {
    {[] { return Answer{order(0, true, true)[0] / 2}; }, "Those are the multiplications. Every product is also added."},
    {[] { return order_begun(0); }, "You begin each sum with its first product. Count as many additions as products here."},
    {[] { return order(1, true, true); }, "That is the other order."},
    {[] { return order(0, true, false); }, "That is the first of the two products."},
    {[] { return order(0, false, true); }, "That is the second of the two products."},
};
constexpr Slip second_slips[] = {
    {[] { return Answer{order(1, true, true)[0] / 2}; }, "Those are the multiplications. Every product is also added."},
    {[] { return order_begun(1); }, "You begin each sum with its first product. Count as many additions as products here."},
    {[] { return order(0, true, true); }, "That is the other order."},
    {[] { return order(1, true, false); }, "That is the first of the two products."},
    {[] { return order(1, false, true); }, "That is the second of the two products."},
};

constexpr Choice rules[] = {
    {"queries", "n < m", "Take widths 2 and 20 instead of 20 and 2: the order turns, though n and m stay."},
    {"width", "d_k < d_q", "With a hundred queries and one key the order turns, though the widths stay."},
    {"middle", "n d_k < m d_q", "That compares the sizes of the matrix in the middle. Divide both counts by n m d_q d_k."},
    {"inverses", "1/m + 1/d_q < 1/n + 1/d_k"},
};

/// The rule that decides as the counts do for every size tried.
Answer deciding_rule() {
  std::array<bool, 4> right{true, true, true, true};
  for (const double n : {1., 3., 100.}) {
    for (const double m : {1., 2., 6.}) {
      for (const double dq : {2., 20., 1000.}) {
        for (const double dk : {2., 10., 20.}) {
          const Widths w{static_cast<std::size_t>(n), static_cast<std::size_t>(m), static_cast<std::size_t>(dq), static_cast<std::size_t>(dk), 1, 1, 1};
          const auto steps = order_steps(w);
          const double gain = steps[1][0] + steps[1][1] - steps[0][0] - steps[0][1];
          if (gain == 0) continue;  // a tie that rounding of the inverses could break
          const std::array<bool, 4> says{n < m, dk < dq, n * dk < m * dq, 1 / m + 1 / dq < 1 / n + 1 / dk};
          for (std::size_t i = 0; i < says.size(); ++i) right[i] = right[i] && says[i] == (gain > 0);
        }
      }
    }
  }
  std::size_t found = 0;
  while (found + 1 < right.size() && !right[found]) ++found;
  return {static_cast<double>(found)};
}

Widths of_rank(std::size_t rank) {
  Widths widths;
  widths.rank = rank;
  return widths;
}

constexpr Slip unit_slips[] = {
    {[] { return Answer{costs(of_rank(1))[2].parameters}; }, "That is the whole matrix."},
    {[] { return Answer{static_cast<double>(Widths{}.query_width)}; }, "The keys’ factor has a row as well."},
};
constexpr Slip break_slips[] = {
    {[] { return Answer{1 / break_even_rank({})}; }, "That is the inverse."},
    {[] { return Answer{std::floor(break_even_rank({}))}; }, "That is the largest whole r that saves, not the bound itself."},
    {[] { return Answer{static_cast<double>(Widths{}.key_width)}; }, "From there on the factors no longer limit M. They stop saving earlier."},
    {[] { return Answer{static_cast<double>(Widths{}.query_width) / static_cast<double>(Widths{}.key_width)}; }, "Set r times the parameters of a rank equal to those of M."},
};

constexpr Choice constraints[] = {
    {"symmetric", "it is symmetric", "It need not even be square."},
    {"rank", "its rank is at most r"},
    {"norm", "its rows have length 1", "The factors may be as large as they like."},
    {"invertible", "it has an inverse", "With r below both widths it maps something to zero."},
};

/// A product of two random factors of one row each, 3 by 3: which of the four properties it has.
Answer constraint() {
  const Additive maps = additive_model::draw({1, 1, 3, 3, 1}, false, 9).rule;
  const auto entry = [&](std::size_t a, std::size_t b) { return maps.query_map(0, a) * maps.key_map(0, b); };
  if (entry(0, 1) == entry(1, 0)) return {0};
  double minor = 0;
  double length = 0;
  for (std::size_t a = 1; a < 3; ++a) {
    for (std::size_t b = 1; b < 3; ++b) minor = std::fmax(minor, std::fabs(entry(0, 0) * entry(a, b) - entry(0, b) * entry(a, 0)));
    length += entry(0, a) * entry(0, a);
  }
  if (minor < 1e-12) return {1};
  return {length == 1 ? 2.0 : 3.0};
}

/// Sum over rows of the variances of (W_q q)_j and (W_k k)_j multiplied, each a sum of products of independent factors.
double variance(std::size_t dq, std::size_t dk, std::size_t r) {
  double total = 0;
  for (std::size_t j = 0; j < r; ++j) {
    double of_query = 0;
    double of_key = 0;
    for (std::size_t a = 0; a < dq; ++a) of_query += 1 / static_cast<double>(dq);
    for (std::size_t a = 0; a < dk; ++a) of_key += 1 / static_cast<double>(dk);
    total += of_query * of_key;
  }
  return total;
}

constexpr Slip variance_slips[] = {
    {[] { return Answer{std::sqrt(variance(20, 2, 8))}; }, "That is the standard deviation."},
    {[] { return Answer{20 * 2 * variance(20, 2, 8)}; }, "The variances 1/d_q and 1/d_k of the entries are still missing."},
    {[] { return Answer{variance(20, 2, 8) * variance(20, 2, 8)}; }, "Products of different rows do not count: their means are zero."},
    {[] { return Answer{variance(20, 2, 1)}; }, "That is one row. The score sums over all of them."},
};

constexpr Choice divisors[] = {
    {"rank", "1/√r"},
    {"widths", "1/√(d_q d_k)", "The maps have divided the widths out already."},
    {"plain", "1/r", "That would give the variance 1/r."},
    {"sum", "1/√(d_q + d_k)", "The maps have divided the widths out already."},
};

/// The factor whose square brings the variance to 1 at two sizes.
Answer divisor() {
  std::array<bool, 4> right{true, true, true, true};
  for (const auto& [dq, dk, r] : {std::array<std::size_t, 3>{20, 2, 8}, std::array<std::size_t, 3>{5, 7, 3}}) {
    const auto q = static_cast<double>(dq), k = static_cast<double>(dk), rank = static_cast<double>(r);
    const std::array<double, 4> squares{1 / rank, 1 / (q * k), 1 / (rank * rank), 1 / (q + k)};
    for (std::size_t i = 0; i < squares.size(); ++i) right[i] = right[i] && std::fabs(squares[i] * variance(dq, dk, r) - 1) < 1e-12;
  }
  std::size_t found = 0;
  while (found + 1 < right.size() && !right[found]) ++found;
  return {static_cast<double>(found)};
}

constexpr Part parts[] = {
    {.id = "9.1a",
     .ask = "Three queries of width 20, six keys of width 2: how many multiplications and additions does (QM)Kᵀ take, 2c for a sum of c products?",
     .key = [] { return order(0, true, true); },
     .slips = first_slips,
     .right = "2·3·20·2 for QM, then 2·3·6·2."},
    {.id = "9.1b",
     .ask = "And how many does Q(MKᵀ) take?",
     .key = [] { return order(1, true, true); },
     .slips = second_slips,
     .right = "2·20·2·6 for MKᵀ, then 2·3·6·20: nearly four times as many."},
    {.id = "9.1c", .ask = "When is (QM)Kᵀ the cheaper order?", .kind = AnswerKind::choice, .choices = rules, .key = deciding_rule,
     .right = "The counts, divided by 2 n m d_q d_k, are just these two sums."},
    {.id = "9.2a",
     .ask = "At widths 20 and 2, how many parameters does each unit of rank cost the factored form?",
     .key = [] { return Answer{costs(of_rank(1))[3].parameters}; },
     .slips = unit_slips,
     .right = "A row of W_q and a row of W_k: d_q + d_k."},
    {.id = "9.2b",
     .ask = "Below which value of r has the factored form fewer parameters than M, at widths 20 and 2?",
     .decimals = 2,
     .key = [] { return Answer{break_even_rank({})}; },
     .slips = break_slips,
     .right = "d_q d_k/(d_q + d_k): here only r = 1 saves anything."},
    {.id = "9.2c", .ask = "What do two factors of r rows demand of M?", .kind = AnswerKind::choice, .choices = constraints, .key = constraint,
     .right = "And every r that saves parameters is below both widths, so the limit is always felt."},
    {.id = "9.3a",
     .ask = "Unit coordinates, entries of variance 1/d_q and 1/d_k: what is the variance of the factored score at widths 20 and 2 and r = 8?",
     .decimals = 2,
     .key = [] { return Answer{variance(20, 2, 8)}; },
     .slips = variance_slips,
     .right = "Each row adds the variance of a product of two independent numbers of variance 1."},
    {.id = "9.3b", .ask = "Which factor takes the place of 1/√d?", .kind = AnswerKind::choice, .choices = divisors, .key = divisor,
     .right = "r plays the part of d: the two projected vectors have r coordinates of variance 1."},
};

constexpr Exercise exercise{"9", "Keys of another width", "additive", parts};

}  // namespace

const Exercise& exercise_9() { return exercise; }

}  // namespace attn::studies

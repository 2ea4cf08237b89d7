// One row through a masked softmax in a number format, step by step: scores, the fill, maximum, difference, exponential, sum,
// weight. Every operation is done in double and rounded once to its format (dtype.hpp), which is the operation of the format.
// Source: Dive into Deep Learning, section 10.2.2.1 and exercises 5 and 6.3.
#pragma once

#include <array>
#include <string>

#include "attn/dtype.hpp"
#include "attn/study.hpp"

namespace attn::studies::precision_row {

inline constexpr std::size_t keys = 6;
using Row = std::array<double, keys>;
using Allowed = std::array<bool, keys>;

inline constexpr std::array dtypes{Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16};

/// What stands at excluded keys: a number, or one that depends on the format.
struct Fill {
  const char* name;
  double (*value)(Dtype);  ///< after rounding to the scores' format
};
extern const std::array<Fill, 6> fills;

/// Scores and the two terms of a mask. A term allows or excludes; a key must survive both.
struct Case {
  const char* name;
  Row scores;
  Allowed term1, term2;
  [[nodiscard]] bool allowed(std::size_t key) const { return term1[key] && term2[key]; }
  [[nodiscard]] bool any_allowed() const;
};
extern const std::array<Case, 6> cases;

/// How a row is masked and in which formats it is computed.
struct Setting {
  Dtype dtype = Dtype::float16;       ///< of the scores, the fill and the weights
  Dtype accumulate = Dtype::float32;  ///< of the softmax
  bool additive = false;              ///< a bias a term, added; otherwise excluded scores are overwritten
  bool zeroing = true;                ///< rows without an allowed key become zeros at the end
};

/// Every step. NaN in bias1 and bias2 where nothing is added.
struct Trace {
  Row scores, bias1, bias2, filled, difference, exponential, weights, exact;
  double fill = 0, row_max = 0, sum = 0;
  double leak = 0;   ///< weight on excluded keys; NaN when a weight is NaN
  double error = 0;  ///< largest distance of an allowed weight from the exact one; NaN likewise
  std::string outcome;
};

/// What rounding alone can do to a weight: `keys` epsilons of the coarser of the two formats. With u = epsilon / 2, a weight w strays
/// by at most w u for each of exponential, quotient and the last rounding, w (keys - 1) u by the sum, w ln(keys) u by the differences
/// in it, and w |difference| u <= u / e by its own: 10.2 u for six keys, and 12 u is allowed.
[[nodiscard]] double rounding_bound(const Setting& setting);

/// The outcome in words, the first that is true: "NaN" (some weight is); "uniform over invalid keys" (no key is allowed, and the weights
/// that are not zero are equal); "leak of x" (x is the weight on excluded keys); "wrong weights" (none leaks, but an allowed weight
/// is further from the exact one than rounding_bound: the softmax's format told the scores apart less well than theirs did); "exact"
/// (every excluded key weighs exactly zero, and without an allowed key all do). Exact means exact for the scores as rounded.
[[nodiscard]] Trace trace(const Case& row, const Fill& fill, const Setting& setting);

[[nodiscard]] const Case& case_named(std::string_view name);
[[nodiscard]] const Fill& fill_named(std::string_view name);

}  // namespace attn::studies::precision_row

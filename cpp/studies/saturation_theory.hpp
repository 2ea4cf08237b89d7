// What the entropies of One square root should be when the sum of exponentials keeps to its mean, and how far it strays.
// Scores of m keys are independent normals of variance s^2 (given the query), s^2 = |q|^2 or |q|^2 / d with means d and 1:
//   H = ln Z - sum w a, E exp(a) = exp(s^2 / 2), E a exp(a) = s^2 exp(s^2 / 2), hence H = ln m - s^2 / 2 about;
//   var Z / (E Z)^2 = (exp(s^2) - 1) / m, hence the approximation asks for s^2 well below ln m.
// Source: Dive into Deep Learning, section 10.2, exercise 3.
#pragma once

#include <string>
#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

/// ln m - s^2 / 2, in nats.
[[nodiscard]] double approximate_entropy(double s2, double keys);

/// Relative standard deviation of Z, sqrt((exp(s^2) - 1) / m).
[[nodiscard]] double z_deviation(double s2, double keys);

/// Appends the series of theory_series(). The approximation for unscaled scores runs from d = 4 until it meets 0: at most 33
/// points, even on the log axis, and none for few keys.
/// @param at        the reader's d
/// @param per_unit  nats a unit
void add_theory(std::size_t at, double keys, double per_unit, const std::string& unit, std::vector<Series>& series);
[[nodiscard]] std::vector<SeriesInfo> theory_series();

[[nodiscard]] std::vector<Claim> theory_claims();

}  // namespace attn::studies

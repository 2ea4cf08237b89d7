// The rows, the fills and the steps. See precision_row.hpp.
#include "precision_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attn/math.hpp"
#include "attn/softmax.hpp"
#include "attn/text.hpp"

namespace attn::studies::precision_row {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr Allowed all{true, true, true, true, true, true};
constexpr Allowed none{};
constexpr Row ordinary{1.5, 0.25, -0.75, 2.0, 0.5, -1.0};

/// A share in few digits: two behind the point, or one significant digit when it is smaller.
std::string share_text(double share) {
  double scale = 100;
  while (share * scale < 1 && scale < 1e300) scale *= 10;
  return number_text(std::floor(share * scale + 0.5) / scale);
}

std::string outcome_of(const Case& row, const Trace& trace, const Setting& setting) {
  if (std::isnan(trace.leak)) return "NaN";
  if (trace.leak == 0) return trace.error > rounding_bound(setting) ? "wrong weights" : "exact";
  if (!row.any_allowed()) {
    double weight = 0;
    bool even = true;
    for (const double each : trace.weights) {
      if (each == 0) continue;
      even = even && (weight == 0 || each == weight);
      weight = each;
    }
    if (even) return "uniform over invalid keys";
  }
  return std::string("leak of ").append(share_text(trace.leak));
}

}  // namespace

const std::array<Fill, 6> fills{{
    {"-1e4", [](Dtype dtype) { return rounded(dtype, -1e4); }},
    {"-1e6", [](Dtype dtype) { return rounded(dtype, -1e6); }},
    {"-1e9", [](Dtype dtype) { return rounded(dtype, -1e9); }},
    {"lowest", [](Dtype dtype) { return lowest(dtype); }},
    {"-infinity", [](Dtype) { return -infinity; }},
    {"two-lowest", [](Dtype dtype) { return rounded(dtype, lowest(dtype) + lowest(dtype)); }},
}};

// Scores are multiples of 1/4 (or whole, where large): every format but bfloat16 holds them as they are, bfloat16 the small ones, so
// that a difference between formats is the fill's or the softmax's doing.
const std::array<Case, 6> cases{{
    // What a mask mostly meets: every fill closes it.
    {"ordinary", ordinary, {true, true, true, true, false, false}, all},
    // Real scores below -10^4, as unscaled logits of a wide model can be; the excluded ones are small. With a fill of -10^4 an
    // excluded key has the row's maximum, in every format. 16 apart is one step of float16 up there, so it tells them apart as float32 does; bfloat16's step is
    // 128, and it makes one number of the three.
    {"large", {-20000, -19984, -20016, 3, 0.5, 2}, {true, true, true, false, false, false}, all},
    // The least that a row can keep: its weight is 1 with every fill, and the zeroing has nothing to do.
    {"one-key", ordinary, {false, false, true, false, false, false}, all},
    // Exercise 5: one term leaves nothing. Overwritten: uniform or NaN. -10^4 added: in float32 the scores survive beside it and the row
    // looks like attention; in float16 they are lost and it is uniform.
    {"masked", ordinary, none, all},
    // Exercise 6.3: both terms exclude every key, so two biases meet and two lowest values overflow.
    {"twice", ordinary, none, none},
    // Exercise 6.3 again: keys 1 and 2 are excluded by the first term, 5 and 6 by the second, 3 and 4 by both. Only the two overflow.
    {"by-each", ordinary, {false, false, false, false, true, true}, {true, true, false, false, false, false}},
}};

bool Case::any_allowed() const {
  for (std::size_t k = 0; k < keys; ++k) {
    if (allowed(k)) return true;
  }
  return false;
}

double rounding_bound(const Setting& setting) {
  return static_cast<double>(keys) * std::max(epsilon(setting.dtype), epsilon(setting.accumulate));
}

Trace trace(const Case& row, const Fill& fill, const Setting& setting) {
  Trace t{};
  const auto in_dtype = [&](double value) { return rounded(setting.dtype, value); };
  const auto in_sum = [&](double value) { return rounded(setting.accumulate, value); };
  t.fill = fill.value(setting.dtype);
  for (std::size_t k = 0; k < keys; ++k) {
    t.scores[k] = in_dtype(row.scores[k]);
    t.bias1[k] = t.bias2[k] = unknown;
    if (setting.additive) {
      t.bias1[k] = row.term1[k] ? 0 : t.fill;
      t.bias2[k] = row.term2[k] ? 0 : t.fill;
      t.filled[k] = in_dtype(t.scores[k] + in_dtype(t.bias1[k] + t.bias2[k]));
    } else {
      t.filled[k] = row.allowed(k) ? t.scores[k] : t.fill;
    }
  }
  Row given{};
  for (std::size_t k = 0; k < keys; ++k) given[k] = in_sum(t.filled[k]);
  t.row_max = *std::max_element(given.begin(), given.end());
  for (std::size_t k = 0; k < keys; ++k) {
    t.difference[k] = in_sum(given[k] - t.row_max);
    t.exponential[k] = in_sum(math::exp(t.difference[k]));
    t.sum = in_sum(t.sum + t.exponential[k]);
  }
  const bool zeroed = setting.zeroing && !row.any_allowed();
  Tensor<double, 3> scores = Tensor<double, 3>::from_shape({1, 1, keys});
  Mask mask = Mask::from_shape({1, 1, keys});
  for (std::size_t k = 0; k < keys; ++k) {
    t.weights[k] = zeroed ? 0.0 : in_dtype(in_sum(t.exponential[k] / t.sum));
    scores(0, 0, k) = t.scores[k];
    mask(0, 0, k) = row.allowed(k);
  }
  const auto exact = masked_softmax(scores, mask).value();
  for (std::size_t k = 0; k < keys; ++k) {
    t.exact[k] = exact(0, 0, k);
    if (row.allowed(k)) {
      const double apart = std::fabs(t.weights[k] - t.exact[k]);
      t.error = std::isnan(apart) || std::isnan(t.error) ? unknown : std::max(t.error, apart);
    } else {
      t.leak += t.weights[k];
    }
    if (std::isnan(t.weights[k])) t.leak = unknown;
  }
  t.outcome = outcome_of(row, t, setting);
  return t;
}

const Case& case_named(std::string_view name) {
  return *std::find_if(cases.begin(), cases.end(), [&](const Case& each) { return each.name == name; });
}

const Fill& fill_named(std::string_view name) {
  return *std::find_if(fills.begin(), fills.end(), [&](const Fill& each) { return each.name == name; });
}

}  // namespace attn::studies::precision_row

// Exercise 3, the entropy of random scores: the variance of a score, what the entropy then is, and when that holds. The answers
// come from the theory beside One square root and from a run of its study. Source: Dive into Deep Learning, section 10.2, exercise 3.
#include <cmath>

#include "attn/attention.hpp"
#include "attn/math.hpp"
#include "exercises.hpp"
#include "saturation_theory.hpp"

namespace attn::studies {
namespace {

constexpr double keys = 64;

/// Expected squared length of a query of `d` standard normal coordinates: a sum of d variances of one.
double squared_length(double d) {
  double sum = 0;
  for (double coordinate = 0; coordinate < d; ++coordinate) sum += 1;
  return sum;
}

/// Mean unscaled entropy of JAX's 256 queries of seed 0 at d = 8, in nats.
double measured() {
  AttentionStatsOptions options;
  options.d = 8;
  options.scaled = false;
  return attention_stats(options).value().entropy.mean;
}

constexpr Slip variances[] = {{[] { return Answer{1 / std::sqrt(squared_length(64))}; }, "The root of d divides the score, so its square divides the variance."},
                              {[] { return Answer{squared_length(64)}; }, "That is the variance before the division."}};

constexpr Slip entropies[] = {
    {[] { return Answer{approximate_entropy(1, keys) / math::log(2.0)}; }, "That is the entropy in bits."},
    {[] { return Answer{approximate_entropy(2, keys)}; }, "Half of the variance comes off, not all of it: one half is won back in ln Z."},
    {[] { return Answer{approximate_entropy(0, keys)}; }, "That is ln 64, the entropy of equal weights."},
    {[] { return Answer{approximate_entropy(-1, keys)}; }, "No row of 64 weights has more than ln 64. Look at the sign of the second term."},
};

Answer deviation(double s2) { return {z_deviation(s2, keys)}; }

constexpr Slip at_four[] = {
    {[] { return Answer{z_deviation(4, keys) * z_deviation(4, keys)}; }, "That is the relative variance; take its root."},
    {[] { return Answer{z_deviation(4, 1)}; }, "That is one exponential alone; 64 independent ones average out by the root of 64."},
    {[] { return Answer{z_deviation(2, keys)}; }, "The exponent is s² itself: the mean of exp(2a) is exp(2s²), and the squared mean takes exp(s²) out."},
};

constexpr Slip at_eight[] = {
    {[] { return Answer{z_deviation(8, keys) * z_deviation(8, keys)}; }, "That is the relative variance; take its root."},
    {[] { return Answer{z_deviation(8, 1)}; }, "That is one exponential alone; divide by the root of 64."},
};

constexpr Choice conditions[] = {
    {"log", "s² well below ln m"},
    {"linear", "s² well below m", "At s² = 8 and m = 64 this holds, and the deviation is already several times the mean."},
    {"root", "s² well below √m", "For m = 64 that lets s² = 4 through only in part, but at m = 10 000 it allows s² = 50, where exp(50) is far above m."},
    {"always", "none: large m is enough", "For a fixed s² it is; but s² may grow with d."},
};

/// The condition whose edge keeps (exp(s^2) - 1) / m at one for m from 10^2 to 10^8.
Answer condition() {
  const double edges[3][2] = {{math::log(1e2), math::log(1e8)}, {1e2, 1e8}, {1e1, 1e4}};
  for (std::size_t i = 0; i < 3; ++i) {
    const double few = z_deviation(edges[i][0], 1e2);
    const double many = z_deviation(edges[i][1], 1e8);
    if (std::fabs(few - 1) < 0.01 && std::fabs(many - 1) < 0.01) return {static_cast<double>(i)};
  }
  return {3};
}

constexpr Slip gaps[] = {{[] { return Answer{measured()}; }, "That is the measured entropy; the approximation is still to be taken off."},
                         {[] { return Answer{approximate_entropy(8, keys)}; }, "That is the approximation; take it off the measured entropy."}};

constexpr Part parts[] = {
    {.id = "3.1", .ask = "What is the expected variance s² of a scaled score when the query's 64 coordinates are standard normal?",
     .key = [] { return Answer{squared_length(64) / 64}; }, .slips = variances, .right = "One, whatever d: d variances of one, divided by d."},
    {.id = "3.2", .ask = "What does ln m − s²/2 give for m = 64 and s = 1, in nats?", .unit = "nats", .decimals = 2,
     .key = [] { return Answer{approximate_entropy(1, keys)}; }, .slips = entropies, .right = "Half a nat below ln 64, and close to the measured 3.7."},
    {.id = "3.3a", .ask = "The relative standard deviation of Z for m = 64 keys at s² = 4?", .decimals = 2,
     .key = [] { return deviation(4); }, .slips = at_four, .right = "Z strays by almost its own size."},
    {.id = "3.3b", .ask = "And at s² = 8?", .digits = 2,
     .key = [] { return deviation(8); }, .slips = at_eight, .right = "Almost seven times its mean: one exponential is most of the sum."},
    {.id = "3.3c", .ask = "Which condition keeps Z near its mean for many keys?", .kind = AnswerKind::choice, .choices = conditions,
     .key = condition, .right = "exp(s²) has to stay well below m."},
    {.id = "3.3d", .ask = "At d = 8, unscaled, JAX, seed 0: by how many nats does the measured entropy exceed the approximation?", .unit = "nats", .decimals = 1,
     .key = [] { return Answer{measured() - approximate_entropy(8, keys)}; }, .slips = gaps, .right = "The approximation is lost by then."},
};

constexpr Exercise exercise{"3", "How even random weights are", "saturation", parts};

}  // namespace

const Exercise& exercise_3() { return exercise; }

}  // namespace attn::studies

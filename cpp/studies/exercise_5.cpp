// Exercise 5, fully masked rows: what the fill becomes, what the softmax makes of a row without a key, and where a NaN goes. The
// answers come from the rows and layers of the plate Number formats. Source: Dive into Deep Learning, section 10.2, exercise 5.
#include <cmath>

#include "attn/dtype.hpp"
#include "exercises.hpp"
#include "precision_row.hpp"

namespace attn::studies {
namespace {

using namespace precision_row;

/// The outcome of a row, masked by overwriting and without the final zeroing.
enum Fate { zeros, even, scores, nan };

constexpr Choice fates[] = {
    {"zeros", "zeros", "Zeros come only from the final zeroing, which is left out here. The softmax itself always divides by the sum of its exponentials."},
    {"even", "the same weight for every key", "Follow the maximum: what is left of each score once it is subtracted?"},
    {"scores", "the weights it would have without a mask", "The scores are gone: every one of them was overwritten."},
    {"nan", "NaN everywhere", "That takes an infinity: a finite number minus itself is zero."},
};

Answer fate(const char* row, const char* fill, Dtype dtype) {
  const Trace found = trace(case_named(row), fill_named(fill), {dtype, dtype, false, false});
  if (std::isnan(found.weights[0])) return {nan};
  bool same = true;
  for (const double weight : found.weights) same = same && weight == found.weights[0];
  if (!same) return {scores};
  return {static_cast<double>(found.weights[0] == 0 ? zeros : even)};
}

constexpr Part parts[] = {
    {.id = "5.1a",
     .ask = "Every key of a query is excluded and its scores are overwritten with the lowest finite value. Without the final zeroing, what does the softmax return?",
     .kind = AnswerKind::choice,
     .choices = fates,
     .key = [] { return fate("masked", "lowest", Dtype::float32); },
     .right = "The maximum is the lowest value itself, every difference is 0, every exponential 1: the weights are all 1/n."},
};

constexpr Exercise exercise{"5", "Rows that keep no key", "precision", parts};

}  // namespace

const Exercise& exercise_5() { return exercise; }

}  // namespace attn::studies

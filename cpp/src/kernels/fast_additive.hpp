// Additive scores sum_h w_h tanh(a_h + b_h) of a few queries with a panel of keys for one target, keys in lanes. No exponential per
// pair of a query and a key: what depends on one of them alone is packed beforehand, and two hidden units share a division,
//   n1 / d1 + n2 / d2 = (n1 d2 + n2 d1) / (d1 d2).
// Which form is exact depends on the size of a and b, so the caller sorts queries and keys by it:
//   tangents       |a|, |b| <= 1/2: tanh(a + b) = (ta + tb) / (1 + ta tb) with ta = tanh a, tb = tanh b. Both keep their digits however
//                  small they are, and 1 + ta tb >= 0.78, so the error is a few units in the last place of |a| + |b|.
//   exponentials   |a|, |b| <= 10: tanh(a + b) = 1 - 2 / (1 + e^2a e^2b). The error is one of 1, whatever a + b; d1 d2 < 2^116.
//   sums           anything, infinities and NaN too: tanh (a + b) of fast_tanh.hpp, the sum in float.
// The addition theorem alone would not do: at a = 5, b = -5 it divides 0 by 1e-4 and errs by 5000 units.
#pragma once

#include "fast.hpp"
#include "fast_exp.hpp"
#include "fast_tanh.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

template <std::size_t count>
[[gnu::always_inline]] inline void by_tangents(const AdditivePanel& of, std::size_t row, std::size_t lane, std::size_t first, std::size_t last) {
  constexpr std::size_t step = 2 * lanes;
  const float* keys = of.keys + lane + 2 * first * step;
  const float* q[count];
  for (std::size_t i = 0; i < count; ++i) q[i] = of.queries[row + i];
  vf sums[count] = {};
  const vf one = all(1.0f);
  ATTN_ROLLED
  for (std::size_t h = first; h < last; h += 2, keys += 4 * step) {
    const vf t1 = wide(keys);
    const vf w1 = wide(keys + step);
    const vf t2 = wide(keys + 2 * step);
    const vf w2 = wide(keys + 3 * step);
    for (std::size_t i = 0; i < count; ++i) {
      const float* at = q[i] + 2 * h;
      const vf d1 = madd(all(at[0]), t1, one);
      const vf n1 = all(at[1]) + w1;
      const vf d2 = madd(all(at[2]), t2, one);
      const vf n2 = all(at[3]) + w2;
      sums[i] += madd(n1, d2, n2 * d1) / (d1 * d2);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    float* to = of.out[row + i] + lane;
    put(to, first == 0 ? sums[i] : wide(to) + sums[i]);
  }
}

template <std::size_t count>
[[gnu::always_inline]] inline void by_exponentials(const AdditivePanel& of, std::size_t row, std::size_t lane, std::size_t first, std::size_t last) {
  constexpr std::size_t step = 2 * lanes;
  const float* keys = of.keys + lane + first * step;
  const float* w = of.w + first;
  const float* q[count];
  vf sums[count];
  for (std::size_t i = 0; i < count; ++i) {
    q[i] = of.queries[row + i];
    sums[i] = all(of.starts[first / additive_block]);
  }
  const vf one = all(1.0f);
  ATTN_ROLLED
  for (std::size_t h = first; h < last; h += 2, keys += 2 * step, w += 2) {
    const vf e1 = wide(keys);
    const vf e2 = wide(keys + step);
    const vf w1 = all(w[0]);
    const vf w2 = all(w[1]);
    for (std::size_t i = 0; i < count; ++i) {
      const vf d1 = madd(all(q[i][h]), e1, one);
      const vf d2 = madd(all(q[i][h + 1]), e2, one);
      sums[i] += madd(w1, d2, w2 * d1) / (d1 * d2);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    float* to = of.out[row + i] + lane;
    put(to, first == 0 ? sums[i] : wide(to) + sums[i]);
  }
}

template <std::size_t count>
[[gnu::always_inline]] inline void by_sums(const AdditivePanel& of, std::size_t row, std::size_t lane) {
  const float* keys = of.keys + lane;
  vf sums[count] = {};
  ATTN_ROLLED
  for (std::size_t h = 0; h < of.hidden; ++h, keys += 2 * lanes) {
    const vf b = wide(keys);
    const vf w = all(of.w[h]);
    for (std::size_t i = 0; i < count; ++i) {
      sums[i] = madd(w, tangent(all(of.queries[row + i][h]) + b), sums[i]);
    }
  }
  for (std::size_t i = 0; i < count; ++i) put(of.out[row + i] + lane, sums[i]);
}

[[gnu::noinline]] void additive_tangents(const AdditivePanel& of, std::size_t lane, std::size_t first, std::size_t last) {
  std::size_t row = 0;
  for (; row + 4 <= of.rows; row += 4) by_tangents<4>(of, row, lane, first, last);
  for (; row < of.rows; ++row) by_tangents<1>(of, row, lane, first, last);
}

[[gnu::noinline]] void additive_exponentials(const AdditivePanel& of, std::size_t lane, std::size_t first, std::size_t last) {
  std::size_t row = 0;
  for (; row + 4 <= of.rows; row += 4) by_exponentials<4>(of, row, lane, first, last);
  for (; row < of.rows; ++row) by_exponentials<1>(of, row, lane, first, last);
}

[[gnu::noinline]] void additive_sums(const AdditivePanel& of, std::size_t lane) {
  for (std::size_t row = 0; row < of.rows; ++row) by_sums<1>(of, row, lane);
}

void additive_panel(AdditiveForm form, const AdditivePanel& of) {
  for (std::size_t lane = 0; lane < 2 * lanes; lane += lanes) {
    if (form == AdditiveForm::sums) {
      additive_sums(of, lane);
      continue;
    }
    std::size_t first = 0;
    do {
      const std::size_t last = of.hidden - first < additive_block ? of.hidden : first + additive_block;
      (form == AdditiveForm::tangents ? additive_tangents : additive_exponentials)(of, lane, first, last);
      first = last;
    } while (first < of.hidden);
  }
}

/// tanh x for |x| <= 1/2: x + x^3 P(x^2), off by 5e-9 in proportion, plus roundings.
[[gnu::always_inline]] inline vf small_tanh(vf x) {
  const vf z = x * x;
  vf p = madd(all(-0.006942941807f), z, all(0.02147068270f));
  p = madd(p, z, all(-0.05393346772f));
  p = madd(p, z, all(0.1333322525f));
  p = madd(p, z, all(-0.3333333135f));
  return madd(x * z, p, x);
}

void additive_prepare(AdditiveForm form, float* x, std::size_t count) {
  ATTN_ROLLED
  for (std::size_t i = 0; i < count && form != AdditiveForm::sums; i += lanes) put(x + i, form == AdditiveForm::tangents ? small_tanh(wide(x + i)) : exp(wide(x + i) * 2.0f));
}

}  // namespace
}  // namespace attn::kernels

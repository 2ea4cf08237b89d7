// Softmax of one row for one target: e_j = e^(s_j - max s), weights e_j / sum e. Three passes over a row that stays in the
// first cache; sums in double. -infinity is a score like any other and weighs 0; a row of it alone is all zeros, as softmax.hpp has it.
#pragma once

#include "fast_exp.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

[[gnu::always_inline]] inline void zero_row(float* out, std::size_t count) {
  const std::size_t whole = count / lanes * lanes;
  ATTN_ROLLED
  for (std::size_t j = 0; j < whole; j += lanes) put(out + j, vf{});
  put_part(out + whole, vf{}, count - whole);
}

bool softmax_row(const float* in, float* out, std::size_t count, std::size_t total) {
  constexpr float infinity = __builtin_inff();
  const std::size_t whole = count / lanes * lanes;
  const std::size_t rest = count - whole;

  vf best0 = all(-infinity);
  vf best1 = best0;
  vi nan{};
  std::size_t j = 0;
  ATTN_ROLLED
  for (; j + 2 * lanes <= whole; j += 2 * lanes) {
    const vf s0 = wide(in + j);
    const vf s1 = wide(in + j + lanes);
    best0 = larger(best0, s0);
    best1 = larger(best1, s1);
    nan |= (s0 != s0) | (s1 != s1);
  }
  if (j < whole) {
    const vf s = wide(in + j);
    best0 = larger(best0, s);
    nan |= s != s;
  }
  const vf tail = part(in + whole, rest, -infinity);
  best0 = larger(best0, larger(best1, tail));
  nan |= tail != tail;
  float largest = best0[0];
  bool ordinary_row = true;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    largest = best0[lane] > largest ? best0[lane] : largest;
    ordinary_row = ordinary_row && nan[lane] == 0;
  }
  if (!ordinary_row || largest == infinity) return false;
  if (largest == -infinity) {
    zero_row(out, total);
    return true;
  }

  const vf top = all(largest);
  // in double: a float sum errs in proportion to its length, and loses small weights beside a large one
  vd sums{};
  const auto gather = [&](vf some) { sums += low(some) + high(some); };
  ATTN_ROLLED
  for (j = 0; j + 2 * lanes <= whole; j += 2 * lanes) {
    vf e[2] = {wide(in + j) - top, wide(in + j + lanes) - top};
    exp(e);
    gather(e[0] + e[1]);
    put(out + j, e[0]);
    put(out + j + lanes, e[1]);
  }
  if (j < whole) {
    const vf e = exp(wide(in + j) - top);
    gather(e);
    put(out + j, e);
  }
  const vf last = exp(tail - top);
  gather(last);
  double sum = 0;
  for (std::size_t lane = 0; lane < lanes / 2; ++lane) sum += sums[lane];

  const vf share = all(static_cast<float>(1 / sum));
  ATTN_ROLLED
  for (j = 0; j < whole; j += lanes) put(out + j, wide(out + j) * share);
  put_part(out + whole, last * share, rest);
  zero_row(out + count, total - count);
  return true;
}

}  // namespace
}  // namespace attn::kernels

// e^t of any t up to 88, -infinity included, for kernels that do not know how small their arguments are; exp2 of wide.hpp is for those
// that do. t = n ln 2 + r with n ln 2 taken off in two parts, the first of few bits, so that nothing of r is lost (Cody and Waite 1980);
// e^r = 1 + r + r^2 P(r) with P of degree 4 on |r| <= ln 2 / 2, off by 1e-8 in proportion, plus roundings.
#pragma once

#include "wide.hpp"

namespace attn::kernels {
namespace {

// In memory: V8 builds a constant anew in every turn of a loop, and a load is cheaper.
struct ExpNumbers {
  float lowest;  ///< from -87.7 down 0
  float log2_e;
  float magic;  ///< 1.5 * 2^23, plus the bias of an exponent: adding it leaves the nearest whole number in the low bits
  float ln_2_high, ln_2_low;
  float polynomial[7];
};
constexpr ExpNumbers exp_numbers{-88.0f, 1.44269504f, 12582912.0f + 127.0f, -0.693359375f, 2.12194440e-4f, {0.00139261817f, 0.008363178f, 0.04166655615f, 0.1666657627f, 0.5f, 1.0f, 1.0f}};

/// e^t of several vectors, step by step for all of them, each number loaded once.
template <std::size_t many>
[[gnu::always_inline]] inline void exp(vf (&t)[many]) {
  const ExpNumbers* number = &exp_numbers;
#if defined(__wasm__)
  asm("" : "+r"(number));  // or the compiler would know the numbers
#endif
  vf whole[many];
  vf p[many];
  const auto each = [&](auto step) {
    for (std::size_t u = 0; u < many; ++u) step(u);
  };
  const vf lowest = all(number->lowest), log2_e = all(number->log2_e), magic = all(number->magic);
  each([&](std::size_t u) {
    t[u] = larger(t[u], lowest);
    whole[u] = madd(t[u], log2_e, magic);
  });
  const vf ln_2_high = all(number->ln_2_high), ln_2_low = all(number->ln_2_low);
  each([&](std::size_t u) {
    const vf n = whole[u] - magic;
    t[u] = madd(n, ln_2_low, madd(n, ln_2_high, t[u]));
  });
  const vf first = all(number->polynomial[0]), second = all(number->polynomial[1]);
  each([&](std::size_t u) { p[u] = madd(first, t[u], second); });
  for (std::size_t i = 2; i < 7; ++i) {
    const vf next = all(number->polynomial[i]);
    each([&](std::size_t u) { p[u] = madd(p[u], t[u], next); });
  }
  each([&](std::size_t u) { t[u] = p[u] * bits(bits(whole[u]) << 23); });
}
[[gnu::always_inline]] inline vf exp(vf t) {
  vf one[1] = {t};
  exp(one);
  return one[0];
}

}  // namespace
}  // namespace attn::kernels

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

[[gnu::always_inline]] inline vf exp(vf t) {
  const ExpNumbers* number = &exp_numbers;
#if defined(__wasm__)
  asm("" : "+r"(number));  // or the compiler would know the numbers
#endif
  t = larger(t, all(number->lowest));
  const vf magic = all(number->magic);
  const vf whole = madd(t, all(number->log2_e), magic);
  const vf n = whole - magic;
  const vf r = madd(n, all(number->ln_2_low), madd(n, all(number->ln_2_high), t));
  vf p = madd(all(number->polynomial[0]), r, all(number->polynomial[1]));
  for (std::size_t i = 2; i < 7; ++i) p = madd(p, r, all(number->polynomial[i]));
  return p * bits(bits(whole) << 23);
}

}  // namespace
}  // namespace attn::kernels

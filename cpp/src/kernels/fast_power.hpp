// 2^x of any x up to 127, -infinity included, for kernels that do not know how small their arguments are; exp2 of wide.hpp is for those
// that do. A degree more, too: 2^f by a polynomial of degree 6 on [-1/2, 1/2] is off by 2e-9 in proportion, plus roundings.
#pragma once

#include "wide.hpp"

namespace attn::kernels {
namespace {

// In memory: V8 builds a constant anew in every turn of a loop, and a load is cheaper.
struct PowerNumbers {
  float lowest;  ///< from here down 0
  float magic;   ///< 1.5 * 2^23, plus the bias of an exponent: adding it leaves the nearest whole number in the low bits
  float polynomial[7];
};
constexpr PowerNumbers power_numbers{-127.0f, 12582912.0f + 127.0f, {0.00015353362f, 0.00133988739f, 0.00961843692f, 0.0555033237f, 0.240226477f, 0.693147182f, 1.0f}};

[[gnu::always_inline]] inline vf power(vf x) {
  const PowerNumbers* number = &power_numbers;
#if defined(__wasm__)
  asm("" : "+r"(number));  // or the compiler would know the numbers
#endif
  x = larger(x, all(number->lowest));
  const vf magic = all(number->magic);
  const vf t = x + magic;
  const vf f = x - (t - magic);
  vf p = madd(all(number->polynomial[0]), f, all(number->polynomial[1]));
  for (std::size_t i = 2; i < 7; ++i) p = madd(p, f, all(number->polynomial[i]));
  return p * bits(bits(t) << 23);
}

}  // namespace
}  // namespace attn::kernels

// Elementary functions whose bits are the same on every target: exp, log, log1p, expm1, sin, cos, tanh.
//
// Only + - * / and bit casts are used, no call into a C library, no contraction and no fused multiply-add: a native
// build, WebAssembly with or without SIMD, GCC and Clang all return the same 64 (or 32) bits for the same argument.
// Not a replacement for <cmath> as a whole: rounding modes other than to-nearest and floating-point flags are ignored.
#pragma once

namespace attn::math {

double exp(double x);
double expm1(double x);
double log(double x);
double log1p(double x);
double sin(double x);
double cos(double x);
double tanh(double x);

float exp(float x);
float expm1(float x);
float log(float x);
float log1p(float x);
float sin(float x);
float cos(float x);
float tanh(float x);

// Sine and cosine of one angle, sharing the reduction; the same bits as sin(x) and cos(x).
template <class T>
struct SinCos {
    T sin;
    T cos;
};
SinCos<double> sincos(double x);
SinCos<float> sincos(float x);

}  // namespace attn::math

// Elementary functions whose bits are the same on every target: exp, log, log1p, expm1, sin, cos, tanh.
//
// Only + - * / and bit casts are used, no call into a C library, no contraction and no fused multiply-add: a native
// build, WebAssembly with or without SIMD, GCC and Clang all return the same 64 (or 32) bits for the same argument.
// Not a replacement for <cmath> as a whole: rounding modes other than to-nearest and floating-point flags are ignored.
//
// Every function takes every argument: zeros keep their sign where the function is odd, subnormals are rounded once,
// and a NaN result is always the positive quiet NaN with no payload. Errors in units in the last place (ULP), the worst
// of 3 million arguments a range over the whole domain; tests/cpp/math_accuracy_test.cpp asserts the bounds.
//
//   function        measured  bound  method (details and sources in cpp/src/math_*.cpp)
//   exp             0.513     0.52   table of 2^(j/64), Taylor; Tang, ACM TOMS 15 (1989)
//   expm1           0.515     0.52   the same, summed in two doubles
//   log             0.508     0.515  table of short reciprocals, Taylor; Tang, ACM TOMS 16 (1990)
//   log1p           0.512     0.515  the same
//   sin, cos        0.807     0.85   reduction by Cody and Waite (1980), by Payne and Hanek (1983) from 2^20 on; Taylor
//   tanh            0.512     0.52   expm1(2x) / (expm1(2x) + 2) in two doubles
//   all, for float  0.50001   0.501  the double result, rounded
#pragma once

namespace attn::math {

double exp(double x);    // infinity from 709.78 on, subnormal below -708.39, 0 from -745.14 down
double expm1(double x);  // e^x - 1
double log(double x);    // natural; -infinity at both zeros, NaN below
double log1p(double x);  // log(1 + x); -infinity at -1, NaN below
double sin(double x);    // radians, as cos; NaN at infinities
double cos(double x);
double tanh(double x);

float exp(float x);
float expm1(float x);
float log(float x);
float log1p(float x);
float sin(float x);
float cos(float x);
float tanh(float x);

// a * b + c rounded once, exactly, on every target: WebAssembly has no fused multiply-add, and the C library's stand-in there
// needs a rounding mode that WebAssembly cannot set. The product of two floats is exact in double; the sum is rounded to odd
// there (Boldo and Melquiond 2008, "Emulation of FMA and correctly rounded sums", theorem 1), so that rounding it again to
// float is as if it had been exact.
float fma(float a, float b, float c);

// Sine and cosine of one angle, sharing the reduction; the same bits as sin(x) and cos(x).
template <class T>
struct SinCos {
  T sin;
  T cos;
};
SinCos<double> sincos(double x);
SinCos<float> sincos(float x);

}  // namespace attn::math

// Dot products of float32 vectors, summed in double in one fixed order whatever the build.
//
// dot = sum_i a[i] b[i]. Products of two floats are exact in double; eight partial sums by i mod 8, then
// ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)). Not a matrix product: one query against rows of keys.
#pragma once

#include <cstddef>

namespace attn::kernels {

// 0 for n = 0.
double dot(const float* a, const float* b, std::size_t n);

// scores[j] = dot(q, keys + j * d, d) for j < num_keys, the same bits as dot gives.
void dots(const float* q, const float* keys, std::size_t num_keys, std::size_t d, double* scores);

}  // namespace attn::kernels

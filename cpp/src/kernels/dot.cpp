// Dot products in a fixed order of summation; see dot.hpp.
#include "dot.hpp"

#include <array>

namespace attn::kernels {

double dot(const float* a, const float* b, std::size_t n) {
    std::array<double, 8> s{};
    for (std::size_t i = 0; i < n; ++i) {
        s[i % 8] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

void dots(const float* q, const float* keys, std::size_t num_keys, std::size_t d, double* scores) {
    for (std::size_t j = 0; j < num_keys; ++j) {
        scores[j] = dot(q, keys + j * d, d);
    }
}

}  // namespace attn::kernels

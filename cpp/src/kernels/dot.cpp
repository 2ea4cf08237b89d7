// Dot products in a fixed order of summation; see dot.hpp.
//
// Plain scalar code: eight independent sums are what the order demands and what compilers turn into vectors by
// themselves.
#include "dot.hpp"

#include <array>

namespace attn::kernels {
namespace {

constexpr std::size_t partial_sums = 8;

}  // namespace

// Not inlined into dots, so that a page's first, long call of dots profits when V8 has optimised dot.
[[gnu::noinline]] double dot(const float* a, const float* b, std::size_t n) {
  std::array<double, partial_sums> s{};
  const std::size_t whole = n - n % partial_sums;
  for (std::size_t i = 0; i < whole; i += partial_sums) {
    for (std::size_t j = 0; j < partial_sums; ++j) {
      s[j] += static_cast<double>(a[i + j]) * static_cast<double>(b[i + j]);
    }
  }
  for (std::size_t i = whole; i < n; ++i) {
    s[i - whole] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

void dots(const float* q, const float* keys, std::size_t num_keys, std::size_t d, double* scores) {
  for (std::size_t j = 0; j < num_keys; ++j) {
    scores[j] = dot(q, keys + j * d, d);
  }
}

}  // namespace attn::kernels

// PyTorch's CPU generator for float32: manual_seed, rand and randn, call after call as in a notebook.
//
// A Generator has state: each call continues where the last one ended, and the normal that the short path computes in pairs
// waits for the next call. Not PyTorch's CUDA generator (Philox) and not its other types.
//   rand:  (word mod 2^24) / 2^24, one word an element.
//   randn, 16 elements or more: all elements filled with uniforms; each block of 16 pairs x[j] with x[j + 8],
//          r = sqrt(-2 ln(1 - x[j])), t = 2 pi x[j + 8], giving r cos t and r sin t in their places. When the count is no
//          multiple of 16, the last 16 elements are drawn afresh and transformed again.
//   randn, fewer: in double from 53-bit uniforms, r cos t now and r sin t kept for the next such call.
// Source: PyTorch, aten/src/ATen/native/cpu/DistributionTemplates.h and aten/src/ATen/core/DistributionsHelper.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "attn/random/mt19937.hpp"

namespace attn::random::torch {

class Generator {
 public:
  /// PyTorch seeds the twister with the low 32 bits of the seed.
  explicit Generator(std::uint64_t seed) { manual_seed(seed); }

  /// Starts again from `seed`; a waiting normal is dropped.
  void manual_seed(std::uint64_t seed);

  /// torch.rand: uniform on [0, 1) in steps of 2^-24, bit for bit PyTorch's.
  void rand(std::span<float> out);

  /// torch.randn: standard normal. The draws are PyTorch's; logarithm, sine and cosine are this library's, correctly rounded
  /// to within 0.51 ULP, where PyTorch's own vary with its build by a few ULP.
  void randn(std::span<float> out);

  /// Tensor.bernoulli_(p) of a float tensor: true when a 53-bit uniform, two words an element, is below p. Builds of PyTorch
  /// with MKL draw otherwise on Intel processors: one word seeds a generator of MKL's.
  void bernoulli(double p, std::span<bool> out);

 private:
  double uniform53();
  void short_normals(std::span<float> out);

  Mt19937 words_;
  std::optional<double> waiting_;
};

}  // namespace attn::random::torch

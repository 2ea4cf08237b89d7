// Random tensors for the tests of the fast functions, odd sizes, and every instruction set of this machine.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <limits>

#include "attn/tensor.hpp"
#include "every_target.hpp"
#include "kernels/fast.hpp"
#include "support.hpp"

namespace support {

using attn::Tensor;
using attn::shape_of;
namespace kernels = attn::kernels;

template <std::size_t N>
Tensor<float, N> random_floats(Bits& bits, const std::array<std::size_t, N>& shape, double size) {
  Tensor<float, N> made = Tensor<float, N>::from_shape(shape);
  for (float& entry : made) entry = static_cast<float>(bits.real(-size, size));
  return made;
}

template <std::size_t N>
Tensor<double, N> widened(const Tensor<float, N>& from) {
  Tensor<double, N> made = Tensor<double, N>::from_shape(shape_of(from));
  for (std::size_t i = 0; i < from.size(); ++i) made.data()[i] = static_cast<double>(from.data()[i]);
  return made;
}

inline constexpr std::size_t odd_sizes[] = {1, 2, 3, 5, 7, 37, 53, 63, 65};
inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace support

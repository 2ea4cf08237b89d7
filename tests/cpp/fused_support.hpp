// Operands for the tests of fused attention, one head of them in double, and every set of instructions of this machine.
#pragma once

#include <array>
#include <cstddef>

#include "attn/fused.hpp"
#include "attn/tensor.hpp"
#include "every_target.hpp"
#include "kernels/fused.hpp"
#include "support.hpp"

namespace support {

using Four = attn::Tensor<float, 4>;

/// Entries even in [-size, size).
inline Four random_four(Bits& bits, const std::array<std::size_t, 4>& shape, double size = 2) {
  Four made = Four::from_shape(shape);
  for (float& entry : made) entry = static_cast<float>(bits.real(-size, size));
  return made;
}

inline attn::Tensor<double, 3> head_of(const Four& tensor, std::size_t b, std::size_t h) {
  const auto shape = attn::shape_of(tensor);
  attn::Tensor<double, 3> made = attn::Tensor<double, 3>::from_shape({1, shape[2], shape[3]});
  for (std::size_t i = 0; i < shape[2]; ++i) {
    for (std::size_t j = 0; j < shape[3]; ++j) made(0, i, j) = static_cast<double>(tensor(b, h, i, j));
  }
  return made;
}

}  // namespace support

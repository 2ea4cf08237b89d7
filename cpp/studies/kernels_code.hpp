// From kernels to dot products in PyTorch or JAX: the lines that make the weights of the plate, in double, from the section's
// own draws or from points of the reader's. Not run here; what the settings are stands in kernels.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "kernels_plane.hpp"

namespace attn::studies {

struct KernelsSetting {
  bool torch, own, second, scaled_gaussian, equal_norms;
  std::uint64_t seed;
  kernels_plane::Move move;
  std::string angle;               ///< degrees
  std::string query, keys, shift;  ///< tables as text, "1,2;3,4"
};

[[nodiscard]] std::string kernels_code(const KernelsSetting& setting);

}  // namespace attn::studies

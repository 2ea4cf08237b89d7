// Tensors of the public contract: owning, row-major xtensor arrays, and the checks made before one is allocated.
// This is the only file of the project that includes xtensor. Functions take and return these owning types,
// never lazy expressions, so no result can outlive its operands; an expression or a transposed view is
// evaluated by converting it: `Tensor<double, 2> k = xt::transpose(kt);`
#pragma once

#if __has_include(<xtensor/xtensor.hpp>)
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#else  // xtensor 0.26 and later sorts its headers into folders
#include <xtensor/containers/xtensor.hpp>
#include <xtensor/views/xview.hpp>
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "attn/error.hpp"

namespace attn {

/// Owning row-major array of N axes.
template <class T, std::size_t N>
using Tensor = xt::xtensor<T, N, xt::layout_type::row_major>;

/// The most bytes one tensor may take. Requests above it are refused before anything is allocated. With 32-bit addresses the
/// operands, the result and the copy that leaves the library must fit into 2 GiB together, hence a quarter of a gibibyte.
inline constexpr std::uint64_t max_tensor_bytes =
    sizeof(void*) == 4 ? std::uint64_t{1} << 28 : std::uint64_t{1} << 33;

/// A shape as text, "(2, 3, 4)".
[[nodiscard]] std::string shape_text(std::span<const std::size_t> shape);

/// The number of elements of `shape`, or an Error naming `argument` when the product overflows or the tensor
/// would take more than `max_tensor_bytes`.
/// @param argument  the name the caller knows the tensor by
/// @param shape     sizes, any number of axes
/// @param bytes_per_element  the size of one element
[[nodiscard]] Result<std::size_t> checked_elements(std::string_view argument, std::span<const std::size_t> shape,
                                                   std::size_t bytes_per_element);

/// The shape of a tensor as an array of std::size_t.
template <class T, std::size_t N>
[[nodiscard]] std::array<std::size_t, N> shape_of(const Tensor<T, N>& tensor) {
  std::array<std::size_t, N> shape{};
  for (std::size_t axis = 0; axis < N; ++axis) shape[axis] = tensor.shape()[axis];
  return shape;
}

}  // namespace attn

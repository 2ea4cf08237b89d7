// A view of a tensor that somebody else keeps: where its elements stand, row-major without gaps, and its shape. Not an owner, and it
// checks nothing: what it points at must outlive it, as an argument outlives a call. For functions that fill memory of their caller's,
// as those of the WebAssembly modules for speed, whose tensors are never copied.
#pragma once

#include <array>
#include <cstddef>

#include "attn/tensor.hpp"

namespace attn {

template <class T, std::size_t N>
struct View {
  T* data = nullptr;
  std::array<std::size_t, N> shape{};

  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t elements = 1;
    for (const std::size_t axis : shape) elements *= axis;
    return elements;
  }
};

template <class T, std::size_t N>
[[nodiscard]] View<const T, N> view_of(const Tensor<T, N>& tensor) {
  return {tensor.data(), shape_of(tensor)};
}
template <class T, std::size_t N>
[[nodiscard]] View<T, N> view_of(Tensor<T, N>& tensor) {
  return {tensor.data(), shape_of(tensor)};
}

}  // namespace attn

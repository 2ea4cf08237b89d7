// Shapes as text, and the size check made before any tensor is allocated.
#include "attn/tensor.hpp"

#include <algorithm>
#include <limits>

#include "attn/text.hpp"

namespace attn {
namespace {

/// Axes of a shape in a message.
constexpr std::size_t most_shown = 8;

}  // namespace

std::string shape_text(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < std::min(shape.size(), most_shown); ++axis) {
    if (axis > 0) text += ", ";
    text.append(sentence("#", {shape[axis]}));
  }
  if (shape.size() > most_shown) text.append(sentence(", and # more", {shape.size() - most_shown}));
  return text + (shape.size() == 1 ? ",)" : ")");
}

Result<std::size_t> checked_elements(std::string_view argument, std::span<const std::size_t> shape,
                                     std::size_t bytes_per_element) {
  const std::uint64_t most = max_tensor_bytes / bytes_per_element;
  std::uint64_t elements = 1;
  bool fits = true;
  for (const std::size_t size : shape) {
    if (size == 0) return std::size_t{0};  // an empty tensor, however large its other axes
    if (fits && elements <= most / size) {
      elements *= size;
    } else {
      fits = false;
    }
  }
  if (!fits) {
    std::string message(argument);
    message.append(": shape ").append(shape_text(shape)).append(sentence(" has more elements than fit; at most # elements of # bytes (# MiB) are allocated for one tensor",
        {static_cast<std::size_t>(most), bytes_per_element, static_cast<std::size_t>(max_tensor_bytes >> 20)}));
    return Error{ErrorCode::too_large, std::string(argument), std::move(message)};
  }
  return static_cast<std::size_t>(elements);
}

}  // namespace attn

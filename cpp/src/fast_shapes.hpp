// Shapes that do not fit, said in one way by the fast functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attn/error.hpp"
#include "attn/tensor.hpp"

namespace attn {

/// "keys: shape (1, 5, 6) does not fit queries of shape (1, 3, 4); axis 2 is 6, allowed is 4", and "axis 2 (width)" where the axis has a name.
inline Error misfit(std::string_view name, std::span<const std::size_t> shape, std::string_view other, std::span<const std::size_t> others, std::size_t axis, std::size_t allowed,
                    std::string_view axis_name = {}) {
  std::string text(name);
  text.append(": shape ").append(shape_text(shape)).append(" does not fit ").append(other).append(" of shape ").append(shape_text(others));
  text.append("; axis ").append(std::to_string(axis));
  if (!axis_name.empty()) text.append(" (").append(axis_name).append(")");
  text.append(" is ").append(std::to_string(shape[axis])).append(", allowed is ").append(std::to_string(allowed));
  return Error{ErrorCode::wrong_shape, std::string(name), std::move(text)};
}

/// "output: shape (1, 5, 6); allowed is (1, 5, 4)".
inline Error misfit(std::string_view name, std::span<const std::size_t> shape, std::span<const std::size_t> wanted) {
  return Error{ErrorCode::wrong_shape, std::string(name), std::string(name).append(": shape ").append(shape_text(shape)).append("; allowed is ").append(shape_text(wanted))};
}

/// An Error unless `output` has exactly the `wanted` shape.
template <std::size_t N>
std::optional<Error> check_output(const std::array<std::size_t, N>& output, const std::array<std::size_t, N>& wanted) {
  if (output == wanted) return std::nullopt;
  return misfit("output", output, wanted);
}

}  // namespace attn

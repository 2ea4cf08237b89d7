// See fast_shapes.hpp.
#include "fast_shapes.hpp"

#include <algorithm>
#include <string>

#include "attn/tensor.hpp"
#include "attn/text.hpp"

namespace attn {

Error misfit(std::string_view name, std::span<const std::size_t> shape, std::string_view other, std::span<const std::size_t> others, std::size_t axis, std::size_t allowed,
             std::string_view axis_name) {
  std::string text(name);
  text.append(": shape ").append(shape_text(shape)).append(" does not fit ").append(other).append(" of shape ").append(shape_text(others)).append(sentence("; axis #", {axis}));
  if (!axis_name.empty()) text.append(" (").append(axis_name).append(")");
  text.append(sentence(" is #, allowed is #", {shape[axis], allowed}));
  return Error{ErrorCode::wrong_shape, std::string(name), std::move(text)};
}

Error misfit(std::string_view name, std::span<const std::size_t> shape, std::span<const std::size_t> wanted) {
  std::string text(name);
  text.append(": shape ").append(shape_text(shape)).append("; allowed is ").append(shape_text(wanted));
  return Error{ErrorCode::wrong_shape, std::string(name), std::move(text)};
}

std::optional<Error> check_output(std::span<const std::size_t> output, std::span<const std::size_t> wanted) {
  if (std::equal(output.begin(), output.end(), wanted.begin(), wanted.end())) return std::nullopt;
  return misfit("output", output, wanted);
}

}  // namespace attn

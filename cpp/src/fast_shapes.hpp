// Shapes that do not fit, said in one way by the fast functions.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "attn/error.hpp"

namespace attn {

/// "keys: shape (1, 5, 6) does not fit queries of shape (1, 3, 4); axis 2 is 6, allowed is 4", and "axis 2 (width)" where the axis has a name.
Error misfit(std::string_view name, std::span<const std::size_t> shape, std::string_view other, std::span<const std::size_t> others, std::size_t axis, std::size_t allowed,
             std::string_view axis_name = {});

/// "output: shape (1, 5, 6); allowed is (1, 5, 4)".
Error misfit(std::string_view name, std::span<const std::size_t> shape, std::span<const std::size_t> wanted);

/// An Error unless `output` has exactly the `wanted` shape, of as many axes.
std::optional<Error> check_output(std::span<const std::size_t> output, std::span<const std::size_t> wanted);

}  // namespace attn

// Number formats: float64, float32, float16 (IEEE 754 binary16) and bfloat16, as exact emulation on any target.
// Rounding is to nearest, ties to even, with subnormals and overflow to infinity; nothing is flushed, nothing saturates.
// An operation in a format is the operation in double, rounded once: for +, -, x, / and sqrt of values of float32, float16 and
// bfloat16 this equals one rounding of the exact result, because 53 >= 2 p + 2 (Figueroa 1995, "When is double rounding innocuous?").
// Sources: IEEE 754-2019, sections 3.6 and 4.3.1; Intel, "BFLOAT16 - Hardware Numerics Definition", 2018 (format; we keep subnormals).
#pragma once

#include <cstdint>
#include <string_view>

#include "attn/error.hpp"

namespace attn {

enum class Dtype { float64, float32, float16, bfloat16 };

/// "float64", "float32", "float16", "bfloat16".
[[nodiscard]] std::string_view name(Dtype dtype) noexcept;
/// Error: unknown_choice, listing the names.
[[nodiscard]] Result<Dtype> dtype_named(std::string_view name, std::string_view param = "dtype");

/// The same of an additive mask, whose values are floats: "float32", "float16", "bfloat16". No float holds the lowest value of float64.
[[nodiscard]] Result<Dtype> bias_dtype_named(std::string_view name, std::string_view param = "dtype");

/// `value` rounded once to the format, as a double. NaN stays NaN, signed zeros keep their sign.
[[nodiscard]] double rounded(Dtype dtype, double value) noexcept;

/// Greatest finite value; the lowest is its negative.
[[nodiscard]] double highest(Dtype dtype) noexcept;
[[nodiscard]] inline double lowest(Dtype dtype) noexcept { return -highest(dtype); }
/// Distance from 1 to the next greater number.
[[nodiscard]] double epsilon(Dtype dtype) noexcept;

/// Bits of the two half formats, from a double by one rounding (NaN becomes the quiet NaN 0x7e00 or 0x7fc0, with its sign) and back, exactly.
[[nodiscard]] std::uint16_t float16_bits(double value) noexcept;
[[nodiscard]] std::uint16_t bfloat16_bits(double value) noexcept;
[[nodiscard]] double float16_value(std::uint16_t bits) noexcept;
[[nodiscard]] double bfloat16_value(std::uint16_t bits) noexcept;

}  // namespace attn

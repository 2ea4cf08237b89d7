// Rounding to number formats by scaling to an integer of the format's precision and back: both scalings are by powers of two and
// exact, so the one rounding is that to the integer, which is to nearest and ties to even like every addition of doubles.
#include "attn/dtype.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "attn/text.hpp"

namespace attn {
namespace {

/// A binary format: significant bits, least exponent of a normal number, greatest finite value.
struct Format {
  int precision;
  int least_exponent;
  double highest;
};

constexpr Format float16{11, -14, 65504.0};
constexpr Format bfloat16{8, -126, 0x1.fep127};

double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

int exponent_of(double value) { return static_cast<int>((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1023; }

double to_format(const Format& format, double value) noexcept {
  if (!(std::fabs(value) <= std::numeric_limits<double>::max())) return value;  // NaN and infinities
  const int exponent = exponent_of(value);
  const int quantum = (exponent < format.least_exponent ? format.least_exponent : exponent) - (format.precision - 1);
  // Beyond the highest finite value by a whole binade: infinity, before 2^-quantum could underflow.
  if (exponent > 128) return std::copysign(std::numeric_limits<double>::infinity(), value);
  constexpr double magic = 0x1.8p52;
  const double whole = (std::fabs(value) * power_of_two(-quantum) + magic) - magic;
  const double result = whole * power_of_two(quantum);
  return std::copysign(result > format.highest ? std::numeric_limits<double>::infinity() : result, value);
}

std::uint16_t to_bits(const Format& format, double value) noexcept {
  const int stored = format.precision - 1;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const auto infinity = static_cast<std::uint16_t>(0x7fffu >> stored << stored);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | (1u << (stored - 1)));
  const double magnitude = std::fabs(to_format(format, value));
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | infinity);
  const int exponent = exponent_of(magnitude);
  if (magnitude == 0 || exponent < format.least_exponent) {
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(magnitude * power_of_two(stored - format.least_exponent)));
  }
  const auto significand = static_cast<std::uint32_t>(magnitude * power_of_two(stored - exponent));  // has its leading bit
  return static_cast<std::uint16_t>(sign | ((static_cast<std::uint32_t>(exponent - format.least_exponent) << stored) + significand));
}

double from_bits(const Format& format, std::uint16_t bits) noexcept {
  const int stored = format.precision - 1;
  const std::uint32_t fraction = bits & ((1u << stored) - 1);
  const int field = (bits & 0x7fff) >> stored;
  double magnitude = 0;
  if (field == 0x7fff >> stored) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (field == 0) {
    magnitude = static_cast<double>(fraction) * power_of_two(format.least_exponent - stored);
  } else {
    magnitude = static_cast<double>(fraction + (1u << stored)) * power_of_two(field - 1 + format.least_exponent - stored);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

constexpr std::string_view names[] = {"float64", "float32", "float16", "bfloat16"};

}  // namespace

std::string_view name(Dtype dtype) noexcept { return names[static_cast<std::size_t>(dtype)]; }

Result<Dtype> dtype_named(std::string_view wanted, std::string_view param) {
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == wanted) return static_cast<Dtype>(i);
  }
  return Error{ErrorCode::unknown_choice, std::string(param),
               std::string(param).append(" is ").append(quoted(wanted)).append("; allowed are float64, float32, float16 and bfloat16")};
}

Result<Dtype> bias_dtype_named(std::string_view wanted, std::string_view param) {
  if (const auto named = dtype_named(wanted); named && named.value() != Dtype::float64) return named;
  return Error{ErrorCode::unknown_choice, std::string(param),
               std::string(param).append(" is ").append(quoted(wanted)).append("; allowed are float32, float16 and bfloat16, whose lowest values a float holds")};
}

double rounded(Dtype dtype, double value) noexcept {
  switch (dtype) {
    case Dtype::float64: return value;
    case Dtype::float32: return static_cast<double>(static_cast<float>(value));
    case Dtype::float16: return to_format(float16, value);
    case Dtype::bfloat16: return to_format(bfloat16, value);
  }
  return value;
}

double highest(Dtype dtype) noexcept {
  switch (dtype) {
    case Dtype::float64: return std::numeric_limits<double>::max();
    case Dtype::float32: return static_cast<double>(std::numeric_limits<float>::max());
    case Dtype::float16: return float16.highest;
    case Dtype::bfloat16: return bfloat16.highest;
  }
  return 0;
}

double epsilon(Dtype dtype) noexcept {
  switch (dtype) {
    case Dtype::float64: return std::numeric_limits<double>::epsilon();
    case Dtype::float32: return static_cast<double>(std::numeric_limits<float>::epsilon());
    case Dtype::float16: return power_of_two(1 - float16.precision);
    case Dtype::bfloat16: return power_of_two(1 - bfloat16.precision);
  }
  return 0;
}

std::uint16_t float16_bits(double value) noexcept { return to_bits(float16, value); }
std::uint16_t bfloat16_bits(double value) noexcept { return to_bits(bfloat16, value); }
double float16_value(std::uint16_t bits) noexcept { return from_bits(float16, bits); }
double bfloat16_value(std::uint16_t bits) noexcept { return from_bits(bfloat16, bits); }

}  // namespace attn

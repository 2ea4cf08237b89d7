// The half formats on all their 65,536 patterns, on every midpoint between neighbours, against an independent construction from
// the fields, and against the compiler's own types where it has them; operations against exact arithmetic.
#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include "attn/dtype.hpp"
#include "support.hpp"

using namespace attn;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Half {
  Dtype dtype;
  int stored;  // bits of the stored significand
  int bias;
  std::uint16_t (*bits)(double);
  double (*value)(std::uint16_t);
};
constexpr Half halves[] = {{Dtype::float16, 10, 15, float16_bits, float16_value}, {Dtype::bfloat16, 7, 127, bfloat16_bits, bfloat16_value}};

/// The value of a pattern, built from its fields by ldexp.
double by_fields(const Half& half, unsigned bits) {
  const int field = static_cast<int>((bits & 0x7fff) >> half.stored);
  const int fraction = static_cast<int>(bits & ((1u << half.stored) - 1));
  const int full = 0x7fff >> half.stored;
  double magnitude = field == 0 ? std::ldexp(fraction, 1 - half.bias - half.stored) : std::ldexp(fraction + (1 << half.stored), field - half.bias - half.stored);
  if (field == full) magnitude = fraction == 0 ? infinity : std::nan("");
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

TEST_CASE("all patterns have the value of their fields and read back", "[dtype]") {
  for (const Half& half : halves) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
      const auto pattern = static_cast<std::uint16_t>(bits);
      const double value = half.value(pattern);
      if (!support::same(value, by_fields(half, bits))) FAIL(name(half.dtype) << " pattern " << bits);
      if (std::isnan(value)) continue;
      if (half.bits(value) != pattern) FAIL(name(half.dtype) << " pattern " << bits << " reads back as " << half.bits(value));
      if (!support::same(rounded(half.dtype, value), value)) FAIL(name(half.dtype) << " pattern " << bits << " is not kept");
    }
    // NaN becomes the quiet NaN with its sign.
    const auto quiet = static_cast<std::uint16_t>(half.bits(infinity) | (1u << (half.stored - 1)));
    CHECK(half.bits(std::nan("")) == quiet);
    CHECK(half.bits(-std::nan("")) == (quiet | 0x8000));
    CHECK(half.bits(-0.0) == 0x8000);
    CHECK(std::isnan(rounded(half.dtype, std::nan(""))));
  }
}

TEST_CASE("midpoints go to the even neighbour, and what is beside them to the nearer", "[dtype]") {
  for (const Half& half : halves) {
    const unsigned last = half.bits(highest(half.dtype));
    for (unsigned bits = 0; bits < last; ++bits) {
      const double low = by_fields(half, bits), high = by_fields(half, bits + 1);
      const double middle = (low + high) / 2;  // exact: one bit more than the format
      const double even = bits % 2 == 0 ? low : high;
      for (const double sign : {1.0, -1.0}) {
        if (rounded(half.dtype, sign * middle) != sign * even) FAIL(name(half.dtype) << " midpoint above pattern " << bits);
        if (rounded(half.dtype, sign * std::nextafter(middle, 0.0)) != sign * low) FAIL(name(half.dtype) << " below the midpoint above " << bits);
        if (rounded(half.dtype, sign * std::nextafter(middle, infinity)) != sign * high) FAIL(name(half.dtype) << " over the midpoint above " << bits);
      }
    }
    // The first value that rounds to infinity is half a step beyond the highest: ties to even would reach the next power of two.
    const double step = by_fields(half, last) - by_fields(half, last - 1);
    const double edge = highest(half.dtype) + step / 2;
    CHECK(rounded(half.dtype, edge) == infinity);
    CHECK(rounded(half.dtype, std::nextafter(edge, 0.0)) == highest(half.dtype));
    CHECK(rounded(half.dtype, -edge) == -infinity);
    CHECK(rounded(half.dtype, 1e300) == infinity);
    CHECK(rounded(half.dtype, std::numeric_limits<double>::denorm_min()) == 0);
    CHECK(std::signbit(rounded(half.dtype, -1e-300)));
  }
}

TEST_CASE("figures of the formats", "[dtype]") {
  CHECK(highest(Dtype::float16) == 65504);
  CHECK(rounded(Dtype::float16, 65519.999) == 65504);
  CHECK(rounded(Dtype::float16, 65520) == infinity);
  CHECK(rounded(Dtype::float16, -1e6) == -infinity);
  CHECK(rounded(Dtype::float16, -1e4) == -10000);
  CHECK(rounded(Dtype::float16, 2049) == 2048);  // 2049 is no number of float16
  CHECK(rounded(Dtype::bfloat16, -1e6) == -999424);
  CHECK(rounded(Dtype::bfloat16, 257) == 256);
  CHECK(highest(Dtype::bfloat16) == 3.3895313892515355e38);
  CHECK(lowest(Dtype::float32) == -3.4028234663852886e38);
  CHECK(rounded(Dtype::float16, std::ldexp(1.0, -24)) == std::ldexp(1.0, -24));  // least subnormal
  CHECK(rounded(Dtype::float16, std::ldexp(1.0, -25)) == 0);                     // half of it: to even
  CHECK(dtype_named("float16").value() == Dtype::float16);
  CHECK(dtype_named("half").error().message == "dtype is \"half\"; allowed are float64, float32, float16 and bfloat16");
}

TEST_CASE("float32 and float64 are the machine's", "[dtype]") {
  support::Bits bits(32);
  for (int i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<double>(bits.next());
    if (!support::same(rounded(Dtype::float64, value), value)) FAIL(value);
    if (!support::same(rounded(Dtype::float32, value), static_cast<double>(static_cast<float>(value)))) FAIL(value);
  }
}

TEST_CASE("the compiler's own half types agree", "[dtype]") {
  [[maybe_unused]] support::Bits bits(16);
#if defined(__FLT16_MAX__) && !defined(__EMSCRIPTEN__)
  for (int i = 0; i < 2000000; ++i) {
    // Doubles of every size that matters: exponents from far below the subnormals to beyond the highest.
    const double value = std::ldexp(bits.real(-2, 2), static_cast<int>(bits.below(60)) - 35);
    const auto own = static_cast<double>(static_cast<_Float16>(value));
    if (!support::same(rounded(Dtype::float16, value), own)) FAIL(value);
  }
  SUCCEED("_Float16 compared");
#else
  SUCCEED("this compiler has no _Float16 here");
#endif
}

TEST_CASE("an operation in double, rounded once, is the operation of the format", "[dtype]") {
  support::Bits bits(1995);
  // Exact sums and products of halves by integers: values are integers times 2^-24 (float16), kept within 2^52.
  const auto integer = [](double value) { return static_cast<std::int64_t>(std::ldexp(value, 24)); };
  for (int i = 0; i < 300000; ++i) {
    const double a = float16_value(static_cast<std::uint16_t>(bits.below(0x7c00) | (bits.next() & 0x8000)));
    const double b = float16_value(static_cast<std::uint16_t>(bits.below(0x7c00) | (bits.next() & 0x8000)));
    // Sum: exact as an integer of 2^-24, then one rounding of that integer.
    const std::int64_t sum = integer(a) + integer(b);
    if (rounded(Dtype::float16, a + b) != rounded(Dtype::float16, std::ldexp(static_cast<double>(sum), -24))) FAIL(a << " + " << b);
    // Quotient: the double quotient may be rounded; compare with the nearest half by exact integer arithmetic.
    if (b == 0) continue;
    const double quotient = rounded(Dtype::float16, a / b);
    if (std::isinf(quotient)) continue;
    const double next = float16_value(static_cast<std::uint16_t>(float16_bits(std::fabs(quotient)) + 1));
    const double before = quotient == 0 ? 0 : float16_value(static_cast<std::uint16_t>(float16_bits(std::fabs(quotient)) - 1));
    // |a| lies between the midpoints times |b|; midpoint and b have few bits, so the products are exact in double.
    const double up = (std::fabs(quotient) + (std::isinf(next) ? 65536.0 : next)) / 2 * std::fabs(b);
    const double down = (std::fabs(quotient) + before) / 2 * std::fabs(b);
    if (std::fabs(a) > up || (quotient != 0 && std::fabs(a) < down)) FAIL(a << " / " << b << " = " << quotient);
  }
  // float32: the machine's own operations.
  for (int i = 0; i < 300000; ++i) {
    const auto a = static_cast<float>(bits.real(-4, 4)), b = static_cast<float>(bits.real(0.1, 4));
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    if (rounded(Dtype::float32, x + y) != static_cast<double>(a + b) || rounded(Dtype::float32, x - y) != static_cast<double>(a - b) ||
        rounded(Dtype::float32, x * y) != static_cast<double>(a * b) || rounded(Dtype::float32, x / y) != static_cast<double>(a / b)) {
      FAIL(a << " and " << b);
    }
  }
}

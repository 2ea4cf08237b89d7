// The half formats on all their 65,536 patterns, on every midpoint between neighbours, against an independent construction from
// the fields, and against the compiler's own types where it has them; operations against exact arithmetic on either side of midpoints.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

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
  for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
    const double step = epsilon(dtype);  // 1 + step is a number, and half the step is lost to the even neighbour
    CHECK(rounded(dtype, 1 + step) == 1 + step);
    CHECK(rounded(dtype, 1 + step / 2) == 1);
    CHECK(rounded(dtype, 1 + 3 * step / 2) == 1 + 2 * step);
  }
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
  CHECK(bias_dtype_named("bfloat16").value() == Dtype::bfloat16);
  for (const char* each : {"float64", "half"}) {
    const auto refused = bias_dtype_named(each, "biasDtype");
    CHECK(refused.error().param == "biasDtype");
    CHECK(refused.error().message == std::string("biasDtype is \"").append(each).append("\"; allowed are float32, float16 and bfloat16, whose lowest values a float holds"));
  }
}

TEST_CASE("float32 and float64 are the machine's", "[dtype]") {
  // Hard cases: midpoints of float32 and a double's step beside them, the edge of overflow, subnormals.
  for (const double middle : {1 + 0x1p-24, 1 + 3 * 0x1p-24, 0x1.ffffffp127, 0x1p-150, 3 * 0x1p-150, 0x1.fffffdp-127, 16777217.0}) {
    for (const double value : {std::nextafter(middle, 0.0), middle, std::nextafter(middle, infinity)}) {
      CHECK(support::same(rounded(Dtype::float32, value), static_cast<double>(static_cast<float>(value))));
      CHECK(support::same(rounded(Dtype::float32, -value), -rounded(Dtype::float32, value)));
    }
  }
  CHECK(rounded(Dtype::float32, 1 + 0x1p-24) == 1);
  CHECK(rounded(Dtype::float32, 1 + 3 * 0x1p-24) == 1 + 0x1p-22);
  CHECK(rounded(Dtype::float32, 0x1.ffffffp127) == infinity);
  CHECK(rounded(Dtype::float32, 0x1p-150) == 0);
  support::Bits bits(32);
  for (int i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<double>(bits.next());
    if (!support::same(rounded(Dtype::float64, value), value)) FAIL(value);
    if (!support::same(rounded(Dtype::float32, value), static_cast<double>(static_cast<float>(value)))) FAIL(value);
  }
}

// The compiler's own bfloat16, where it can convert: gcc from 13 on by its library, clang while it compiles (its conversions at run time
// call a library that older systems lack), so there the numbers are drawn and converted in a constant.
#if defined(__clang__) && defined(__x86_64__) && __clang_major__ >= 17
#define ATTN_TEST_BFLOAT16 constexpr
#elif !defined(__clang__) && defined(__BFLT16_MAX__)
#define ATTN_TEST_BFLOAT16 const
#endif

#ifdef ATTN_TEST_BFLOAT16
namespace {

constexpr std::size_t own_count = 4096;
struct Pair {
  double value, own;
};

/// Doubles of exponents from below bfloat16's subnormals to its overflow; every other one is a midpoint between neighbours.
constexpr std::array<Pair, own_count> own_bfloat16() {
  std::array<Pair, own_count> pairs{};
  std::uint64_t state = 7;
  for (std::size_t i = 0; i < own_count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t exponent = 1023 - 140 + (state >> 33) % 270;
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::uint64_t bits = (exponent << 52) | (state >> 12);
    if (i % 2 == 1) bits = (bits & ~((std::uint64_t{1} << 45) - 1)) | (std::uint64_t{1} << 44);
    bits |= (i / 2 % 2) << 63;
    const auto value = std::bit_cast<double>(bits);
    pairs[i] = {value, static_cast<double>(static_cast<float>(static_cast<__bf16>(value)))};
  }
  return pairs;
}

}  // namespace
#endif

#if defined(__aarch64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#define ATTN_TEST_FLOAT16 __fp16  // what g++ 12 calls it on this processor, in C++
#elif defined(__FLT16_MAX__) && !defined(__EMSCRIPTEN__)
#define ATTN_TEST_FLOAT16 _Float16
#endif

TEST_CASE("the compiler's own half types agree", "[dtype]") {
  [[maybe_unused]] support::Bits bits(16);
#ifdef ATTN_TEST_FLOAT16
  for (int i = 0; i < 2000000; ++i) {
    // Doubles of every size that matters: exponents from far below the subnormals to beyond the highest.
    const double value = std::ldexp(bits.real(-2, 2), static_cast<int>(bits.below(60)) - 35);
    const auto own = static_cast<double>(static_cast<ATTN_TEST_FLOAT16>(value));
    if (!support::same(rounded(Dtype::float16, value), own)) FAIL(value);
  }
  SUCCEED("the compiler's float16 compared");
#else
  SUCCEED("this compiler has no float16 here");
#endif
#ifdef ATTN_TEST_BFLOAT16
  static ATTN_TEST_BFLOAT16 auto pairs = own_bfloat16();
  for (const Pair& pair : pairs) {
    if (!support::same(rounded(Dtype::bfloat16, pair.value), pair.own)) FAIL(pair.value << " is " << pair.own);
  }
  SUCCEED("__bf16 compared");
#else
  SUCCEED("this compiler has no conversions of __bf16 here");
#endif
}

namespace {

/// Whether `result` is the exact result rounded once, to nearest and ties to even. `side(m)` is the sign of exact - m, and exact
/// itself for every m that lies midway between two numbers of the format.
template <class Side>
bool once_rounded(const Half& half, double result, const Side& side) {
  const double sign = std::signbit(result) ? -1 : 1;
  const unsigned last = half.bits(highest(half.dtype));
  const unsigned at = half.bits(std::fabs(result));
  // Beyond the highest value the next step would be a power of two, which by_fields' infinity is not.
  const double beyond = 2 * by_fields(half, last) - by_fields(half, last - 1);
  const auto number = [&](unsigned pattern) { return pattern > last ? beyond : by_fields(half, pattern); };
  const double below = at == 0 ? -number(1) / 2 : (number(at - 1) + number(at)) / 2;
  const bool even = at % 2 == 0;
  const auto outward = [&](double middle) { return sign * side(sign * middle); };
  if (outward(below) < (even ? 0 : 1)) return false;
  return at > last || outward((number(at) + number(at + 1)) / 2) <= (even ? 0 : -1);
}

int sign_of(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

}  // namespace

TEST_CASE("an operation in double, rounded once, is the operation of the half formats", "[dtype]") {
  support::Bits bits(1995);
  for (const Half& half : halves) {
    const unsigned last = half.bits(highest(half.dtype));
    for (int i = 0; i < 150000; ++i) {
      // Any two finite numbers, or two of neighbouring sizes, where sums cancel and tie.
      const auto first = static_cast<unsigned>(bits.below(last + 1));
      const auto second = static_cast<unsigned>(i % 2 == 0 ? bits.below(last + 1) : std::min<std::size_t>(last, first ^ bits.below(std::size_t{8} << half.stored)));
      const double a = by_fields(half, first | (bits.next() & 0x8000)), b = by_fields(half, second | (bits.next() & 0x8000));
      for (const double c : {b, -b}) {  // a + b and a - b
        // The sum as two doubles, exactly (Knuth's two-sum): where the first equals the midpoint, the second decides.
        const double sum = a + c, part = sum - a, rest = (a - (sum - part)) + (c - part);
        const auto side = [&](double middle) { return sum != middle ? sign_of(sum - middle) : sign_of(rest); };
        if (!once_rounded(half, rounded(half.dtype, sum), side)) FAIL(name(half.dtype) << ": " << a << " + " << c);
      }
      const double product = a * b;  // exact: at most 22 bits
      if (!once_rounded(half, rounded(half.dtype, product), [&](double middle) { return sign_of(product - middle); })) FAIL(name(half.dtype) << ": " << a << " x " << b);
      if (b == 0) continue;
      // a / b lies on the side of m where a lies of m b, which is exact.
      const auto side = [&](double middle) { return sign_of(b) * sign_of(a - middle * b); };
      if (!once_rounded(half, rounded(half.dtype, a / b), side)) FAIL(name(half.dtype) << ": " << a << " / " << b);
    }
  }
}

TEST_CASE("an operation in double, rounded once, is the machine's operation in float32", "[dtype]") {
  support::Bits bits(24);
  for (int i = 0; i < 600000; ++i) {
    // Any two patterns, subnormals, infinities and NaN among them, or two of neighbouring sizes.
    const auto pattern = static_cast<std::uint32_t>(bits.next());
    const auto other = i % 2 == 0 ? static_cast<std::uint32_t>(bits.next()) : pattern ^ static_cast<std::uint32_t>(bits.next() & 0x83ffffffu);
    const auto a = std::bit_cast<float>(pattern), b = std::bit_cast<float>(other);
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    const auto agrees = [](double ours, float own) { return support::same(rounded(Dtype::float32, ours), static_cast<double>(own)); };
    if (!agrees(x + y, a + b) || !agrees(x - y, a - b) || !agrees(x * y, a * b) || !agrees(x / y, a / b)) FAIL(a << " and " << b);
  }
}

// attn::math at its edges: zeros, infinities, NaN, overflow, exact values, symmetries, the digits of 2 / pi, one hash.
//
// How far results are from the truth in between is math_accuracy_test.cpp's matter.
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "../../cpp/src/math_two_over_pi.hpp"
#include "attn/math.hpp"

namespace {

namespace math = attn::math;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest = 0x1p-1074;
constexpr double largest = std::numeric_limits<double>::max();

// Equal including the sign of zero; every NaN must be the one positive quiet NaN.
bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

struct Case {
  double x;
  double y;
};

template <std::size_t n>
void check(double (*f)(double), const Case (&cases)[n]) {
  for (const Case& c : cases) {
    INFO("x = " << c.x << ", got " << f(c.x) << ", expected " << c.y);
    CHECK(same(f(c.x), c.y));
  }
}

}  // namespace

TEST_CASE("exp at its edges", "[math]") {
  check(math::exp, {{0.0, 1.0},
                    {-0.0, 1.0},
                    {smallest, 1.0},
                    {-smallest, 1.0},
                    {inf, inf},
                    {-inf, 0.0},
                    {nan_value, nan_value},
                    {-nan_value, nan_value},
                    {largest, inf},
                    {-largest, 0.0},
                    {1.0, 0x1.5bf0a8b145769p+1},
                    {0x1.62e42fefa39efp+9, 0x1.fffffffffff2ap+1023},  // 1024 ln 2 rounded down: the last finite result
                    {0x1.62e42fefa39fp+9, inf},
                    {-0x1.74910d52d3051p+9, smallest},  // -1075 ln 2 rounded towards 0
                    {-0x1.74910d52d3052p+9, 0.0},
                    {746.0, inf},
                    {-746.0, 0.0}});
}

TEST_CASE("expm1 and tanh at their edges", "[math]") {
  check(math::expm1, {{0.0, 0.0},
                      {-0.0, -0.0},
                      {smallest, smallest},
                      {-smallest, -smallest},
                      {0x1p-60, 0x1p-60},
                      {inf, inf},
                      {-inf, -1.0},
                      {nan_value, nan_value},
                      {largest, inf},
                      {-56.0, -1.0},
                      {-0x1.74910d52d3052p+9, -1.0},
                      {0x1.62e42fefa39fp+9, inf}});
  check(math::tanh, {{0.0, 0.0},
                     {-0.0, -0.0},
                     {smallest, smallest},
                     {-smallest, -smallest},
                     {inf, 1.0},
                     {-inf, -1.0},
                     {nan_value, nan_value},
                     {20.0, 1.0},
                     {-largest, -1.0}});
}

TEST_CASE("log and log1p at their edges", "[math]") {
  check(math::log, {{1.0, 0.0},
                    {0.0, -inf},
                    {-0.0, -inf},
                    {-1.0, nan_value},
                    {-smallest, nan_value},
                    {-inf, nan_value},
                    {inf, inf},
                    {nan_value, nan_value},
                    {2.0, 0x1.62e42fefa39efp-1},
                    {0.5, -0x1.62e42fefa39efp-1},
                    {smallest, -0x1.74385446d71c3p+9},
                    {largest, 0x1.62e42fefa39efp+9}});
  check(math::log1p, {{0.0, 0.0},
                      {-0.0, -0.0},
                      {smallest, smallest},
                      {-smallest, -smallest},
                      {-0x1p-60, -0x1p-60},
                      {-1.0, -inf},
                      {-0x1.0000000000001p+0, nan_value},
                      {-inf, nan_value},
                      {inf, inf},
                      {nan_value, nan_value},
                      {1.0, 0x1.62e42fefa39efp-1},
                      {largest, 0x1.62e42fefa39efp+9},
                      {-0x1.fffffffffffffp-1, -0x1.25e4f7b2737fap+5}});  // log 2^-53
}

TEST_CASE("sin, cos and sincos at their edges", "[math]") {
  check(math::sin, {{0.0, 0.0},
                    {-0.0, -0.0},
                    {smallest, smallest},
                    {-smallest, -smallest},
                    {inf, nan_value},
                    {-inf, nan_value},
                    {nan_value, nan_value},
                    {0x1.921fb54442d18p+0, 1.0},                      // pi / 2
                    {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}});  // pi: what the double lacks of pi
  check(math::cos, {{0.0, 1.0},
                    {-0.0, 1.0},
                    {smallest, 1.0},
                    {inf, nan_value},
                    {-inf, nan_value},
                    {nan_value, nan_value},
                    {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
                    {0x1.921fb54442d18p+1, -1.0}});
  // Of all doubles, the one closest to a multiple of pi / 2 (Muller et al., Handbook of Floating-Point Arithmetic,
  // section 10.2): 6381956970095103 * 2^797, 2^-60.9 away, so that its cosine is this small.
  const double closest = 6381956970095103.0 * 0x1p797;
  CHECK(same(math::cos(closest), -0x1.14ae72e6ba22fp-61));
  CHECK(same(math::sin(closest), 1.0));
  for (const double x :
       {0.0, -0.0, 1e-300, 0x1p-27, -0.3, 1.0, -2.5, 100.0, 0x1p20, -1e22, closest, largest, inf, nan_value}) {
    const math::SinCos<double> y = math::sincos(x);
    CHECK(same(y.sin, math::sin(x)));
    CHECK(same(y.cos, math::cos(x)));
    const math::SinCos<float> z = math::sincos(static_cast<float>(x));
    CHECK(same(z.sin, math::sin(static_cast<float>(x))));
    CHECK(same(z.cos, math::cos(static_cast<float>(x))));
  }
}

TEST_CASE("float forms at their edges", "[math]") {
  constexpr float f_inf = std::numeric_limits<float>::infinity();
  constexpr float f_nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(same(math::exp(-104.0f), 0.0f));
  CHECK(same(math::exp(-103.5f), 0x1p-149f));
  CHECK(same(math::exp(0x1.62e42ep+6f), 0x1.ffff08p+127f));
  CHECK(same(math::exp(0x1.62e43p+6f), f_inf));
  CHECK(same(math::expm1(-0.0f), -0.0f));
  CHECK(same(math::log(0.0f), -f_inf));
  CHECK(same(math::log(-1.0f), f_nan));
  CHECK(same(math::log(0x1p-149f), -0x1.9d1dap+6f));
  CHECK(same(math::log1p(-1.0f), -f_inf));
  CHECK(same(math::log1p(-0.0f), -0.0f));
  CHECK(same(math::sin(-0.0f), -0.0f));
  CHECK(same(math::cos(f_inf), f_nan));
  CHECK(same(math::tanh(-f_inf), -1.0f));
  CHECK(same(math::tanh(-f_nan), f_nan));
}

// Fixed point, little end first, with one word of integer part on top: enough for pi to more than 1400 bits.
namespace fixed {
constexpr std::size_t words = 45;
using Number = std::array<std::uint32_t, words + 1>;

void divide(Number& x, std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = x.size(); i-- > 0;) {
    const std::uint64_t part = rest << 32 | x[i];
    x[i] = static_cast<std::uint32_t>(part / divisor);
    rest = part % divisor;
  }
}

// x += factor * y, or x -= factor * y.
void add(Number& x, const Number& y, std::uint32_t factor, bool subtract) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    carry += static_cast<std::uint64_t>(y[i]) * factor;
    const std::uint32_t part = static_cast<std::uint32_t>(carry);
    carry >>= 32;
    if (subtract) {
      carry += x[i] < part ? 1u : 0u;
      x[i] -= part;
    } else {
      x[i] += part;
      carry += x[i] < part ? 1u : 0u;
    }
  }
}

// atan(1 / n).
Number arctangent_of_inverse(std::uint32_t n) {
  Number power{};
  power[words] = 1;
  divide(power, n);
  Number sum = power;
  for (std::uint32_t k = 1; power != Number{}; ++k) {
    divide(power, n * n);
    Number term = power;
    divide(term, 2 * k + 1);
    add(sum, term, 1, k % 2 == 1);
  }
  return sum;
}
}  // namespace fixed

TEST_CASE("the digits of 2 / pi are those that Machin's formula gives", "[math]") {
  const fixed::Number a = fixed::arctangent_of_inverse(5);
  const fixed::Number b = fixed::arctangent_of_inverse(239);
  fixed::Number pi{};
  fixed::add(pi, a, 16, false);
  fixed::add(pi, b, 4, true);
  REQUIRE(pi[fixed::words] == 3);

  // digits * pi must lie below 2 and within one last digit, 2^-1280 pi, of it: 0 < 2 - digits * pi < 4 * 2^-1280.
  const auto& digits = attn::math::detail::two_over_pi;
  std::vector<std::uint32_t> product(digits.size() + pi.size() + 1, 0);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    std::uint64_t carry = 0;
    const std::uint64_t digit = digits[digits.size() - 1 - i];
    for (std::size_t j = 0; j < pi.size(); ++j) {
      carry += product[i + j] + digit * pi[j];
      product[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    product[i + pi.size()] = static_cast<std::uint32_t>(carry);
  }
  const std::size_t point = digits.size() + fixed::words;
  CHECK(product[point] == 1);
  for (std::size_t i = 1; i < digits.size(); ++i) {
    CHECK(product[point - i] == 0xFFFF'FFFFu);
  }
  CHECK(product[point - digits.size()] >= 0xFFFF'FFFCu);
}

TEST_CASE("odd and even functions are exactly so", "[math]") {
  for (int i = 1; i <= 2000; ++i) {
    const double x = std::ldexp(1.0 + i * 0x1p-11, i % 90 - 60);
    CHECK(same(math::sin(-x), -math::sin(x)));
    CHECK(same(math::cos(-x), math::cos(x)));
    CHECK(same(math::tanh(-x), -math::tanh(x)));
  }
}

TEST_CASE("one hash of all functions is the same on every target", "[math][golden]") {
  // 100,000 arguments, every 184467440737096-th bit pattern of double: both signs, every binade, NaN and infinities'
  // ends.
  std::uint64_t hash = 0xCBF29CE484222325u;
  const auto mix = [&hash](std::uint64_t bits) { hash = std::rotl((hash ^ bits) * 0x9E3779B97F4A7C15u, 29); };
  const auto mix_double = [&mix](double y) { mix(std::bit_cast<std::uint64_t>(y)); };
  const auto mix_float = [&mix](float y) { mix(std::bit_cast<std::uint32_t>(y)); };
  const auto mix_all = [&](auto x, auto mix_result) {
    mix_result(math::exp(x));
    mix_result(math::expm1(x));
    mix_result(math::log(x));
    mix_result(math::log1p(x));
    mix_result(math::sin(x));
    mix_result(math::cos(x));
    mix_result(math::tanh(x));
  };
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    mix_all(std::bit_cast<double>(i * 184'467'440'737'096u), mix_double);
    mix_all(std::bit_cast<float>(static_cast<std::uint32_t>(i * 42'949u)), mix_float);
    mix_all(static_cast<double>(i) * 0x1p-11 - 24.0, mix_double);  // -24 to 24.8, where most results are ordinary
  }
  std::printf("\n  hash of attn::math: 0x%016llX\n", static_cast<unsigned long long>(hash));
  CHECK(hash == 0xDFC1EFD11686EBF3u);
}

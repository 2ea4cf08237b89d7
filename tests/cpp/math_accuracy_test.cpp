// Accuracy of attn::math in units in the last place (ULP), row by row: a function, a range, the worst error found.
//
// Each row draws its arguments from a fixed seed, prints the worst error and asserts the stated bound; the results of a
// row are also hashed against a constant. The error is measured natively, against the C library's long double (on x86
// it has 11 bits more than double, so the measurement itself is good to about 0.001 ULP); as WebAssembly, where that
// library's long double functions are no better than double, the same arguments must give the same bits, so the native
// measurement holds there too. Not a test of special values: see math_test.cpp.
#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "attn/math.hpp"
#include "support.hpp"

namespace {

namespace math = attn::math;

#ifdef __EMSCRIPTEN__
constexpr bool have_reference = false;
#else
constexpr bool have_reference = true;
#endif

enum class Spread { uniform, logarithmic, beside_right_angles };

// A row's arguments: `points` draws between `low` and `high`. Logarithmic takes every binade alike, with both signs
// when low is negative (then magnitudes from -low to high); beside_right_angles takes the double nearest to n pi / 2.
struct Range {
  Spread spread;
  double low;
  double high;
};

double draw(const Range& range, support::Bits& random) {
  const double u = random.unit();
  switch (range.spread) {
    case Spread::uniform: return range.low + (range.high - range.low) * u;
    case Spread::beside_right_angles:
      return std::floor(range.low + (range.high - range.low) * u) * 0x1.921fb54442d18p+0;
    case Spread::logarithmic: break;
  }
  const bool both_signs = range.low < 0.0;
  const std::uint64_t from = std::bit_cast<std::uint64_t>(std::fabs(range.low));
  const std::uint64_t to = std::bit_cast<std::uint64_t>(range.high);
  const std::uint64_t sign = both_signs && (random.next() & 1u) != 0 ? std::uint64_t{1} << 63 : 0;
  return std::bit_cast<double>((from + random.next() % (to - from)) | sign);
}

template <class T>
long double ulp(long double reference) {
  if (reference == 0.0L) {
    return std::ldexp(1.0L, std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits);
  }
  const int exponent = std::max(std::ilogb(reference), std::numeric_limits<T>::min_exponent - 1);
  return std::ldexp(1.0L, exponent + 1 - std::numeric_limits<T>::digits);
}

// |y - reference| in ULP of T at the reference; infinite for a NaN, an infinity or a finite value in the wrong place.
template <class T>
double error_in_ulp(T y, long double reference) {
  if (std::isnan(reference) || std::isnan(y)) {
    return std::isnan(reference) && std::isnan(y) ? 0.0 : HUGE_VAL;
  }
  const long double largest = std::numeric_limits<T>::max();
  if (std::isinf(y) || std::isinf(reference)) {
    const bool overflows = std::fabs(reference) >= largest + ulp<T>(largest) / 2;
    return overflows && std::isinf(y) && std::signbit(y) == std::signbit(reference) ? 0.0 : HUGE_VAL;
  }
  return static_cast<double>(std::fabs(static_cast<long double>(y) - reference) / ulp<T>(reference));
}

struct Measurement {
  double worst = 0.0;
  double at = 0.0;
  std::uint64_t hash = 0xCBF29CE484222325u;

  template <class T>
  void add(T x, T y, long double (*reference)(long double)) {
    std::uint64_t bits = 0;
    if constexpr (sizeof(T) == 8) {
      bits = std::bit_cast<std::uint64_t>(y);
    } else {
      bits = std::bit_cast<std::uint32_t>(y);
    }
    hash = std::rotl((hash ^ bits) * 0x9E3779B97F4A7C15u, 29);
    if constexpr (have_reference) {
      const double error = error_in_ulp(y, reference(static_cast<long double>(x)));
      if (error > worst) {
        worst = error;
        at = static_cast<double>(x);
      }
    }
  }
};

void report(const char* function, const char* range, std::size_t points, const Measurement& m, double bound) {
  if (have_reference) {
    std::printf("  %-7s %-34s %9zu %8.4f  (bound %.3f) at %-24a 0x%016llX\n", function, range, points, m.worst, bound,
                m.at, static_cast<unsigned long long>(m.hash));
  } else {
    std::printf("  %-7s %-34s %9zu   bits 0x%016llX\n", function, range, points,
                static_cast<unsigned long long>(m.hash));
  }
}

// A function in double and in float, the reference, and the bound asserted for double.
struct Function {
  const char* name;
  double (*in_double)(double);
  float (*in_float)(float);
  long double (*reference)(long double);
  double bound;
};
constexpr Function exp_fn{"exp", math::exp, math::exp, std::exp, 0.52};
constexpr Function expm1_fn{"expm1", math::expm1, math::expm1, std::expm1, 0.52};
constexpr Function log_fn{"log", math::log, math::log, std::log, 0.515};
constexpr Function log1p_fn{"log1p", math::log1p, math::log1p, std::log1p, 0.515};
constexpr Function sin_fn{"sin", math::sin, math::sin, std::sin, 0.85};
constexpr Function cos_fn{"cos", math::cos, math::cos, std::cos, 0.85};
constexpr Function tanh_fn{"tanh", math::tanh, math::tanh, std::tanh, 0.52};
constexpr double float_bound = 0.501;

struct Row {
  Function function;
  const char* title;
  Range range;
  std::uint64_t hash;
};

constexpr double tiny = 0x1p-1074;
constexpr double largest = DBL_MAX;
constexpr double pi = 3.2;  // a little more than it

const Row rows[] = {
    {exp_fn, "[-745.2, -708] subnormal", {Spread::uniform, -745.2, -708.0}, 0x54E90DBCB6ADF9A3u},
    {exp_fn, "[-708, 709.79]", {Spread::uniform, -708.0, 709.79}, 0xF072CF1F29B6F171u},
    {exp_fn, "[-1, 1]", {Spread::uniform, -1.0, 1.0}, 0x350FCA058243C300u},
    {exp_fn, "+-[2^-60, 745] every binade", {Spread::logarithmic, -0x1p-60, 745.0}, 0xB2BE008F263A4DF0u},
    {expm1_fn, "[-1, 1]", {Spread::uniform, -1.0, 1.0}, 0x5034AA07D41EBEA5u},
    {expm1_fn, "[-60, 709.79]", {Spread::uniform, -60.0, 709.79}, 0x92940F8364771990u},
    {expm1_fn, "+-[2^-1074, 60] every binade", {Spread::logarithmic, -tiny, 60.0}, 0x0187661D5E37FA9Fu},
    {log_fn, "[0.5, 2]", {Spread::uniform, 0.5, 2.0}, 0x4A0448E1F8DF46B0u},
    {log_fn, "[0.98, 1.02]", {Spread::uniform, 0.98, 1.02}, 0x801D651A54E03142u},
    {log_fn, "[2^-1074, max] every binade", {Spread::logarithmic, tiny, largest}, 0xEF3A0E1F47232DA0u},
    {log1p_fn, "[-1, 1]", {Spread::uniform, -1.0, 1.0}, 0x7B393A1DB0A0CB1Fu},
    {log1p_fn, "[-0.02, 0.02]", {Spread::uniform, -0.02, 0.02}, 0xEE9A5A0F38D0B6BBu},
    {log1p_fn, "+-[2^-1074, 1] every binade", {Spread::logarithmic, -tiny, 1.0}, 0x716873BA4F9FCFFAu},
    {log1p_fn, "[1, max] every binade", {Spread::logarithmic, 1.0, largest}, 0x26FC66A47B7BBE4Cu},
    {sin_fn, "[-pi, pi]", {Spread::uniform, -pi, pi}, 0xA8EAE93FEC4CE826u},
    {sin_fn, "+-[2^-1074, 1] every binade", {Spread::logarithmic, -tiny, 1.0}, 0x091DF129FB493CFAu},
    {sin_fn, "+-[1, 2^20] every binade", {Spread::logarithmic, -1.0, 0x1p20}, 0x07A9DD3B4CE902A3u},
    {sin_fn, "+-[2^20, max] every binade", {Spread::logarithmic, -0x1p20, largest}, 0xD859F3809F935284u},
    {sin_fn, "beside n pi/2, n < 2^40", {Spread::beside_right_angles, 0.0, 0x1p40}, 0xE72FE07E4187F58Eu},
    {cos_fn, "[-pi, pi]", {Spread::uniform, -pi, pi}, 0x875B604EF125B8C7u},
    {cos_fn, "+-[2^-1074, 1] every binade", {Spread::logarithmic, -tiny, 1.0}, 0xC411A365A663B68Cu},
    {cos_fn, "+-[1, 2^20] every binade", {Spread::logarithmic, -1.0, 0x1p20}, 0xD10E02D1B700BA31u},
    {cos_fn, "+-[2^20, max] every binade", {Spread::logarithmic, -0x1p20, largest}, 0xC20BC94561F59593u},
    {cos_fn, "beside n pi/2, n < 2^40", {Spread::beside_right_angles, 0.0, 0x1p40}, 0x970FA0F54B87D22Eu},
    {tanh_fn, "[-1, 1]", {Spread::uniform, -1.0, 1.0}, 0xE4EB25F85304F2EAu},
    {tanh_fn, "[-25, 25]", {Spread::uniform, -25.0, 25.0}, 0xCDF25401F20C3575u},
    {tanh_fn, "+-[2^-1074, 32] every binade", {Spread::logarithmic, -tiny, 32.0}, 0x927E8A45CECA37C4u},
};

struct FloatRow {
  Function function;
  std::uint64_t hash;
};
const FloatRow float_rows[] = {
    {exp_fn, 0x6CEE352835B309E6u},   {expm1_fn, 0xAFAE48A1E5B947E4u}, {log_fn, 0xC21B18E55A7DE0B3u},
    {log1p_fn, 0xAA0107EAEC16E942u}, {sin_fn, 0xD9E2064D12B97F02u},   {cos_fn, 0xACEA6AD640336656u},
    {tanh_fn, 0x10DFDCCAEB1E6278u},
};

}  // namespace

TEST_CASE("double functions stay within their ULP bounds", "[math][accuracy]") {
  constexpr std::size_t points = 100'000;
  std::printf("\n  worst error in ULP of double\n");
  std::uint64_t seed = 0xA77E0000u;
  for (const Row& row : rows) {
    support::Bits random(seed++);
    Measurement m;
    for (std::size_t point = 0; point < points; ++point) {
      const double x = draw(row.range, random);
      m.add(x, row.function.in_double(x), row.function.reference);
    }
    report(row.function.name, row.title, points, m, row.function.bound);
    INFO(row.function.name << " on " << row.title << ", worst at x = " << m.at);
    CHECK(m.worst <= row.function.bound);
    CHECK(m.hash == row.hash);
  }
}

TEST_CASE("float functions are within 0.501 ULP at every 4099th float", "[math][accuracy]") {
  std::printf("\n  worst error in ULP of float\n");
  for (const FloatRow& row : float_rows) {
    Measurement m;
    std::size_t points = 0;
    for (std::uint64_t bits = 0; bits <= 0xFFFF'FFFFu; bits += 4099, ++points) {
      const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      m.add(x, row.function.in_float(x), row.function.reference);
    }
    report(row.function.name, "all floats, step 4099", points, m, float_bound);
    INFO(row.function.name << ", worst at x = " << m.at);
    CHECK(m.worst <= float_bound);
    CHECK(m.hash == row.hash);
  }
}

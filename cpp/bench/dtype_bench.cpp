// Every float32 rounded to both half formats: once against a second way to the same bits (integer arithmetic on the pattern), as
// an exhaustive sweep that stops at the first difference, and timed. Run it alone: attn_bench --benchmark_filter=every_float
#include <benchmark/benchmark.h>

#include <bit>
#include <cstdint>
#include <string>

#include "attn/dtype.hpp"

namespace {

/// bfloat16 of a float: the upper half of its pattern, rounded to even.
std::uint16_t upper_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | 0x7fc0u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// float16 of a float by integers alone: shift the significand to its place and round the bits that fall out.
std::uint16_t half_by_integers(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // from 65520 on
  const auto exponent = static_cast<int>(magnitude >> 23);
  std::uint32_t significand = magnitude & 0x7fffffu, shift = 13;
  std::uint32_t base = 0;
  if (exponent >= 113) {  // a normal half
    base = static_cast<std::uint32_t>(exponent - 112) << 10;
  } else {
    significand |= exponent == 0 ? 0 : 0x800000u;
    shift = static_cast<std::uint32_t>(126 - (exponent == 0 ? 1 : exponent));
    if (shift > 31) return static_cast<std::uint16_t>(sign);
  }
  const std::uint32_t kept = significand >> shift, rest = significand & ((std::uint32_t{1} << shift) - 1), half = std::uint32_t{1} << (shift - 1);
  const std::uint32_t up = rest > half || (rest == half && (kept & 1u) != 0) ? 1 : 0;
  return static_cast<std::uint16_t>(sign | (base + kept + up));
}

void every_float(benchmark::State& state, std::uint16_t (*ours)(double), std::uint16_t (*other)(float)) {
  for (auto _ : state) {
    std::uint32_t bits = 0;
    do {
      const auto value = std::bit_cast<float>(bits);
      if (ours(static_cast<double>(value)) != other(value)) {
        state.SkipWithError(("differs at pattern " + std::to_string(bits)).c_str());
        return;
      }
    } while (++bits != 0);
  }
  state.counters["floats"] = 4294967296.0;
}

BENCHMARK_CAPTURE(every_float, to_bfloat16, attn::bfloat16_bits, upper_half)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(every_float, to_float16, attn::float16_bits, half_by_integers)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace

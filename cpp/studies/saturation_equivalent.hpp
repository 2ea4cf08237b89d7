// The saturation experiment in a cheaper form with the same distribution, for questions about many seeds. Given its query, the
// scores of keys with standard normal entries are independent normals of variance |q|^2; and |q|^2 is a chi-square of d
// degrees of freedom, drawn for even d as -2 ln of a product of d/2 uniforms. So a query costs d/2 + keys numbers instead of
// d * (1 + keys). It is not the generators' own run of a seed: see attn/attention.hpp for that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attn::studies {

/// The widths of the section's figure, d = 4, 8, ..., 512.
inline constexpr std::array<std::size_t, 8> section_widths{4, 8, 16, 32, 64, 128, 256, 512};

/// The seed of run `s` of runs that count on from `first`, within the 32 bits that JAX keeps of a seed by default.
[[nodiscard]] constexpr std::uint64_t run_seed(std::uint64_t first, std::uint64_t s) { return (first + s) & 0xFFFFFFFFU; }

/// What one query's row of weights measures: index 0 unscaled, 1 scaled.
struct EquivalentRow {
  std::array<double, 2> entropy{}, norm{}, variance{};
};

class Equivalent {
 public:
  /// @param d  width, even
  Equivalent(std::size_t d, std::size_t keys, std::size_t queries);

  /// The rows of one seed, a query each. `both` false leaves the scaled half at zero, at half the cost.
  std::span<const EquivalentRow> rows(std::uint64_t seed, bool both = true);

  /// Their means.
  EquivalentRow means(std::uint64_t seed, bool both = true);

 private:
  std::size_t d_, keys_, queries_;
  std::vector<float> uniforms_, normals_;
  std::vector<double> scores_, weights_;
  std::vector<EquivalentRow> rows_;
};

}  // namespace attn::studies

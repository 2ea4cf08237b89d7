// See saturation_theory.hpp. The claims are proved on means over several seeds, as all of this study's are.
#include "saturation_theory.hpp"

#include <algorithm>
#include <cmath>

#include "attn/math.hpp"
#include "attn/random/jax.hpp"
#include "evidence.hpp"
#include "saturation_equivalent.hpp"

namespace attn::studies {
namespace {

/// Mean entropy in nats over eight seeds of 256 queries over 64 keys: unscaled, scaled.
std::array<double, 2> measured(std::size_t d) {
  Equivalent experiment(d, 64, 256);
  std::array<double, 2> mean{};
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const EquivalentRow row = experiment.means(3000 + seed);
    for (std::size_t f = 0; f < 2; ++f) mean[f] += row.entropy[f] / 8;
  }
  return mean;
}

Finding approximation() {
  Proof proof;
  proof.within("ln 64 - 1/2", approximate_entropy(1, 64), 3.6585, 3.6595);
  for (const std::size_t d : section_widths) proof.within("measured at d = " + std::to_string(d), measured(d)[1], 3.6, 3.76);
  return proof.finding();
}

/// Z of `rows` rows of 64 normal scores of variance s^2: its mean, and its standard deviation over the exact mean.
Finding deviation() {
  Proof proof;
  for (const double s2 : {0.25, 1.0}) {
    constexpr std::size_t rows = 20000;
    std::vector<float> normals(rows * 64);
    random::jax::normal(random::jax::key(77), 0, normals);
    const double exact = 64 * math::exp(s2 / 2);
    double squares = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      double z = 0;
      for (std::size_t k = 0; k < 64; ++k) z += math::exp(std::sqrt(s2) * static_cast<double>(normals[row * 64 + k]));
      squares += (z / exact - 1) * (z / exact - 1);
    }
    const double ratio = std::sqrt(squares / rows) / z_deviation(s2, 64);
    proof.within("sampled over exact at variance " + std::to_string(s2).substr(0, 4), ratio, 0.96, 1.04);
  }
  proof.within("at variance 1", z_deviation(1, 64), 0.163, 0.165);
  proof.within("at variance 4", z_deviation(4, 64), 0.91, 0.92);
  proof.within("at variance 8", z_deviation(8, 64), 6.8, 6.9);
  return proof.finding();
}

Finding breaks() {
  Proof proof;
  const double four = measured(4)[0];
  const double eight = measured(8)[0];
  proof.within("approximation at d = 4", approximate_entropy(4, 64), 2.155, 2.165);
  proof.within("measured at d = 4", four, 2.785, 2.805);
  proof.within("approximation at d = 8", approximate_entropy(8, 64), 0.155, 0.165);
  proof.within("measured at d = 8", eight, 2.035, 2.06);
  return proof.finding();
}

}  // namespace

double approximate_entropy(double s2, double keys) { return math::log(keys) - s2 / 2; }

double z_deviation(double s2, double keys) { return std::sqrt(math::expm1(s2) / keys); }

void add_theory(std::size_t at, double keys, double per_unit, const std::string& unit, std::vector<Series>& series) {
  constexpr std::size_t points = 33;
  const auto first = static_cast<double>(section_widths.front());
  const double last = std::min(2 * math::log(keys), static_cast<double>(section_widths.back()));
  Series dims{"theory_dims", "", {0}, {}};
  Series unscaled{"theory_unscaled", unit, {0}, {}};
  for (std::size_t i = 0; last > first && i < points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points - 1);
    const double d = i + 1 == points ? last : first * math::exp(share * math::log(last / first));
    dims.data.push_back(d);
    unscaled.data.push_back(std::max(0.0, approximate_entropy(d, keys)) / per_unit);
  }
  dims.shape = unscaled.shape = {dims.data.size()};
  Series deviation{"z_deviation_unscaled", "", {section_widths.size()}, {}};
  for (const std::size_t d : section_widths) deviation.data.push_back(z_deviation(static_cast<double>(d), keys));
  series.push_back(std::move(dims));
  series.push_back(std::move(unscaled));
  series.push_back(Series{"theory_scaled", unit, {1}, {approximate_entropy(1, keys) / per_unit}});
  series.push_back(std::move(deviation));
  series.push_back(Series{"z_deviation_scaled", "", {1}, {z_deviation(1, keys)}});
  series.push_back(Series{"at_z_deviation_unscaled", "", {1}, {z_deviation(static_cast<double>(at), keys)}});
}

std::vector<SeriesInfo> theory_series() {
  return {
      {"theory_dims", "widths of the approximation for unscaled scores, as real numbers", "", {"theory"}},
      {"theory_unscaled", "ln m - s^2 / 2 with s^2 = d, down to 0", "nats or bits", {"theory"}},
      {"theory_scaled", "ln m - s^2 / 2 with s^2 = 1", "nats or bits"},
      {"z_deviation_unscaled", "relative standard deviation of the sum of exponentials, s^2 = d", "", {"points"}},
      {"z_deviation_scaled", "relative standard deviation of the sum of exponentials, s^2 = 1", ""},
      {"at_z_deviation_unscaled", "relative standard deviation of the sum of exponentials at d, s^2 = d", ""},
  };
}

std::vector<Claim> theory_claims() {
  return {
      {"approximation", "For sixty-four keys and scores of variance one, ln m − s²/2 is 3.66 nats, within a tenth of a nat of the scaled entropies at every width.", proof(approximation)},
      {"z-deviation", "The relative standard deviation of the sum of exponentials is √((exp s² − 1)/m): for sixty-four keys 0.16 at s² = 1, 0.92 at s² = 4 and 6.8 at s² = 8.", proof(deviation)},
      {"approximation-breaks", "Unscaled, the approximation gives 2.16 nats at d = 4, where 2.80 are measured, and 0.16 at d = 8, where 2.05 are.", proof(breaks)},
  };
}

}  // namespace attn::studies

// The study of two hundred seeds: every series against the runs themselves, one by one, and the printed run against the section's stats.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attn/attention.hpp"
#include "saturation_equivalent.hpp"
#include "studies.hpp"
#include "study_support.hpp"

using namespace attn;
using studies_support::run_of;
using studies_support::series;

TEST_CASE("norms are those of runs one by one, and of each width the mean and the middle 95 percent", "[seeds]") {
  // 40 runs: one lies below the middle 95%, one above. 100: two and two. The seed wraps at 2^32, where JAX keeps no more.
  for (const auto& [count, beyond] : {std::pair<std::size_t, std::size_t>{40, 1}, {100, 2}}) {
    const Run run = run_of(studies::seeds(), {{"count", static_cast<double>(count)}, {"seed", 4294967290.0}});
    const auto& norms = series(run, "norms").data;
    REQUIRE(series(run, "dims").data == std::vector<double>{4, 8, 16, 32, 64, 128, 256, 512});
    REQUIRE(norms.size() == 8 * count);
    for (std::size_t i = 0; i < 8; ++i) {
      studies::Equivalent experiment(studies::section_widths[i], 64, 256);
      std::vector<double> own(norms.begin() + static_cast<std::ptrdiff_t>(i * count), norms.begin() + static_cast<std::ptrdiff_t>((i + 1) * count));
      CHECK(own[0] == experiment.means(4294967290, false).norm[0]);
      CHECK(own[6] == experiment.means(0, false).norm[0]);
      double sum = 0;
      for (const double norm : own) sum += norm;
      // sums of at most 100 numbers below 1 in two orders
      CHECK(std::fabs(series(run, "mean_norm").data[i] - sum / static_cast<double>(count)) < 1e-14);
      const double low = series(run, "low_norm").data[i], high = series(run, "high_norm").data[i];
      CHECK(static_cast<std::size_t>(std::count_if(own.begin(), own.end(), [&](double norm) { return norm < low; })) == beyond);
      CHECK(static_cast<std::size_t>(std::count_if(own.begin(), own.end(), [&](double norm) { return norm > high; })) == beyond);
      CHECK(std::count(own.begin(), own.end(), low) == 1);
      CHECK(std::count(own.begin(), own.end(), high) == 1);
    }
  }
}

TEST_CASE("the printed run is the unscaled one of the section", "[seeds]") {
  const Run run = run_of(studies::seeds(), {{"count", 40.0}});
  const std::vector<double> widths{4, 64, 512};
  CHECK(series(run, "printed_dims").data == widths);
  AttentionStatsOptions options;  // 64 keys, 256 queries, seed 0
  options.scaled = false;
  for (std::size_t i = 0; i < 3; ++i) {
    options.d = static_cast<std::size_t>(widths[i]);
    CHECK(series(run, "printed_norm").data[i] == attention_stats(options).value().jacobian_norm.mean);
  }
}

// The numbers of the prose against fresh runs, as the ledger tells them: every figure from the runs one by one. What it prints of tables is
// tested in chains_test.cpp and study_test.cpp.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "saturation_equivalent.hpp"
#include "studies.hpp"
#include "study_support.hpp"

using namespace attn;
using studies_support::run_of;
using studies_support::series;

TEST_CASE("mean, deviation, middle 95 percent and shares of the prose are those of the runs", "[ledger]") {
  constexpr std::size_t runs = 80;  // two lie below the middle 95%, two above
  const Run run = run_of(studies::ledger(), {{"runs", double{runs}}, {"seed", 4294967290.0}, {"generator", std::string("jax")}});
  // What each sentence speaks of; a bit is ln 2 nats.
  std::array<std::vector<double>, 7> found;
  studies::Equivalent section(512, 64, 256), narrow(4, 32, 5), wide(128, 32, 5);
  for (std::uint64_t s = 0; s < runs; ++s) {
    const std::uint64_t seed = (4294967290U + s) % 4294967296U;
    const auto of_section = section.means(seed), of_narrow = narrow.means(seed), of_wide = wide.means(seed);
    found[0].push_back(of_section.entropy[1]);
    found[1].push_back(of_section.entropy[0]);
    found[2].push_back(of_section.norm[0] / of_section.norm[1]);
    found[3].push_back(of_narrow.entropy[0] / std::log(2.0));
    found[4].push_back(of_wide.entropy[0] / std::log(2.0));
    found[5].push_back(of_wide.entropy[1] / std::log(2.0));
    found[6].push_back(std::sqrt(wide.rows(seed).front().variance[0]));
  }
  // A run bears a sentence out within half a unit of its last digit; "below" and "about half" say how themselves.
  const std::array<std::array<double, 2>, 7> bounds{{{3.65, 3.75}, {0, 0.2}, {0.45, 0.55}, {3.275, 3.285}, {0.285, 0.295}, {4.265, 4.275}, {9.55, 9.65}}};
  const std::array<const char*, 7> words{"scaled entropy of about 3.7 nats", "unscaled entropy below 0.2 nats", "norm about half", "3.28 bits", "0.29 bits", "4.27 bits", "about 9.6"};
  REQUIRE(series(run, "prose_mean").data.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) {
    INFO(series(run, "prose_sentence").words[i]);
    const auto of = [&](const char* name) { return series(run, name).data[i]; };
    CHECK(series(run, "prose_sentence").words[i].find(words[i]) != std::string::npos);
    double mean = 0, squares = 0, below = 0, inside = 0;
    for (const double x : found[i]) mean += x / double{runs};
    for (const double x : found[i]) {
      squares += (x - mean) * (x - mean);
      below += x < of("prose_printed") ? 1 : 0;
      inside += x >= bounds[i][0] && x < bounds[i][1] ? 1 : 0;
    }
    // sums of 80 numbers below 20, and a division by ln 2 instead of its rounding in the core
    CHECK(std::fabs(of("prose_mean") - mean) < 1e-13);
    CHECK(std::fabs(of("prose_deviation") - std::sqrt(squares / (runs - 1))) < 1e-13);
    CHECK(of("prose_below") == below / runs);
    CHECK(of("prose_chance") == inside / runs);
    std::sort(found[i].begin(), found[i].end());
    CHECK(std::fabs(of("prose_low") - found[i][2]) < 1e-14 * 20);
    CHECK(std::fabs(of("prose_high") - found[i][runs - 3]) < 1e-14 * 20);
  }
}

// The study of cost: formulas against counts made another way, the keys of jobs, and what is measured coming back where it belongs.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "attn/fused.hpp"
#include "attn/mask_expr.hpp"
#include "cost_counts.hpp"
#include "cost_jobs.hpp"
#include "studies.hpp"

using namespace attn;
using namespace attn::studies;
using namespace attn::studies::cost_counts;

namespace {

const Study& study() { return *find_study(registry(), "cost").value(); }

Run run_with(const Given& given) {
  Workspace workspace;
  return run(study(), given, workspace).value();
}

const Series& named(const Run& done, std::string_view name) {
  for (const Series& series : done.series) {
    if (series.name == name) return series;
  }
  FAIL("no series " << name);
  return done.series.front();
}

std::string refused(const char* key, const char* text) {
  const auto params = validate(study(), {{key, std::string(text)}});
  REQUIRE_FALSE(params.ok());
  CHECK(params.error().param == key);
  return params.error().message;
}

}  // namespace

TEST_CASE("tiles by formula are the visits counted from a mask, at odd lengths and windows", "[cost]") {
  for (const std::size_t n : {1U, 2U, 31U, 33U, 95U, 97U, 192U, 613U}) {
    for (const std::size_t window : {1U, 2U, 37U, 96U, 700U}) {
      for (const Sight sight : {causal, windowed}) {
        const std::array<std::size_t, 4> sizes{1, 1, n, n};
        const auto mask = BoundMask::make(parse_mask(cost_jobs::sight_text(sight, window)).value(), {1, 1, n, n}).value();
        double visits = 0;
        const auto counted = fused_visits(sizes, mask);
        REQUIRE(counted);
        for (const std::uint32_t each : counted.value()) visits += each;
        INFO("n " << n << ", window " << window << ", sight " << sight);
        CHECK(tiles(sight, n, window).visited() == visits);
      }
    }
  }
}

TEST_CASE("whole, mixed and hidden tiles are those that a look at every pair finds, and so are the pairs", "[cost]") {
  for (const std::size_t n : {1U, 32U, 33U, 96U, 97U, 200U, 320U}) {
    for (const std::size_t window : {1U, 33U, 64U, 65U, 128U, 400U}) {
      for (const Sight sight : {all_keys, causal, windowed}) {
        const auto sees = [&](std::size_t q, std::size_t k) { return sight == all_keys || (k <= q && (sight == causal || q - k < window)); };
        Tiles found;
        double open = 0;
        for (std::size_t first = 0; first < n; first += 32) {
          for (std::size_t key = 0; key < n; key += 96) {
            std::size_t inside = 0, seen = 0;
            for (std::size_t q = first; q < std::min(first + 32, n); ++q) {
              for (std::size_t k = key; k < std::min(key + 96, n); ++k) {
                ++inside;
                seen += sees(q, k) ? 1 : 0;
              }
            }
            open += static_cast<double>(seen);
            (seen == 0 ? found.empty : seen == inside ? found.full : found.mixed) += 1;
          }
        }
        INFO("n " << n << ", window " << window << ", sight " << sight);
        const Tiles counted = tiles(sight, n, window);
        CHECK(counted.full == found.full);
        CHECK(counted.mixed == found.mixed);
        CHECK(counted.empty == found.empty);
        CHECK(pairs(sight, n, window) == open);
      }
    }
  }
}

TEST_CASE("bytes are those of each tensor as often as it is moved, and the limit is where their ratio goes", "[cost]") {
  // n, m, d, v and h apart, so that none stands for another
  const Sizes sizes{700, 300, 20, 50, 9};
  const double q = 700 * 20, k = 300 * 20, v = 300 * 50, out = 700 * 50, scores = 700 * 300, maps = 2 * 9 * 20, projected = (700 + 300) * 9;
  const auto all = work(sizes);
  CHECK(all[materialised].bytes == 4 * (q + k + v + out + 4 * scores));
  CHECK(all[tiled].bytes == 4 * (q + k + v + out));
  // the maps and w_v are read; the projections are written and read
  const double scoring = q + k + maps + 9 + 2 * projected + scores;
  CHECK(all[additive_factored].bytes == 4 * scoring);
  CHECK(all[additive_direct].bytes == 4 * (scoring + 2 * scores * 9));
  CHECK(all[additive_direct].largest == scores * 9);
  CHECK(all[additive_factored].largest == scores);
  CHECK(work({2, 300, 20, 50, 9})[additive_factored].largest == 300 * 9);  // few queries: the projected keys
  CHECK(work({300, 2, 20, 50, 9})[additive_factored].largest == 300 * 9);
  const auto vast = work({1U << 26, 1U << 26, 20, 50, 9});
  for (const Algorithm algorithm : {materialised, additive_direct, additive_factored}) {
    // what is left beside the scores is of the order of d / n
    CHECK(std::fabs(vast[algorithm].intensity() / vast[algorithm].limit - 1) < 1e-5);
    CHECK(vast[algorithm].limit == all[algorithm].limit);
  }
}

TEST_CASE("keys of jobs are whole numbers below 2^24, apart within a list, and follow the sizes", "[cost]") {
  for (const std::size_t n : {1U, 37U, 512U, 1024U, 32768U}) {
    for (const std::size_t width : {1U, 64U, 1024U}) {
      std::set<std::uint32_t> keys;
      for (const auto& job : cost_jobs::jobs({n, n, width, width, width}, 128).list()) {
        CHECK(job.key() < (1U << 24U));
        CHECK(keys.insert(job.key()).second);
      }
      CHECK(keys.size() <= 40);
    }
  }
  const auto at = [](std::size_t n, std::size_t window) { return cost_jobs::jobs({n, n, 64, 64, 64}, window); };
  CHECK(at(1024, 128).work[tiled].key() != at(1025, 128).work[tiled].key());
  CHECK(at(1024, 128).growth[windowed][0].key() != at(1024, 129).growth[windowed][0].key());
  CHECK(at(1024, 128).work[tiled].key() == at(1024, 129).work[tiled].key());
  CHECK_FALSE(at(32768, 128).work[materialised].offered());
  CHECK(at(1024, 128).work[materialised].offered());
}

TEST_CASE("measured figures reach the job they belong to, and those of other sizes are counted as stale", "[cost]") {
  const auto job = cost_jobs::jobs({1024, 1024, 64, 64, 64}, 128).work[tiled];
  const std::string times = std::to_string(job.key()) + ",4,3,5;1,2,1,3";
  const Run done = run_with({{"machine", std::string("60,58,62;30,28,33")}, {"times", times}});
  CHECK(named(done, "work_ms").data[3 * tiled] == 4);
  CHECK(named(done, "work_gflops").data[3 * tiled] == job.operations / 4 / 1e6);
  CHECK(named(done, "work_gflops").data[3 * tiled + 1] == job.operations / 5 / 1e6);
  CHECK(named(done, "work_gflops").data[3 * tiled + 2] == job.operations / 3 / 1e6);
  CHECK(std::isnan(named(done, "work_ms").data[3 * materialised]));
  // the roof stands at the upper quartiles of the limits
  CHECK(named(done, "machine_ridge").data[0] == 62.0 / 33.0);
  const auto& intensity = named(done, "work_intensity").data;
  for (std::size_t a = 0; a < intensity.size(); ++a) {
    CHECK(named(done, "machine_attainable").data[a] == std::min(62.0, 33.0 * intensity[a]));
    CHECK(named(done, "machine_by_memory").data[a] == (33.0 * intensity[a] < 62.0 ? 1 : 0));
  }
  CHECK(named(done, "stale").data[0] == 1);
  // Other queries: the growth still times 1024 by 1024 at these widths. Another width: nothing does.
  const Run shorter = run_with({{"n", 1000.0}, {"times", times}});
  CHECK(named(shorter, "stale").data[0] == 1);
  CHECK(std::isnan(named(shorter, "work_ms").data[3 * tiled]));
  CHECK(named(run_with({{"d", 100.0}, {"times", times}}), "stale").data[0] == 2);
}

TEST_CASE("a time of part of the queries says of how many, and is that of all", "[cost]") {
  const auto all = cost_jobs::jobs({1024, 1024, 64, 64, 64}, 128);
  const cost_jobs::Job& kept = all.work[additive_direct];
  const cost_jobs::Job& raced = all.race[1][cost_jobs::direct];
  const std::string times = std::to_string(kept.key()) + ",400,300,500,128;" + std::to_string(raced.key()) + ",8,8,8,64;" + std::to_string(all.work[tiled].key()) + ",4,3,5,9999";
  const Run done = run_with({{"machine", std::string("60,58,62;30,28,33")}, {"times", times}});
  CHECK(named(done, "work_timed").data[additive_direct] == 128);
  CHECK(named(done, "work_gflops").data[3 * additive_direct] == kept.operations / 400 / 1e6);
  CHECK(named(done, "work_timed").data[tiled] == 1024);
  CHECK(std::isnan(named(done, "work_timed").data[materialised]));
  CHECK(named(done, "race_timed").data[cost_jobs::rules + cost_jobs::direct] == 64);
  CHECK(named(done, "race_ms").data[3 * (cost_jobs::rules + cost_jobs::direct)] == 8);
  CHECK(named(done, "growth_timed").data[2] == 1024);
  CHECK(named(done, "race_n").data[0] == 512);
  // without the column all were run
  const Run whole = run_with({{"times", std::to_string(kept.key()) + ",400,300,500"}});
  CHECK(named(whole, "work_timed").data[additive_direct] == 1024);
  CHECK(refused("times", "7,2,1,3,1.5").find("row 1 is of 1.5 queries; allowed are whole numbers from 1 to 32768") != std::string::npos);
  for (const char* odd : {"7,2,1,3,0", "7,2,1,3,32769"}) CHECK(refused("times", odd).find("row 1, column 5") != std::string::npos);
  CHECK(refused("times", "7,2,1,3,4,5").find("of 4 or 5") != std::string::npos);
}

TEST_CASE("as few queries may stand for all as a kernel takes together, a block has, or a cache does not hold; under a mask none", "[cost]") {
  const auto all = cost_jobs::jobs({2048, 1024, 64, 64, 64}, 128);
  CHECK(all.work[tiled].least == tile_queries);
  CHECK(all.work[cost_counts::additive_factored].least == tile_queries);
  CHECK(all.work[additive_direct].least == all.work[additive_direct].block);
  // scores and weights are then 32 MiB, which all of them do not reach here
  CHECK(all.work[materialised].least == 2048);
  CHECK(cost_jobs::jobs({32768, 8192, 64, 64, 64}, 128).work[materialised].least == 512);
  CHECK(all.race[1][cost_jobs::direct].least == 64);
  for (const cost_jobs::Job& job : all.list()) {
    CHECK((job.least >= 1 && job.least <= job.sizes.n));
    if (!job.mask.empty()) CHECK(job.least == job.sizes.n);
  }
  CHECK(cost_jobs::jobs({5, 7, 1, 1, 1}, 128).work[tiled].least == 5);
}

TEST_CASE("measured beside the formula: what of its roof each algorithm reaches, and the least its ratio can be", "[cost]") {
  const auto jobs = cost_jobs::jobs({1024, 1024, 64, 64, 64}, 128);
  const std::string times = std::to_string(jobs.work[tiled].key()) + ",8,7,9;" + std::to_string(jobs.work[additive_direct].key()) + ",40,30,50";
  const Run done = run_with({{"machine", std::string("60,58,62;30,28,33")}, {"times", times}});
  const auto near = [&](const char* name, std::size_t at, double wanted) { CHECK(std::fabs(named(done, name).data[at] / wanted - 1) < 1e-12); };
  const double tiled_rate = jobs.work[tiled].operations / 8e6, kept_rate = jobs.work[additive_direct].operations / 40e6;
  near("work_reached", tiled, tiled_rate / 62);
  near("work_at_least", tiled, tiled_rate / 33);
  // where memory is the limit both say the same: the ratio by time over the one by formula
  near("work_at_least", additive_direct, kept_rate / 33);
  near("work_reached", additive_direct, kept_rate / 33 / named(done, "work_intensity").data[additive_direct]);
  CHECK(std::isnan(named(done, "work_reached").data[materialised]));
  CHECK(std::isnan(named(run_with({{"times", times}}), "work_at_least").data[tiled]));
}

TEST_CASE("figures that cannot have been measured are refused by name, and mended to none", "[cost][errors]") {
  CHECK(refused("machine", "67,66").find("2 rows of 3") != std::string::npos);
  CHECK(refused("machine", "67,66,60;1,1,1").find("row 1") != std::string::npos);
  CHECK(refused("machine", "67,66,68;0,0,0").find("row 2") != std::string::npos);
  CHECK(refused("times", "1,2,3").find("of 4") != std::string::npos);
  CHECK(refused("times", "1,2,1,3;1,2,3,4").find("row 2") != std::string::npos);
  // what no machine is
  for (const char* odd : {"0.01,0.01,0.01;5,5,5", "67,66,68;0.09,0.09,0.1", "1e9,1e9,1e9;5,5,5"}) CHECK_FALSE(refused("machine", odd).empty());
  CHECK(validate(study(), {{"machine", std::string("0.1,0.1,0.1;100000,100000,100000")}}).ok());
  // keys
  CHECK(refused("times", "6487820.7,2,1,3").find("row 1 has the key 6487820.7; allowed are whole numbers from 1 to 16777215") != std::string::npos);
  for (const char* odd : {"0,1,1,1", "-3,1,1,1", "1e-6,1,1,1", "x,1,1,1", "nan,1,1,1"}) {
    INFO(odd);
    CHECK(refused("times", odd).find("allowed there are whole numbers from 1 to 16777215") != std::string::npos);
  }
  CHECK(refused("times", "7,2,1,3;16777216,2,1,3").find("row 2, column 1 is \"16777216\"; allowed there are whole numbers from 1 to 16777215") != std::string::npos);
  CHECK(refused("times", "7,0,0,0").find("row 1, column 2 is \"0\"; allowed are numbers from 1e-06 to 1000000000") != std::string::npos);
  CHECK(refused("times", "7,2,1,3;8,2,1,3;7,2,1,3").find("row 3 has the key 7 a second time; allowed is each key once") != std::string::npos);
  const auto mended = repair(study(), {{"machine", std::string("67,66")}});
  CHECK(mended.params.text("machine").empty());
  CHECK(mended.notices.size() == 1);
  CHECK(refused("machine", "67,66").find("1 row of 2") != std::string::npos);
  // The good table stays where the other is bad.
  const std::string machine = "60,58,62;30,28,33";
  const auto half = repair(study(), {{"machine", machine}, {"times", std::string("1,2,3,4")}});
  CHECK(half.params.text("machine") == machine);
  CHECK(half.params.text("times").empty());
  CHECK(half.notices.size() == 1);
  CHECK(repair(study(), {{"machine", std::string("67,66")}, {"times", std::string("1,2,3")}}).notices.size() == 2);
}

TEST_CASE("a preset says everything but what was measured, and nothing of that", "[cost]") {
  std::set<std::string> wanted;
  for (const Parameter& parameter : study().parameters) wanted.insert(parameter.key);
  CHECK(wanted.erase("machine") + wanted.erase("times") == 2);
  std::set<Given> states;
  for (const Preset& preset : study().presets) {
    INFO(preset.id);
    std::set<std::string> said;
    for (const auto& [key, value] : preset.params) said.insert(key);
    CHECK(said == wanted);
    CHECK(validate(study(), preset.params).ok());
    CHECK(states.insert(preset.params).second);
  }
}

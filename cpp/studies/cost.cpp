// The price of attention: operations, bytes and their ratio by formula, the roofline they meet on two accelerators and on the reader's
// machine, additive against dot-product scoring, and growth with the length under masks. The study itself times nothing: figures
// measured by a page come in as parameters, so that a run stays a pure function of them.
// Source: Dive into Deep Learning, section 10.2, exercises 10 and 12; peaks of accelerators as their maker's data sheets state them.
#include <algorithm>

#include "additive_counts.hpp"
#include "cost_claims.hpp"
#include "cost_code.hpp"
#include "cost_counts.hpp"
#include "cost_jobs.hpp"
#include "cost_series.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

using namespace cost_counts;
using cost_jobs::Job;
using cost_jobs::Jobs;
using cost_jobs::Measured;
using cost_jobs::Quartiles;
using cost_jobs::unknown;

/// Lengths of the curves by formula: powers of two.
constexpr std::size_t first_length = 6, last_length = 15;

double real(std::size_t value) { return static_cast<double>(value); }

/// What a run returns, filled by name; the unit is the declaration's.
class Returned {
 public:
  void one(const char* name, double value) { add(name, {1}).data.push_back(value); }
  template <class Values>
  void list(const char* name, const Values& data) { add(name, {std::size(data)}).data.assign(std::begin(data), std::end(data)); }
  void table(const char* name, std::initializer_list<std::size_t> shape, std::vector<double> data) { add(name, shape).data = std::move(data); }
  void words(const char* name, std::vector<std::string> texts) { add(name, {texts.size()}).words = std::move(texts); }

  std::vector<Series> series;

 private:
  Series& add(const char* name, std::initializer_list<std::size_t> shape) {
    static const std::vector<SeriesInfo> declared = cost_series();
    return series.emplace_back(Series{name, declared[series.size()].unit, shape, {}, {}});
  }
};

void append(std::vector<double>& to, const Quartiles& values) { to.insert(to.end(), values.begin(), values.end()); }

std::size_t chosen_accelerator(const Params& params) {
  for (std::size_t i = 0; i < accelerators.size(); ++i) {
    if (params.text("accelerator") == accelerators[i].name) return i;
  }
  return 0;
}

void add_machines(const Params& params, const Measured& measured, Returned& out) {
  std::vector<std::string> names, sources;
  std::vector<double> gflops, gbs, ridge;
  for (const Accelerator& each : accelerators) {
    names.emplace_back(each.name);
    sources.emplace_back(each.source);
    gflops.push_back(each.gflops);
    gbs.push_back(each.gbs);
    ridge.push_back(each.gflops / each.gbs);
  }
  out.words("accelerator_names", std::move(names));
  out.words("accelerator_sources", std::move(sources));
  out.list("accelerator_gflops", gflops);
  out.list("accelerator_gbs", gbs);
  out.list("accelerator_ridge", ridge);
  out.one("accelerator", real(chosen_accelerator(params)));
  out.one("measured", measured.machine ? 1 : 0);
  out.list("machine_gflops", measured.gflops);
  out.list("machine_gbs", measured.gbs);
  out.one("machine_ridge", measured.peak() / measured.bandwidth());
}

void add_work(const Sizes& sizes, const Jobs& jobs, const Measured& measured, Returned& out) {
  const auto all = work(sizes);
  std::vector<double> operations, bytes, intensity, limit, largest, roofs, by_memory, own, own_by_memory, ms, timed, gflops, reached, at_least;
  for (std::size_t a = 0; a < algorithms; ++a) {
    operations.push_back(all[a].operations);
    bytes.push_back(all[a].bytes);
    intensity.push_back(all[a].intensity());
    limit.push_back(all[a].limit);
    largest.push_back(all[a].largest);
    own.push_back(measured.machine ? attainable(measured.peak(), measured.bandwidth(), all[a].intensity()) : unknown);
    own_by_memory.push_back(!measured.machine ? unknown : own.back() < measured.peak() ? 1 : 0);
    const Quartiles time = measured.of(jobs.work[a]);
    append(ms, time);
    timed.push_back(measured.queries_of(jobs.work[a]));
    for (const std::size_t quartile : {0U, 2U, 1U}) gflops.push_back(all[a].operations / time[quartile] / 1e6);
    const double median = gflops[gflops.size() - 3];
    reached.push_back(median / own.back());
    at_least.push_back(median / measured.bandwidth());
  }
  for (const Accelerator& each : accelerators) {
    for (const Work& one : all) {
      roofs.push_back(attainable(each.gflops, each.gbs, one.intensity()));
      by_memory.push_back(roofs.back() < each.gflops ? 1 : 0);
    }
  }
  out.words("work_names", {"attention, scores kept", "attention, tiled", "additive, hidden units kept", "additive, factored"});
  out.list("work_operations", operations);
  out.list("work_bytes", bytes);
  out.list("work_intensity", intensity);
  out.list("work_limit", limit);
  out.list("work_largest", largest);
  out.table("work_attainable", {accelerators.size(), algorithms}, std::move(roofs));
  out.table("work_by_memory", {accelerators.size(), algorithms}, std::move(by_memory));
  out.list("machine_attainable", own);
  out.list("machine_by_memory", own_by_memory);
  out.table("work_ms", {algorithms, 3}, std::move(ms));
  out.list("work_timed", timed);
  out.table("work_gflops", {algorithms, 3}, std::move(gflops));
  out.list("work_reached", reached);
  out.list("work_at_least", at_least);
}

void add_passes(const Sizes& sizes, Returned& out) {
  out.words("pass_names", {"scores written", "scores read", "weights written", "weights read", "queries read", "keys read", "values read", "output written"});
  out.list("pass_bytes", passes(sizes));
  out.one("limit", materialised_limit(sizes.d, sizes.v));
  out.one("softmax_operations", softmax_operations);
  out.one("limit_softmax", materialised_limit(sizes.d, sizes.v, softmax_operations));
  std::vector<double> lengths, kept, in_tiles;
  for (std::size_t power = 0; power <= last_length; ++power) {
    const std::size_t n = std::size_t{1} << power;
    const auto all = work({n, n, sizes.d, sizes.v, sizes.h});
    lengths.push_back(real(n));
    kept.push_back(all[materialised].intensity());
    in_tiles.push_back(all[tiled].intensity());
  }
  out.list("curve_n", lengths);
  out.list("curve_intensity", kept);
  out.list("curve_tiled", in_tiles);
  const auto square = work({sizes.n, sizes.n, sizes.d, sizes.v, sizes.h});
  out.list("here_intensity", std::array{square[materialised].intensity(), square[tiled].intensity()});
}

void add_growth(const Sizes& sizes, std::size_t window, const Jobs& jobs, const Measured& measured, Returned& out) {
  std::vector<std::string> names;
  std::vector<double> lengths, met, operations, visited, square, rows, here, here_operations, here_tiles, share, ms, timed, timed_operations;
  const double width = 2 * real(sizes.d + sizes.v);
  for (const Sight sight : {all_keys, causal, windowed}) {
    names.push_back(sight == all_keys ? std::string("all keys") : cost_jobs::sight_text(sight, window));
    for (std::size_t power = first_length; power <= last_length; ++power) {
      const std::size_t n = std::size_t{1} << power;
      met.push_back(pairs(sight, n, window));
      operations.push_back(width * met.back());
      visited.push_back(tiles(sight, n, window).visited());
    }
    here.push_back(pairs(sight, sizes.n, window));
    here_operations.push_back(width * here.back());
    const Tiles count = tiles(sight, sizes.n, window);
    here_tiles.insert(here_tiles.end(), {count.full, count.mixed, count.empty});
    share.push_back(here.back() / here.front());
    for (const Job& job : jobs.growth[sight]) {
      append(ms, measured.of(job));
      timed.push_back(measured.queries_of(job));
      timed_operations.push_back(job.operations);
    }
  }
  for (std::size_t power = first_length; power <= last_length; ++power) {
    const auto moved = passes({std::size_t{1} << power, std::size_t{1} << power, sizes.d, sizes.v, 0});
    lengths.push_back(real(std::size_t{1} << power));
    square.push_back(moved[0] + moved[2]);
    rows.push_back(moved[4] + moved[5] + moved[6] + moved[7]);
  }
  out.words("mask_names", std::move(names));
  out.list("growth_n", lengths);
  out.table("growth_pairs", {sights, lengths.size()}, std::move(met));
  out.table("growth_operations", {sights, lengths.size()}, std::move(operations));
  out.table("growth_tiles", {sights, lengths.size()}, std::move(visited));
  out.list("growth_square", square);
  out.list("growth_rows", rows);
  out.list("here_pairs", here);
  out.list("here_operations", here_operations);
  out.table("here_tiles", {sights, 3}, std::move(here_tiles));
  out.list("here_share", share);
  out.list("timed_n", cost_jobs::timed_lengths);
  out.table("growth_ms", {sights, cost_jobs::timed_lengths.size(), 3}, std::move(ms));
  out.table("growth_timed", {sights, cost_jobs::timed_lengths.size()}, std::move(timed));
  out.table("growth_timed_operations", {sights, cost_jobs::timed_lengths.size()}, std::move(timed_operations));
}

void add_race(const Jobs& jobs, const Measured& measured, Returned& out) {
  using namespace cost_jobs;
  std::vector<double> operations, largest, ratio, largest_ratio, ms, timed, time_ratio;
  for (std::size_t w = 0; w < race_widths.size(); ++w) {
    const auto& row = jobs.race[w];
    const auto all = work({race_length, race_length, race_widths[w], race_widths[w], race_widths[w]});
    const double scores = real(race_length * race_length);
    const std::array<double, rules> kept{scores, all[cost_counts::additive_factored].largest, all[additive_direct].largest};
    for (std::size_t r = 0; r < rules; ++r) {
      operations.push_back(row[r].workload());
      largest.push_back(real(race_batch) * kept[r]);
      ratio.push_back(operations.back() / operations[w * rules]);
      largest_ratio.push_back(largest.back() / largest[w * rules]);
      const Quartiles time = measured.of(row[r]);
      append(ms, time);
      timed.push_back(measured.queries_of(row[r]));
      for (const double each : time) time_ratio.push_back(each / measured.of(row[dot])[0]);
    }
  }
  out.one("race_n", real(race_length));
  out.list("race_widths", race_widths);
  out.words("race_rules", {"scaled dot", "additive, factored", "additive, hidden units kept"});
  out.table("race_operations", {race_widths.size(), rules}, std::move(operations));
  out.table("race_largest", {race_widths.size(), rules}, std::move(largest));
  out.table("race_ratio", {race_widths.size(), rules}, std::move(ratio));
  out.table("race_largest_ratio", {race_widths.size(), rules}, std::move(largest_ratio));
  out.table("race_ms", {race_widths.size(), rules, 3}, std::move(ms));
  out.table("race_timed", {race_widths.size(), rules}, std::move(timed));
  out.table("race_time_ratio", {race_widths.size(), rules, 3}, std::move(time_ratio));
}

void add_jobs(const Jobs& jobs, const Measured& measured, Returned& out) {
  const std::vector<Job> all = jobs.list();
  std::vector<std::string> kinds, masks;
  std::vector<double> ms;
  double stale = 0;
  for (const Job& job : all) {
    kinds.emplace_back(job.kind);
    masks.push_back(job.mask);
    append(ms, measured.of(job));
  }
  for (const Measured::Time& time : measured.times) {
    stale += std::none_of(all.begin(), all.end(), [&](const Job& job) { return job.key() == time.key; }) ? 1 : 0;
  }
  const auto column = [&](const char* name, double (*of)(const Job&)) {
    std::vector<double> data;
    for (const Job& job : all) data.push_back(of(job));
    out.list(name, data);
  };
  column("job_key", [](const Job& job) { return static_cast<double>(job.key()); });
  out.words("job_kind", std::move(kinds));
  out.words("job_mask", std::move(masks));
  column("job_batch", [](const Job& job) { return real(job.batch); });
  column("job_n", [](const Job& job) { return real(job.sizes.n); });
  column("job_m", [](const Job& job) { return real(job.sizes.m); });
  column("job_d", [](const Job& job) { return real(job.sizes.d); });
  column("job_v", [](const Job& job) { return real(job.sizes.v); });
  column("job_h", [](const Job& job) { return real(job.sizes.h); });
  column("job_block", [](const Job& job) { return real(job.block); });
  column("job_least", [](const Job& job) { return real(job.least); });
  column("job_share", [](const Job& job) { return job.share; });
  column("job_operations", [](const Job& job) { return job.operations; });
  column("job_bytes", [](const Job& job) { return job.bytes(); });
  column("job_offered", [](const Job& job) { return job.offered() ? 1.0 : 0.0; });
  out.table("job_ms", {all.size(), 3}, std::move(ms));
  out.one("stale", stale);
}

Result<std::vector<Series>> run_cost(const Params& params, Workspace&) {
  const auto measured = cost_jobs::measured(params);
  if (!measured) return measured.error();
  const Sizes sizes{params.integer("n"), params.integer("m"), params.integer("d"), params.integer("v"), params.integer("h")};
  const std::size_t window = params.integer("window");
  const Jobs jobs = cost_jobs::jobs(sizes, window);
  Returned out;
  add_machines(params, measured.value(), out);
  add_work(sizes, jobs, measured.value(), out);
  add_passes(sizes, out);
  add_growth(sizes, window, jobs, measured.value(), out);
  add_race(jobs, measured.value(), out);
  add_jobs(jobs, measured.value(), out);
  return std::move(out.series);
}

std::optional<Error> check_cost(const Params& params) {
  const auto measured = cost_jobs::measured(params);
  return measured ? std::nullopt : std::optional<Error>{measured.error()};
}

void mend_cost(Params& params, std::vector<Notice>& notices) {
  // One figure alone cannot be mended: its table is forgotten, and can be measured again. The other stays.
  for (auto measured = cost_jobs::measured(params); !measured; measured = cost_jobs::measured(params)) {
    const std::string key = measured.error().param;
    notices.push_back({key, std::string(measured.error().message).append("; it is left out")});
    params.set(key, std::string());
  }
}

Study declare() {
  Study study;
  study.id = "cost";
  study.title = "The price of attention";
  study.summary = "Operations, bytes and time: the roofline of the reader’s machine, what each algorithm asks of it, and what masks save.";
  std::vector<std::string> names;
  for (const Accelerator& each : accelerators) names.emplace_back(each.name);
  study.parameters = {
      {.key = "n", .label = "queries", .symbol = "n", .help = "Queries; the growth under masks has as many keys.", .initial = 1024.0, .min = 1, .max = 32768, .scale = Scale::log2},
      {.key = "m", .label = "keys", .symbol = "m", .help = "Keys.", .initial = 1024.0, .min = 1, .max = 32768, .scale = Scale::log2},
      {.key = "d", .label = "width", .symbol = "d", .help = "Width of queries and keys.", .initial = 64.0, .min = 1, .max = 1024, .scale = Scale::log2},
      {.key = "v", .label = "value width", .symbol = "v", .help = "Width of values.", .initial = 64.0, .min = 1, .max = 1024, .scale = Scale::log2},
      {.key = "h", .label = "hidden units", .symbol = "h", .help = "Hidden units of the additive rule.", .initial = 64.0, .min = 1, .max = 1024, .scale = Scale::log2},
      {.key = "window", .label = "window", .symbol = "w", .help = "Keys of the causal window, the query’s own included.", .initial = 128.0, .min = 1, .max = 32768, .scale = Scale::log2},
      {.key = "accelerator", .label = "accelerator", .symbol = "", .help = "Whose roof is drawn in full.", .kind = Kind::choice, .initial = names.front(), .choices = names},
      cost_jobs::machine_parameter(),
      cost_jobs::times_parameter(),
  };
  study.series = cost_series();
  // A preset says all but what was measured: it is the same state whatever came before it.
  const auto state = [](double n, double m, double width, double window, const std::string& accelerator) {
    return Given{{"n", n}, {"m", m}, {"d", width}, {"v", width}, {"h", width}, {"window", window}, {"accelerator", accelerator}};
  };
  study.presets = {
      {"a100", "exercise 10, width 64 on an A100", state(32768, 32768, 64, 128, names[0])},
      {"h100", "the same on an H100", state(32768, 32768, 64, 128, names[2])},
      {"race", "exercise 12, 512 by 512 at width 64", state(512, 512, 64, 128, names[0])},
      {"race-wide", "the same at width 256", state(512, 512, 256, 128, names[0])},
      {"long", "32 768 queries, and a window of 1024", state(32768, 32768, 64, 1024, names[0])},
      {"one-query", "one query and a long cache", state(1, 32768, 64, 128, names[0])},
  };
  study.claims = cost_claims();
  study.check = check_cost;
  study.mend = mend_cost;
  study.run = run_cost;
  study.code = cost_code;
  return study;
}

}  // namespace

const Study& cost() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

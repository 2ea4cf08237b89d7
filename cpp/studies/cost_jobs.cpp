// The list of jobs and the reading of what was measured. See cost_jobs.hpp.
#include "cost_jobs.hpp"

#include <algorithm>
#include <cmath>

#include "additive_counts.hpp"
#include "attn/text.hpp"

namespace attn::studies::cost_jobs {
namespace {

using namespace cost_counts;

double real(std::size_t value) { return static_cast<double>(value); }
double product(std::size_t a, std::size_t b) { return real(a) * real(b); }

/// A block of the hidden layer has 2^23 numbers, 32 MiB, where it can: more than a cache holds, and not more than a phone does.
constexpr double block_numbers = 8.0 * 1024 * 1024;
/// Queries that go through a kernel together, one of its tiles: fewer would not be as fast.
constexpr std::size_t few_queries = tile_queries;

Job attention(Sight sight, const Sizes& s, std::size_t window) {
  // causally and in a window a query in the middle costs another time than one at an end
  const std::size_t least = sight == all_keys ? std::min(s.n, few_queries) : s.n;
  Job job{"attention", sight_text(sight, window), 1, {s.n, s.m, s.d, s.v, 0}, 0, least, 1, 0, 0};
  const double met = sight == all_keys ? product(s.n, s.m) : pairs(sight, s.n, window);
  job.operations = 2 * met * real(s.d + s.v);
  job.numbers = product(s.n + s.m, s.d) + product(s.n + s.m, s.v);
  return job;
}

Job kept(const Sizes& s) {
  Job job = attention(all_keys, s, 0);
  job.kind = "attention-materialised";
  job.numbers += 2 * product(s.n, s.m) + product(s.n, s.d);
  // the scores and weights of fewer would lie in a cache
  job.least = static_cast<std::size_t>(std::clamp(std::ceil(block_numbers / 2 / real(s.m)), 1.0, real(s.n)));
  return job;
}

/// No time is less; zero cannot have been measured.
constexpr double least = 1e-6;
/// GFLOP/s and GB/s that one thread of a machine reaches: with room to both sides.
constexpr double slowest = 0.1, fastest = 1e5;
/// The largest key; see Job::key.
constexpr double last_key = 0xFFFFFF;
/// More queries no job has.
constexpr double most_queries = 32768;

/// Scores alone, of `batch` sequences of which `run` are run.
Job scoring(Rule rule, const Sizes& s, std::size_t batch, std::size_t run) {
  constexpr std::array<const char*, rules> kinds{"dot-scores", "additive-factored", "additive-direct"};
  Job job{kinds[rule], "", run, {s.n, s.m, s.d, 0, rule == dot ? 0 : s.h}, 0, std::min(s.n, few_queries), real(run) / real(batch), 0, 0};
  const auto costs = additive_counts::costs({s.n, s.m, s.d, s.d, s.h, s.d, 1});
  job.operations = real(run) * costs[rule == dot ? 1 : 0].operations;
  job.numbers = real(run) * (product(s.n + s.m, s.d) + product(s.n, s.m));
  if (rule == dot) {
    job.numbers += real(run) * product(s.n, s.d);
    return job;
  }
  job.numbers += real(run) * product(s.n + s.m, s.h) + 2 * product(s.h, s.d) + real(s.h);
  if (rule == factored) return job;
  job.block = static_cast<std::size_t>(std::clamp(block_numbers / product(s.m, s.h), 1.0, real(s.n)));
  job.least = job.block;
  job.numbers += product(job.block, s.m) * real(s.h);
  return job;
}

Error refuse(ErrorCode code, const char* param, std::string what) { return Error{code, param, std::string(param).append(": ").append(what)}; }

std::optional<Error> read_quartiles(const char* param, const double* from, std::size_t row, Quartiles& to) {
  to = {from[0], from[1], from[2]};
  if (to[1] > 0 && to[1] <= to[0] && to[0] <= to[2]) return std::nullopt;
  return refuse(ErrorCode::out_of_range, param,
                std::string("row ").append(std::to_string(row + 1)).append(" has median ").append(number_text(to[0])).append(" and quartiles ").append(number_text(to[1])).append(" and ").append(number_text(to[2])).append("; allowed are positive numbers, the median between the quartiles"));
}

/// A key is whole, in range, and of one row alone.
std::optional<Error> read_key(double entry, std::size_t row, std::vector<Measured::Time>& times) {
  const bool whole = entry >= 1 && entry <= last_key && std::floor(entry) == entry;
  const std::uint32_t key = whole ? static_cast<std::uint32_t>(entry) : 0;
  if (whole && std::none_of(times.begin(), times.end(), [&](const Measured::Time& time) { return time.key == key; })) {
    times.push_back({key, 0, not_measured});
    return std::nullopt;
  }
  return refuse(ErrorCode::out_of_range, "times",
                std::string("row ").append(std::to_string(row + 1)).append(" has the key ").append(number_text(entry)).append(whole ? " a second time; allowed is each key once" : "; allowed are whole numbers from 1 to ").append(whole ? std::string() : number_text(last_key)));
}

/// `rows` of 0: any number of them. `optional`: so many columns more, or none of these.
std::optional<Error> check_shape(const char* param, const NumbersText& table, std::size_t rows, std::size_t columns, std::size_t optional) {
  if (table.rows == 0 || ((rows == 0 || table.rows == rows) && (table.columns == columns || table.columns == columns + optional))) return std::nullopt;
  return refuse(ErrorCode::wrong_shape, param,
                std::string("the table has ").append(std::to_string(table.rows)).append(table.rows == 1 ? " row of " : " rows of ").append(std::to_string(table.columns)).append("; allowed are ").append(rows == 0 ? std::string("rows") : std::to_string(rows).append(" rows")).append(" of ").append(std::to_string(columns)).append(optional == 0 ? std::string() : std::string(" or ").append(std::to_string(columns + optional))));
}

}  // namespace

std::uint32_t Job::key() const {
  std::uint32_t hash = 2166136261U;
  const auto byte = [&](std::uint32_t value) { hash = (hash ^ (value & 0xFFU)) * 16777619U; };
  const auto text = [&](std::string_view words) {
    for (const char c : words) byte(static_cast<unsigned char>(c));
    byte(0);
  };
  text(kind);
  text(mask);
  for (const std::size_t size : {batch, sizes.n, sizes.m, sizes.d, sizes.v, sizes.h}) {
    for (const unsigned shift : {0U, 8U, 16U}) byte(static_cast<std::uint32_t>(size) >> shift);
  }
  byte(static_cast<std::uint32_t>(1 / share));
  return std::max((hash ^ (hash >> 24U)) & 0xFFFFFFU, 1U);
}

std::string sight_text(Sight sight, std::size_t window) {
  if (sight == all_keys) return "";
  return sight == causal ? std::string("causal") : std::string("window(").append(std::to_string(window)).append(")");
}

Jobs jobs(const Sizes& sizes, std::size_t window) {
  Jobs all;
  all.work[materialised] = kept(sizes);
  all.work[tiled] = attention(all_keys, sizes, window);
  all.work[additive_direct] = scoring(direct, sizes, 1, 1);
  all.work[cost_counts::additive_factored] = scoring(factored, sizes, 1, 1);
  for (std::size_t w = 0; w < race_widths.size(); ++w) {
    const Sizes race{race_length, race_length, race_widths[w], 0, race_widths[w]};
    all.race[w] = {scoring(dot, race, race_batch, race_batch), scoring(factored, race, race_batch, 1), scoring(direct, race, race_batch, 1)};
  }
  for (const Sight sight : {all_keys, causal, windowed}) {
    for (std::size_t i = 0; i < timed_lengths.size(); ++i) {
      all.growth[sight][i] = attention(sight, {timed_lengths[i], timed_lengths[i], sizes.d, sizes.v, 0}, window);
    }
  }
  return all;
}

std::vector<Job> Jobs::list() const {
  std::vector<Job> all;
  const auto add = [&](const auto& row) {
    for (const Job& job : row) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Job& other) { return other.key() == job.key(); });
      if (!known) all.push_back(job);
    }
  };
  add(work);
  for (const auto& row : race) add(row);
  for (const auto& row : growth) add(row);
  return all;
}

Quartiles Measured::of(const Job& job) const {
  const std::uint32_t key = job.key();
  for (const Time& time : times) {
    if (time.key == key) return time.ms;
  }
  return not_measured;
}

double Measured::queries_of(const Job& job) const {
  const std::uint32_t key = job.key();
  for (const Time& time : times) {
    if (time.key == key) return real(time.queries == 0 ? job.sizes.n : std::min(time.queries, job.sizes.n));
  }
  return unknown;
}

Parameter machine_parameter() {
  return {.key = "machine", .label = "this machine", .symbol = "", .help = "Measured: GFLOP/s of multiply-adds and GB/s of copies, each with median, lower and upper quartile.", .kind = Kind::numbers,
          .initial = std::string(), .min = slowest, .max = fastest, .row_name = "limit", .column_names = {"median", "lower quartile", "upper quartile"}};
}

Parameter times_parameter() {
  return {.key = "times", .label = "times", .symbol = "", .help = "Measured: a row a job, its key and milliseconds with lower and upper quartile; the queries they were measured on, where these are not all.", .kind = Kind::numbers,
          .initial = std::string(), .min = least, .max = 1e9, .growable = true, .row_name = "job", .column_names = {"key", "median", "lower quartile", "upper quartile", "queries"},
          .column_ranges = {{.column = 0, .min = 1, .max = last_key, .whole = true}, {.column = 4, .min = 1, .max = most_queries, .whole = true}}};
}

Result<Measured> measured(const Params& params) {
  const auto machine = parse_numbers(machine_parameter(), params.text("machine"));
  if (!machine) return machine.error();
  const auto times = parse_numbers(times_parameter(), params.text("times"));
  if (!times) return times.error();
  if (auto error = check_shape("machine", machine.value(), 2, 3, 0)) return *std::move(error);
  if (auto error = check_shape("times", times.value(), 0, 4, 1)) return *std::move(error);
  Measured all;
  all.machine = machine.value().rows > 0;
  if (all.machine) {
    if (auto error = read_quartiles("machine", machine.value().values.data(), 0, all.gflops)) return *std::move(error);
    if (auto error = read_quartiles("machine", machine.value().values.data() + 3, 1, all.gbs)) return *std::move(error);
  }
  for (std::size_t row = 0; row < times.value().rows; ++row) {
    const double* entry = times.value().values.data() + times.value().columns * row;
    if (auto error = read_key(entry[0], row, all.times)) return *std::move(error);
    if (auto error = read_quartiles("times", entry + 1, row, all.times.back().ms)) return *std::move(error);
    if (times.value().columns == 4) continue;
    if (std::floor(entry[4]) != entry[4]) {
      return refuse(ErrorCode::out_of_range, "times", std::string("row ").append(std::to_string(row + 1)).append(" is of ").append(number_text(entry[4])).append(" queries; allowed are whole numbers from 1 to ").append(number_text(most_queries)));
    }
    all.times.back().queries = static_cast<std::size_t>(entry[4]);
  }
  return all;
}

}  // namespace attn::studies::cost_jobs

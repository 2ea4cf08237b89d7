// The runs that a page times on the reader's machine for The price of attention, and how figures measured there come back. Nothing is
// timed here: a job says what to run, and a figure belongs to a job by the job's key, which stands for its kind and sizes.
//   machine  "GFLOP/s, lower, upper quartile; GB/s, lower, upper quartile"
//   times    "key, ms, lower, upper quartile; ...", and after them, where some were run on part of their queries, on how many; the time is that of all
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "attn/study.hpp"
#include "cost_counts.hpp"

namespace attn::studies::cost_jobs {

/// Median, lower and upper quartile.
using Quartiles = std::array<double, 3>;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr Quartiles not_measured{unknown, unknown, unknown};

struct Job {
  const char* kind = "";
  std::string mask;             ///< an expression of attn/mask_expr.hpp, "" for none
  std::size_t batch = 1;        ///< sequences that run
  cost_counts::Sizes sizes;     ///< 0 where the kind has no such size
  std::size_t block = 0;        ///< queries whose hidden units are kept at once
  std::size_t least = 0;        ///< queries, the fewest whose time may stand for all; n where they cost unlike amounts
  double share = 1;             ///< of the whole workload
  double operations = 0;        ///< of the run; see workload()
  double numbers = 0;           ///< entries of all its tensors
  [[nodiscard]] double bytes() const { return 4 * numbers; }
  /// Operations of the whole workload.
  [[nodiscard]] double workload() const { return operations / share; }
  [[nodiscard]] bool offered() const { return operations <= 8e9 && bytes() <= 160.0 * 1024 * 1024; }
  /// A whole number from 1 to 2^24 - 1: FNV-1a of kind, mask, sizes and share, folded.
  [[nodiscard]] std::uint32_t key() const;
};

/// Exercise 12.3: a batch of four, 512 queries and keys, all widths 64 and all 256.
constexpr std::size_t race_batch = 4, race_length = 512;
constexpr std::array<std::size_t, 2> race_widths{64, 256};
enum Rule : std::size_t { dot, factored, direct, rules };
/// Numbers of queries and keys at which the growth is timed.
constexpr std::array<std::size_t, 5> timed_lengths{256, 512, 1024, 2048, 4096};

[[nodiscard]] std::string sight_text(cost_counts::Sight sight, std::size_t window);

struct Jobs {
  std::array<Job, cost_counts::algorithms> work;
  std::array<std::array<Job, rules>, race_widths.size()> race;
  std::array<std::array<Job, timed_lengths.size()>, cost_counts::sights> growth;
  /// All of them in this order, each once.
  [[nodiscard]] std::vector<Job> list() const;
};
[[nodiscard]] Jobs jobs(const cost_counts::Sizes& sizes, std::size_t window);

/// Figures as they came back.
struct Measured {
  bool machine = false;
  Quartiles gflops = not_measured, gbs = not_measured;
  /// The roof: what a limit reached undisturbed, its upper quartile. Other work on the machine only lowers the rest.
  [[nodiscard]] double peak() const { return gflops[2]; }
  [[nodiscard]] double bandwidth() const { return gbs[2]; }
  struct Time {
    std::uint32_t key;
    std::size_t queries;  ///< that were run; 0 where nothing is said, which is all
    Quartiles ms;         ///< of all
  };
  std::vector<Time> times;
  [[nodiscard]] Quartiles of(const Job& job) const;
  /// Of its n queries; `unknown` where it has no time.
  [[nodiscard]] double queries_of(const Job& job) const;
};
/// Errors: those of parse_numbers; wrong_shape and out_of_range on "machine" and "times" (quartiles out of
/// order, a speed that no machine has, a key that is not whole or comes twice).
[[nodiscard]] Result<Measured> measured(const Params& params);
[[nodiscard]] Parameter machine_parameter();
[[nodiscard]] Parameter times_parameter();

}  // namespace attn::studies::cost_jobs

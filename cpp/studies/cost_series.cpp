// The series of The price of attention, as a table. See cost_series.hpp.
#include "cost_series.hpp"

#include <string_view>

namespace attn::studies {
namespace {

struct Declared {
  const char* name;
  const char* label;
  const char* unit = "";
  const char* axes = "";  ///< with commas; none for a single value
  bool words = false;
};

constexpr Declared declared[] = {
    {"accelerator_names", "accelerators whose data sheets are quoted", "", "accelerators", true},
    {"accelerator_sources", "where their peaks are stated", "", "accelerators", true},
    {"accelerator_gflops", "peak in single precision", "GFLOP/s", "accelerators"},
    {"accelerator_gbs", "peak bandwidth", "GB/s", "accelerators"},
    {"accelerator_ridge", "operations a byte from which arithmetic is the limit", "operations/byte", "accelerators"},
    {"accelerator", "the chosen one, from 0"},
    {"measured", "1 where this machine's limits were measured"},
    {"machine_gflops", "multiply-adds measured: median, lower and upper quartile", "GFLOP/s", "quartiles"},
    {"machine_gbs", "copies measured", "GB/s", "quartiles"},
    {"machine_ridge", "operations a byte from which this machine's arithmetic is the limit", "operations/byte"},
    {"work_names", "algorithms", "", "algorithms", true},
    {"work_operations", "operations by formula", "operations", "algorithms"},
    {"work_bytes", "bytes moved by formula", "bytes", "algorithms"},
    {"work_intensity", "operations a byte", "operations/byte", "algorithms"},
    {"work_limit", "operations a byte as queries and keys grow without bound", "operations/byte", "algorithms"},
    {"work_largest", "entries of the largest tensor between inputs and result; 0 where none grows with queries times keys", "", "algorithms"},
    {"work_attainable", "throughput that each accelerator allows", "GFLOP/s", "accelerators,algorithms"},
    {"work_by_memory", "1 where memory is the limit there", "", "accelerators,algorithms"},
    {"machine_attainable", "throughput that this machine allows", "GFLOP/s", "algorithms"},
    {"machine_by_memory", "1 where memory is the limit here", "", "algorithms"},
    {"work_ms", "time measured: median, lower and upper quartile", "ms", "algorithms,quartiles"},
    {"work_gflops", "throughput measured, from median, upper and lower quartile of the time", "GFLOP/s", "algorithms,quartiles"},
    {"pass_names", "passes over memory of materialised attention; the last four are all that tiled attention needs", "", "passes", true},
    {"pass_bytes", "bytes of each pass", "bytes", "passes"},
    {"limit", "(d + v)/8", "operations/byte"},
    {"softmax_operations", "operations of the softmax a score", "operations"},
    {"limit_softmax", "the limit with the softmax counted", "operations/byte"},
    {"curve_n", "queries, and as many keys", "", "lengths"},
    {"curve_intensity", "operations a byte of materialised attention at each length", "operations/byte", "lengths"},
    {"curve_tiled", "operations a byte of tiled attention", "operations/byte", "lengths"},
    {"here_intensity", "both with as many keys as the chosen number of queries", "operations/byte", "ways"},
    {"mask_names", "masks", "", "masks", true},
    {"growth_n", "queries, and as many keys", "", "growth"},
    {"growth_pairs", "pairs that the mask leaves", "pairs", "masks,growth"},
    {"growth_operations", "operations of the two products on those pairs", "operations", "masks,growth"},
    {"growth_tiles", "tiles that the kernel visits", "tiles", "masks,growth"},
    {"growth_square", "bytes of scores and weights, where they are kept", "bytes", "growth"},
    {"growth_rows", "bytes of queries, keys, values and output", "bytes", "growth"},
    {"here_pairs", "pairs at the chosen number of queries", "pairs", "masks"},
    {"here_operations", "operations there", "operations", "masks"},
    {"here_tiles", "tiles there: without a mask, with one, skipped", "tiles", "masks,sorts"},
    {"here_share", "share of all pairs there", "", "masks"},
    {"timed_n", "lengths whose time is measured", "", "timed"},
    {"growth_ms", "time measured", "ms", "masks,timed,quartiles"},
    {"growth_timed_operations", "operations at those lengths", "operations", "masks,timed"},
    {"race_widths", "widths and hidden units of exercise 12.3", "", "widths"},
    {"race_rules", "rules that score a batch of four with 512 queries and keys", "", "rules", true},
    {"race_operations", "operations by formula", "operations", "widths,rules"},
    {"race_largest", "entries of the largest intermediate", "", "widths,rules"},
    {"race_ratio", "operations over those of the dot product", "", "widths,rules"},
    {"race_largest_ratio", "that over the one of the dot product", "", "widths,rules"},
    {"race_ms", "time measured", "ms", "widths,rules,quartiles"},
    {"race_time_ratio", "median and quartiles over the median of the dot product", "", "widths,rules,quartiles"},
    {"job_key", "whole number that stands for a job's kind and sizes", "", "jobs"},
    {"job_kind", "what a job runs", "", "jobs", true},
    {"job_mask", "under which mask", "", "jobs", true},
    {"job_batch", "sequences", "", "jobs"},
    {"job_n", "queries", "", "jobs"},
    {"job_m", "keys", "", "jobs"},
    {"job_d", "width of queries and keys, or 0", "", "jobs"},
    {"job_v", "width of values, or 0", "", "jobs"},
    {"job_h", "hidden units, or 0", "", "jobs"},
    {"job_block", "queries whose hidden units are kept at once, or 0", "", "jobs"},
    {"job_share", "share of its workload", "", "jobs"},
    {"job_operations", "operations by formula", "operations", "jobs"},
    {"job_bytes", "bytes of all its tensors", "bytes", "jobs"},
    {"job_offered", "1 where it is small enough for a page", "", "jobs"},
    {"job_ms", "time of the whole workload as measured: median, lower and upper quartile", "ms", "jobs,quartiles"},
    {"stale", "times that belong to other sizes than those chosen"},
};

}  // namespace

std::vector<SeriesInfo> cost_series() {
  std::vector<SeriesInfo> all;
  for (const Declared& each : declared) {
    SeriesInfo& info = all.emplace_back(SeriesInfo{each.name, each.label, each.unit, {}, each.words});
    std::string_view axes = each.axes;
    while (!axes.empty()) {
      const std::size_t end = axes.find(',');
      info.axes.emplace_back(axes.substr(0, end));
      axes = end == axes.npos ? std::string_view() : axes.substr(end + 1);
    }
  }
  return all;
}

}  // namespace attn::studies

// Time of what a composition of four masks answers (empty rows, density, intervals), lazily from intervals and by a dense AND of
// bytes at the same sizes, in one run; nothing is asserted. The dense masks are written out before the clock starts.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "attn/mask_report.hpp"

namespace {

using attn::BoundMask;

attn::MaskExpr four_terms(std::size_t n) {
  const auto text = std::string("causal & window(").append(std::to_string(n / 32)).append(") & documents(").append(std::to_string(n / 2)).append(",")
                        .append(std::to_string(n / 2)).append(") & padding(").append(std::to_string(n * 3 / 4)).append(")");
  return attn::parse_mask(text).value();
}

void lazy(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto expr = four_terms(n);
  for (auto _ : state) {
    const auto report = attn::report_mask(BoundMask::make(expr, {1, 1, n, n}).value());
    benchmark::DoNotOptimize(report.value().empty_rows);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void dense(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<std::vector<std::uint8_t>> masks;
  for (const BoundMask& sheet : BoundMask::make(four_terms(n), {1, 1, n, n}).value().sheets()) {
    auto& bytes = masks.emplace_back(n * n);
    attn::Intervals row;
    for (std::size_t q = 0; q < n; ++q) {
      sheet.row(0, 0, q, row);
      for (const auto& interval : row) std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(q * n + interval.begin), bytes.begin() + static_cast<std::ptrdiff_t>(q * n + interval.end), std::uint8_t{1});
    }
  }
  std::vector<std::uint8_t> all(n * n);
  for (auto _ : state) {
    std::size_t empty = 0, allowed = 0;
    for (std::size_t q = 0; q < n; ++q) {
      std::uint32_t in_row = 0;
      for (std::size_t cell = q * n; cell < (q + 1) * n; ++cell) {
        all[cell] = masks[0][cell] & masks[1][cell] & masks[2][cell] & masks[3][cell];
        in_row += all[cell];
      }
      allowed += in_row;
      empty += in_row == 0;
    }
    benchmark::DoNotOptimize(allowed);
    benchmark::DoNotOptimize(empty);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(lazy)->Arg(64)->Arg(1024)->Arg(16384)->Unit(benchmark::kMicrosecond);
BENCHMARK(dense)->Arg(64)->Arg(1024)->Arg(16384)->Unit(benchmark::kMicrosecond);

}  // namespace

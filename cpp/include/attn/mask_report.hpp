// What a mask tells before any score is known: the rows that are left without a key and why, how dense it is, which term is the
// one that excludes, whether every query keeps its own key, whether one prefix length a query could say the same, and what each
// representation costs. Everything comes from the rows' intervals; queries x keys is never written out.
// Source: Dive into Deep Learning, section 10.2.2.3, exercises 6 (empty rows, the diagonal) and 7 (prefix lengths, memory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attn/mask_expr.hpp"

namespace attn {

/// Queries first..last of one sequence and head, all empty for the same reason.
struct EmptyRun {
  std::uint32_t batch;
  std::uint32_t head;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t reason;  ///< index into MaskReport::reasons
  bool operator==(const EmptyRun&) const = default;
};

/// Why rows are empty: sheets are the operands of the top-level AND, by index.
struct EmptyReason {
  std::vector<std::size_t> smallest;  ///< the first smallest set of sheets whose AND is empty in these rows
  std::vector<std::size_t> involved;  ///< every sheet that is in a set of that size
  std::string text;                   ///< the smallest set as an expression, "window(2) & padding(3)"
};

/// One sheet: a term of the top-level AND.
struct SheetReport {
  std::string text;
  std::uint64_t allowed_cells;
  std::uint64_t sole_cells;  ///< cells that this sheet alone excludes
  std::uint64_t sole_rows;   ///< rows with such a cell
  std::vector<EmptyRun> sole_runs;  ///< those rows, as runs (`reason` is 0); on the mask's own batch and heads axes
  std::optional<bool> keeps_self;   ///< every query may attend to the key at its own index; nothing when there are more queries than keys
};

/// Bytes of each representation of the mask, on its own batch and heads axes.
struct MaskBytes {
  std::optional<std::uint64_t> lengths;  ///< 32-bit lengths, one a sequence where that is enough, else one a query; nothing when prefixes cannot say it
  std::uint64_t boolean = 0;             ///< a byte a cell
  std::uint64_t bits = 0;                ///< a bit a cell, rows padded to bytes
  std::uint64_t additive_float32 = 0;
  std::uint64_t additive_float16 = 0;
};

struct MaskReport {
  MaskSizes sizes;
  MaskSizes own;               ///< runs and lists speak of these batch and heads axes; counts are of the whole (batch, heads)
  std::uint64_t rows = 0;
  std::uint64_t cells = 0;
  std::uint64_t allowed_cells = 0;
  std::uint64_t empty_rows = 0;
  std::uint64_t intervals = 0;  ///< runs of keys in all own rows together
  std::vector<EmptyRun> empty_runs;
  std::vector<EmptyReason> reasons;
  std::vector<SheetReport> sheets;
  std::optional<bool> keeps_self;
  std::optional<EmptyRow> loses_self;  ///< first query that may not attend to itself (batch, query)
  bool prefix = false;                 ///< every row is its first keys: one prefix length a query can express the mask
  std::optional<EmptyRow> not_prefix;  ///< first row that is not a prefix
  MaskBytes bytes;
};

/// Error: too_large (more than 2^26 rows times sheets to look at).
[[nodiscard]] Result<MaskReport> report_mask(const BoundMask& mask);

/// The report in sentences, a line each; queries, keys and sequences count from 0.
[[nodiscard]] std::string report_text(const MaskReport& report);

/// The report as JSON.
[[nodiscard]] std::string report_json(const MaskReport& report);

}  // namespace attn

// Declared series as a table of literals. Built in one loop, because forty strings and vectors written out are much code in a module
// that pages download.
#pragma once

#include <span>
#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

struct SeriesRow {
  const char* name;
  const char* label;
  const char* axes = "";  ///< with commas; none for a single value
  const char* unit = "";
  bool words = false;
};

[[nodiscard]] std::vector<SeriesInfo> series_table(std::span<const SeriesRow> rows);

}  // namespace attn::studies

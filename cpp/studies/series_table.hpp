// Declared series as a table of literals. Built in one loop, because forty strings and vectors written out are much code in a module
// that pages download.
#pragma once

#include <span>
#include <string_view>
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

[[nodiscard]] inline std::vector<SeriesInfo> series_table(std::span<const SeriesRow> rows) {
  std::vector<SeriesInfo> all;
  for (const SeriesRow& row : rows) {
    SeriesInfo& info = all.emplace_back(SeriesInfo{row.name, row.label, row.unit, {}, row.words});
    std::string_view axes = row.axes;
    while (!axes.empty()) {
      const std::size_t end = axes.find(',');
      info.axes.emplace_back(axes.substr(0, end));
      axes = end == axes.npos ? std::string_view() : axes.substr(end + 1);
    }
  }
  return all;
}

}  // namespace attn::studies

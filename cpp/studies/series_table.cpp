// Rows of literals to declared series. See series_table.hpp.
#include "series_table.hpp"

#include <string_view>

namespace attn::studies {

std::vector<SeriesInfo> series_table(std::span<const SeriesRow> rows) {
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

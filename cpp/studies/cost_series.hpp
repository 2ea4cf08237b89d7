// What the study of cost returns: names, labels, units and axes of its series. Data alone; the values come from cost.cpp.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<SeriesInfo> cost_series();

}  // namespace attn::studies

// What the study of additive scoring returns: names, labels and axes of its series. Data alone; the values come from additive.cpp.
#pragma once

#include <vector>

#include "attn/study.hpp"

namespace attn::studies {

[[nodiscard]] std::vector<SeriesInfo> additive_series();

}  // namespace attn::studies

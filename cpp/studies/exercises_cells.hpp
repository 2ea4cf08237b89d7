// Masks as answers: the cells of an expression for exercises 6 and 7, row-major, 1 where the query may attend to the key.
#pragma once

#include <string_view>

#include "attn/mask_report.hpp"
#include "exercises.hpp"

namespace attn::studies {

/// The expression on one sequence, or on `batch`.
[[nodiscard]] BoundMask bound(std::string_view expression, std::size_t queries, std::size_t keys, std::size_t batch = 1);

[[nodiscard]] Answer cells_answer(std::string_view expression, std::size_t queries, std::size_t keys);

/// Rows and columns exchanged.
[[nodiscard]] Answer transposed(const Answer& square);

/// 1 for each query that keeps no key.
[[nodiscard]] Answer empty_queries(std::string_view expression, std::size_t size);

[[nodiscard]] MaskReport report_of(std::string_view expression, std::size_t size, std::size_t batch = 1);

}  // namespace attn::studies

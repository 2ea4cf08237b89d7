// Masks as answers. See exercises_cells.hpp.
#include "exercises_cells.hpp"

namespace attn::studies {

BoundMask bound(std::string_view expression, std::size_t queries, std::size_t keys, std::size_t batch) {
  return BoundMask::make(parse_mask(expression).value(), {batch, 1, queries, keys}).value();
}

Answer cells_answer(std::string_view expression, std::size_t queries, std::size_t keys) {
  const BoundMask mask = bound(expression, queries, keys);
  Answer answer;
  for (std::size_t q = 0; q < queries; ++q) {
    for (std::size_t k = 0; k < keys; ++k) answer.push_back(mask.allows(0, 0, q, k) ? 1 : 0);
  }
  return answer;
}

Answer transposed(const Answer& square) {
  std::size_t side = 0;
  while (side * side < square.size()) ++side;
  Answer out;
  for (std::size_t i = 0; i < square.size(); ++i) out.push_back(square[i % side * side + i / side]);
  return out;
}

Answer empty_queries(std::string_view expression, std::size_t size) {
  const BoundMask mask = bound(expression, size, size);
  Answer answer;
  Intervals row;
  for (std::size_t q = 0; q < size; ++q) {
    mask.row(0, 0, q, row);
    answer.push_back(row.empty() ? 1 : 0);
  }
  return answer;
}

MaskReport report_of(std::string_view expression, std::size_t size, std::size_t batch) {
  return report_mask(bound(expression, size, size, batch)).value();
}

}  // namespace attn::studies

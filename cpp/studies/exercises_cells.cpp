// Masks as answers. See exercises_cells.hpp.
#include "exercises_cells.hpp"

namespace attn::studies {

MaskExpr term(MaskKind kind, std::initializer_list<double> arguments) {
  std::vector<std::vector<double>> rows;
  if (arguments.size() > 0) rows.emplace_back(arguments);
  return MaskExpr::term(kind, std::move(rows)).value();
}

MaskExpr query_padding(std::initializer_list<double> lengths) {
  const std::vector<double> values = lengths;
  const std::array<std::size_t, 2> shape{1, values.size()};
  return MaskExpr::padding(ValidLens::make(values, shape).value());
}

BoundMask bound(MaskExpr expression, std::size_t queries, std::size_t keys, std::size_t batch) {
  return BoundMask::make(std::move(expression), {batch, 1, queries, keys}).value();
}

Answer cells_answer(MaskExpr expression, std::size_t queries, std::size_t keys) {
  const BoundMask mask = bound(std::move(expression), queries, keys);
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

Answer empty_queries(MaskExpr expression, std::size_t size) {
  const BoundMask mask = bound(std::move(expression), size, size);
  Answer answer;
  Intervals row;
  for (std::size_t q = 0; q < size; ++q) {
    mask.row(0, 0, q, row);
    answer.push_back(row.empty() ? 1 : 0);
  }
  return answer;
}

bool keeps_self(MaskExpr expression, std::size_t size) {
  const BoundMask mask = bound(std::move(expression), size, size);
  for (std::size_t q = 0; q < size; ++q) {
    if (!mask.allows(0, 0, q, q)) return false;
  }
  return true;
}

std::size_t lengths_needed(MaskExpr expression, std::size_t size, std::size_t batch) {
  const BoundMask mask = bound(std::move(expression), size, size, batch);
  bool alike = true;
  Intervals row, first;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t q = 0; q < size; ++q) {
      mask.row(b, 0, q, row);
      if (row.size() > 1 || (row.size() == 1 && row[0].begin != 0)) return 0;
      if (q == 0) first = row;
      alike = alike && row == first;
    }
  }
  return batch * (alike ? 1 : size);
}

}  // namespace attn::studies

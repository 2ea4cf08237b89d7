// Masks as answers: the cells of an expression for exercises 6 and 7, row-major, 1 where the query may attend to the key. Expressions
// are put together from terms here, not read from text: the module that pages download for exercises goes without the reader.
#pragma once

#include <initializer_list>

#include "attn/mask_expr.hpp"
#include "exercises.hpp"

namespace attn::studies {

/// A term with one row of arguments, as in padding(3).
[[nodiscard]] MaskExpr term(MaskKind kind, std::initializer_list<double> arguments = {});
/// One length a query, for a single sequence.
[[nodiscard]] MaskExpr query_padding(std::initializer_list<double> lengths);

/// The expression on one sequence, or on `batch`.
[[nodiscard]] BoundMask bound(MaskExpr expression, std::size_t queries, std::size_t keys, std::size_t batch = 1);

/// The part that asks for a mask cell by cell, in one way of speaking.
[[nodiscard]] constexpr Part mask_cells(Part part, std::size_t queries, std::size_t keys) {
  part.kind = AnswerKind::matrix;
  part.rows = queries;
  part.columns = keys;
  part.cells = true;
  part.row_name = "query";
  part.column_name = "key";
  part.one = "may see";
  part.zero = "may not see";
  return part;
}

[[nodiscard]] Answer cells_answer(MaskExpr expression, std::size_t queries, std::size_t keys);

/// Rows and columns exchanged.
[[nodiscard]] Answer transposed(const Answer& square);

/// 1 for each query that keeps no key.
[[nodiscard]] Answer empty_queries(MaskExpr expression, std::size_t size);

/// Whether every query may attend to its own key.
[[nodiscard]] bool keeps_self(MaskExpr expression, std::size_t size);

/// How many lengths say the same as the mask: one a sequence where its rows are alike, else one a query; 0 where a row is not a prefix.
[[nodiscard]] std::size_t lengths_needed(MaskExpr expression, std::size_t size, std::size_t batch = 1);

}  // namespace attn::studies

// Random mask expressions that fit given sizes: every kind of term with arguments from ordinary to extreme, in random nestings.
#pragma once

#include <string>
#include <vector>

#include "attn/mask_expr.hpp"
#include "support.hpp"

namespace support {

inline std::vector<double> whole_numbers(Bits& bits, std::size_t count, std::size_t below) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(bits.below(below)));
  return numbers;
}

inline std::vector<double> lengths_that_sum_to(Bits& bits, std::size_t keys) {
  std::vector<double> lengths;
  while (keys > 0) {
    const std::size_t length = 1 + bits.below(keys);
    lengths.push_back(static_cast<double>(length));
    keys -= length;
  }
  return lengths;
}

/// A term; `sizes` with at least one key and one query.
inline attn::MaskExpr random_term(Bits& bits, const attn::MaskSizes& sizes) {
  using attn::Alignment, attn::MaskExpr, attn::MaskKind;
  const auto [batch, heads, queries, keys] = sizes;
  const auto alignment = bits.below(2) == 0 ? Alignment::top_left : Alignment::bottom_right;
  // Arguments now and then far beyond the sizes.
  const auto extent = [&] { return static_cast<double>(bits.below(8) == 0 ? 2147483647 : 1 + bits.below(keys + 3)); };
  const std::size_t sequences = bits.below(2) == 0 ? 1 : batch;
  const auto per_sequence = [&](auto make) {
    std::vector<std::vector<double>> rows;
    for (std::size_t b = 0; b < sequences; ++b) rows.push_back(make());
    return rows;
  };
  const auto made = [](attn::Result<MaskExpr> term) { return std::move(term).value(); };
  while (true) {
    switch (bits.below(13)) {
      case 0: return MaskExpr::all();
      case 1: return MaskExpr::none();
      case 2: return MaskExpr::causal(alignment);
      case 3: return made(MaskExpr::window(extent(), alignment));
      case 4: return made(MaskExpr::term(MaskKind::window, {{extent() - 1, extent() - 1}}, alignment));
      case 5: {
        if (bits.below(2) == 0) return made(MaskExpr::term(MaskKind::padding, {whole_numbers(bits, sequences, keys + 1)}));
        auto rows = per_sequence([&] { return whole_numbers(bits, queries, keys + 1); });
        if (rows.size() == 1) rows.emplace_back();
        return made(MaskExpr::term(MaskKind::padding, rows));
      }
      case 6: return made(MaskExpr::term(MaskKind::left_padding, {whole_numbers(bits, sequences, keys + 1)}));
      case 7:
        if (queries > keys) continue;
        return made(MaskExpr::term(MaskKind::documents, per_sequence([&] { return lengths_that_sum_to(bits, keys); }), alignment));
      case 8:
        if (queries > keys) continue;
        return made(MaskExpr::term(MaskKind::document_ids, per_sequence([&] { return whole_numbers(bits, keys, 4); }), alignment));
      case 9: return made(MaskExpr::term(MaskKind::prefix, {whole_numbers(bits, sequences, keys + 1)}, alignment));
      case 10: return made(MaskExpr::term(MaskKind::chunks, {{extent()}}, alignment));
      case 11: {
        std::vector<double> positions;
        for (std::size_t p = 0; p < keys; ++p) {
          if (bits.below(4) == 0) positions.push_back(static_cast<double>(p));
        }
        if (positions.empty()) positions.push_back(static_cast<double>(keys - 1));
        return made(MaskExpr::term(MaskKind::global, {positions}, alignment));
      }
      default: {
        if (bits.below(2) == 0) return made(MaskExpr::term(MaskKind::dilated, {{extent(), extent()}}, alignment));
        auto cells = attn::Mask4::from_shape({sequences, bits.below(2) == 0 ? 1 : heads, bits.below(4) == 0 ? 1 : queries, bits.below(4) == 0 ? 1 : keys});
        for (bool& cell : cells) cell = bits.below(2) == 0;
        return made(MaskExpr::cells(std::move(cells)));
      }
    }
  }
}

inline attn::MaskExpr random_expression(Bits& bits, const attn::MaskSizes& sizes, std::size_t depth = 3) {
  if (depth == 0 || bits.below(4) == 0) return random_term(bits, sizes);
  const std::size_t form = bits.below(5);
  if (form == 0) return ~random_expression(bits, sizes, depth - 1);
  std::vector<attn::MaskExpr> operands;
  for (std::size_t i = 0; i < 2 + bits.below(3); ++i) operands.push_back(random_expression(bits, sizes, depth - 1));
  return form < 4 ? attn::MaskExpr::both(std::move(operands)) : attn::MaskExpr::either(std::move(operands));
}

/// Small and odd sizes, more queries than keys and fewer.
inline attn::MaskSizes random_sizes(Bits& bits) {
  const std::size_t odd[] = {1, 1, 2, 3, 5, 7, 12, 37, 64, 65};
  return {1 + bits.below(3), 1 + bits.below(2), odd[bits.below(10)], odd[bits.below(10)]};
}

/// Rows of 0 and 1, a line each, of one sequence and head, by the row form.
inline std::string picture(const attn::BoundMask& mask, std::size_t batch = 0, std::size_t head = 0) {
  std::string text;
  attn::Intervals row;
  for (std::size_t q = 0; q < mask.sizes().queries; ++q) {
    mask.row(batch, head, q, row);
    std::string line(mask.sizes().keys, '0');
    for (const auto& interval : row) std::fill(line.begin() + static_cast<std::ptrdiff_t>(interval.begin), line.begin() + static_cast<std::ptrdiff_t>(interval.end), '1');
    text += (q > 0 ? " " : "") + line;
  }
  return text;
}

inline std::string picture(const std::string& expression, attn::MaskSizes sizes, std::size_t batch = 0) {
  const auto expr = attn::parse_mask(expression);
  if (!expr) return expr.error().message;
  const auto bound = attn::BoundMask::make(expr.value(), sizes);
  return bound ? picture(bound.value(), batch) : bound.error().message;
}

}  // namespace support

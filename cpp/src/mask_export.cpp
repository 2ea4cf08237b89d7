// Masks as lengths, as additive bias, and in the opposite convention. The lines of code stand in mask_code.cpp.
#include "attn/mask_export.hpp"

#include <algorithm>
#include <limits>

#include "mask_terms.hpp"

namespace attn {

Result<ValidLens> valid_lens_of(const BoundMask& mask) {
  const auto [batch, heads, queries, keys] = mask.own();
  if (heads > 1) return masks::mask_error(ErrorCode::wrong_shape, std::string("has ").append(std::to_string(heads)).append(" heads of their own; lengths are the same for all heads"));
  std::vector<double> lengths;
  Intervals row;
  RowScratch scratch;
  bool per_query = false;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t q = 0; q < queries; ++q) {
      mask.row(b, 0, q, row, scratch);
      if (row.size() > 1 || (row.size() == 1 && row.front().begin != 0)) {
        return masks::mask_error(ErrorCode::wrong_shape, std::string("sequence ").append(std::to_string(b)).append(", query ").append(std::to_string(q))
            .append(" does not see its first keys only, so no length expresses its row"));
      }
      const auto length = static_cast<double>(count(row));
      per_query = per_query || (q > 0 && length != lengths.back());
      lengths.push_back(length);
    }
  }
  if (per_query) return ValidLens::make(lengths, std::array<std::size_t, 2>{batch, queries}, {"lengths", keys});
  std::vector<double> of_sequences;
  for (std::size_t b = 0; b < batch; ++b) of_sequences.push_back(queries == 0 ? static_cast<double>(keys) : lengths[b * queries]);
  return ValidLens::make(of_sequences, std::array<std::size_t, 1>{batch}, {"lengths", keys});
}

Result<Tensor<float, 4>> additive_bias(const BoundMask& mask, Dtype dtype, BiasFill fill) {
  if (dtype == Dtype::float64) return Error{ErrorCode::out_of_range, "dtype", "dtype is float64, whose lowest value no float holds; allowed are float32, float16 and bfloat16"};
  const auto [batch, heads, queries, keys] = mask.own();
  const std::array<std::size_t, 4> shape{batch, heads, queries, keys};
  if (const auto size = checked_elements("bias", shape, sizeof(float)); !size) return size.error();
  const float excluded = fill == BiasFill::lowest ? static_cast<float>(lowest(dtype)) : -std::numeric_limits<float>::infinity();
  Tensor<float, 4> bias = Tensor<float, 4>::from_shape({batch, heads, queries, keys});
  std::fill(bias.begin(), bias.end(), excluded);
  Intervals row;
  RowScratch scratch;
  float* first = bias.data();
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t q = 0; q < queries; ++q, first += keys) {
        mask.row(b, h, q, row, scratch);
        for (const Interval& interval : row) std::fill(first + interval.begin, first + interval.end, 0.0f);
      }
    }
  }
  return bias;
}

Mask4 opposite(const Mask4& mask) {
  Mask4 swapped = mask;
  for (bool& cell : swapped) cell = !cell;
  return swapped;
}

}  // namespace attn

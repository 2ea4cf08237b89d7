// The readable form of one row of attention, in double, with every meaning of the library: what the fast kernels are tested against,
// and what computes the rows that they leave out. Not fast.
//   w_j = softmax of scale * q . k_j over the allowed j; out = sum_j w_j v_j
#pragma once

#include <cstdint>
#include <span>

#include "kernels/fused.hpp"
#include "room.hpp"

namespace attn {

/// The weights of one query.
struct ReferenceRow {
  Room<std::uint32_t> keys;  ///< the allowed ones
  Room<double> weights;      ///< theirs: NaN all where a score is NaN, the limit where one is infinite, 0 where all are -infinity
  double log_normalizer = 0;

  void weigh(const kernels::Head& head, std::size_t query, std::span<const KeySpan> spans);
  /// Writes the query's row of the output.
  void pool(const kernels::Head& head, std::size_t query) const;
  /// Writes the query's row of the weights, zeros where a key is closed.
  void put_weights(float* row, std::size_t keys_in_row) const;
};

/// What of one head is not ordinary, and copies without it: a closed key's value of 0 times NaN must not be seen.
struct OddRows {
  Room<std::uint8_t> queries, keys;
  bool any_query = false, any_key = false;

  /// Marks rows with entries beyond `limit`; where keys or values have some, the head's are replaced by copies with zeros for them,
  /// which this keeps.
  void look(kernels::Head& head, float limit = kernels::ordinary);
  [[nodiscard]] bool any() const noexcept { return any_query || any_key; }
  /// Whether a row is left to the reference.
  [[nodiscard]] bool row(std::size_t query, std::span<const KeySpan> spans) const;

 private:
  Room<float> key_copy_, value_copy_;
};

}  // namespace attn

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

  /// `nan`: a score is known to be NaN, and none is computed.
  void weigh(const kernels::Head& head, std::size_t query, std::span<const KeySpan> spans, bool nan = false);
  /// Writes the query's row of the output.
  void pool(const kernels::Head& head, std::size_t query) const;
  /// Writes the query's row of the weights, zeros where a key is closed.
  void put_weights(float* row, std::size_t keys_in_row) const;
};

/// What of one head is not ordinary, and copies without it: a closed key's value of 0 times NaN must not be seen.
class OddRows {
 public:
  /// What a row is computed by: the kernel; the reference; or nothing at all, for a score of it is NaN.
  enum class Kind { ordinary, strange, not_a_number };

  /// Marks rows of queries and keys with entries beyond `limit`, of values beyond `of_values`; where keys or values have some, the head's are
  /// replaced by copies with zeros for them, which this keeps. Of the keys only those `seen` are looked at; no query may see others.
  void look(kernels::Head& head, float limit, float of_values, KeySpan seen);
  /// Marks more queries: rows of their own operands beyond `limit`, and one by itself.
  void look_at_queries(const float* rows, std::size_t count, std::size_t width, float limit);
  void add_query(std::size_t query);

  [[nodiscard]] bool any() const noexcept { return any_query_ || any_key_; }
  [[nodiscard]] Kind row(std::size_t query, std::span<const KeySpan> spans) const;

 private:
  Room<std::uint8_t> queries_, keys_;
  Room<std::uint32_t> strange_before_, nan_before_;  ///< of keys, how many before each
  Room<float> key_copy_, value_copy_;
  bool any_query_ = false, any_key_ = false;
};

}  // namespace attn

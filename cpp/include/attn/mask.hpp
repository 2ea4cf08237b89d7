// Masks: which query may attend to which key. true means "may attend"; the shape is (batch, queries, keys)
// and any axis may be 1, standing for all. Requirements compose by logical AND. A padding mask (batch, 1, keys)
// and a causal mask (1, queries, keys) keep those shapes until the AND itself; neither is copied per example.
// Source: Dive into Deep Learning, section 10.2.2.3; Vaswani et al. 2017, section 3.2.3.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attn/error.hpp"
#include "attn/tensor.hpp"

namespace attn {

/// Boolean mask (batch, queries, keys), axes of size 1 broadcast; true: this query may attend to this key.
using Mask = Tensor<bool, 3>;

/// What messages about valid lengths know: the name the caller uses, and the number of keys where it is known already.
struct LensContext {
  std::string name = "valid_lens";
  std::optional<std::size_t> keys = std::nullopt;
};

/// Valid lengths: how many leading keys each sequence, or each query, may attend to.
class ValidLens {
 public:
  /// Checks and keeps lengths.
  /// @param values  row-major lengths; each must be a non-negative integer (doubles so that fractions and NaN
  ///                arriving from outside are seen and refused, not truncated)
  /// @param shape   (batch) for one length a sequence, or (batch, queries) for one a query
  /// @param context name for messages, and the number of keys if it is known; lengths beyond it are then refused at once
  /// Errors: wrong_shape (another number of axes, or values that do not fill the shape), not_an_integer
  /// (fraction, NaN, infinity), out_of_range (negative, or beyond the keys).
  static Result<ValidLens> make(std::span<const double> values, std::span<const std::size_t> shape,
                                LensContext context = {});

  /// One length a sequence; lengths beyond the keys are refused where they are used.
  static Result<ValidLens> per_sequence(std::initializer_list<double> values);

  [[nodiscard]] std::size_t batch() const noexcept { return shape_.front(); }
  [[nodiscard]] bool per_query() const noexcept { return shape_.size() == 2; }
  [[nodiscard]] const std::vector<std::size_t>& shape() const noexcept { return shape_; }
  /// The length that applies to a query of a sequence.
  [[nodiscard]] std::size_t at(std::size_t sequence, std::size_t query) const noexcept {
    return values_[per_query() ? sequence * shape_[1] + query : sequence];
  }

  /// An Error naming the first entry that does not fit scores of shape (batch, queries, keys), or nothing.
  [[nodiscard]] std::optional<Error> check(std::size_t batch, std::size_t queries, std::size_t keys) const;

 private:
  ValidLens() = default;
  std::vector<std::size_t> values_;
  std::vector<std::size_t> shape_;
  std::string name_;
};

/// Padding: key j is allowed when j < length. Shape (batch, 1, keys), or (batch, queries, keys) for lengths a query.
/// Errors: out_of_range (a length beyond `keys`), too_large.
[[nodiscard]] Result<Mask> padding_mask(const ValidLens& valid_lens, std::size_t keys);

/// Causality: query i sees keys 0..i. Shape (1, queries, keys), aligned at the top left when the two differ.
/// Errors: too_large.
[[nodiscard]] Result<Mask> causal_mask(std::size_t queries, std::size_t keys);

/// Logical AND of one or more masks by broadcasting; the result has, on each axis, the one size that is not 1.
/// Errors: wrong_shape (no mask given, or sizes that do not broadcast; the message shows both shapes and the axis), too_large.
[[nodiscard]] Result<Mask> compose_masks(std::span<const Mask> masks);

/// A query without any key it may attend to.
struct EmptyRow {
  std::size_t batch;
  std::size_t query;
  bool operator==(const EmptyRow&) const = default;
};

/// The empty rows of a mask, in order, on the mask's own axes (a batch axis of 1 reports batch 0).
[[nodiscard]] std::vector<EmptyRow> empty_rows(const Mask& mask);

/// Nothing when `mask` broadcasts to (batch, queries, keys), otherwise an Error with both shapes and the axis.
[[nodiscard]] std::optional<Error> check_broadcast(const Mask& mask, std::size_t batch, std::size_t queries,
                                                   std::size_t keys);

}  // namespace attn

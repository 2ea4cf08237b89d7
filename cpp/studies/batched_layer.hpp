// One attention layer of the batched study: its sizes, its inputs (drawn, or as the reader wrote them) and what stands at each
// stage from the products to the output. Not the repeated draws of dropout (batched_dropout.hpp).
//   output = dropout(masked_softmax(Q K^T / sqrt(d))) V
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "attn/mask.hpp"
#include "attn/study.hpp"
#include "attn/tensor.hpp"

namespace attn::studies::batched_layer {

struct Sizes {
  std::size_t batch, queries, keys, d, width;
};

/// What is asked, read from the parameters; the entries are those of the draw wherever the text is empty.
struct Setting {
  Sizes sizes{};
  bool torch = false;
  std::uint64_t seed = 0;
  std::uint32_t dropout_seed = 0;
  double rate = 0;  ///< as asked; `active` says whether it does anything
  bool training = false;
  bool identity = false;  ///< every example's values are the identity matrix, so the width is the number of keys
  std::optional<ValidLens> lens;
  /// The rate that is at work.
  [[nodiscard]] double active() const { return training ? rate : 0; }
};

/// Sizes alone, with the width that the values have.
[[nodiscard]] Sizes sizes_of(const Params& params);
/// The whole setting. Errors: those of lens_of.
[[nodiscard]] Result<Setting> setting_of(const Params& params);

struct Inputs {
  Tensor<double, 3> queries, keys, values;
};

/// The section's own inputs at these sizes: JAX from key(seed), key(seed + 1) and key(seed + 2), PyTorch one stream; float32
/// numbers, widened. Identity matrices as values where they are asked for.
[[nodiscard]] Inputs drawn_inputs(const Setting& setting);

/// One of the three tables of entries: its parameter, and the rows and columns it must have.
struct Table {
  const char* param;
  std::size_t rows, columns;
  bool used;  ///< false for values that are identity matrices
};
[[nodiscard]] std::vector<Table> tables_of(const Sizes& sizes, bool identity);

/// A table as it stands in valid parameters; without values where the text is empty.
[[nodiscard]] NumbersText entries_of(const Params& params, const char* param);

/// The drawn inputs, overwritten by the tables that are not empty. The tables have been checked.
[[nodiscard]] Inputs inputs_of(const Params& params, const Setting& setting);

/// What stands where, in the order of the computation.
struct Layer {
  Tensor<double, 3> products;  ///< Q K^T (batch, queries, keys)
  Tensor<double, 3> scaled;    ///< divided by sqrt(d)
  Tensor<double, 3> allowed;   ///< 1 or 0
  Tensor<double, 3> weights;   ///< before dropout
  Tensor<double, 3> kept;      ///< tosses, 1 or 0; all 1 where dropout does nothing
  Tensor<double, 3> pooled;    ///< weights after dropout
  Tensor<double, 3> output;    ///< (batch, queries, width)
  Tensor<double, 3> plain;     ///< the output as a plain matrix product makes it, where 0 times NaN is NaN
};

/// The first call of dropout is the one shown: call 0 of flax's Dropout, or PyTorch's first tosses after manual_seed.
[[nodiscard]] Result<Layer> layer_of(const Setting& setting, const Inputs& inputs);

/// How many entries are NaN or infinite.
[[nodiscard]] double non_finite(const Tensor<double, 3>& tensor);

}  // namespace attn::studies::batched_layer

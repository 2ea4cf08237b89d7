// Masks for other libraries: as lengths, as additive bias, in the opposite convention, and as the few lines of code that make
// the same mask in PyTorch, JAX, Keras or NumPy. Here true always means "may attend"; what means the opposite says so.
// Sources: PyTorch's scaled_dot_product_attention (boolean: true takes part), MultiheadAttention (attn_mask: true is masked)
// and FlexAttention (mask_mod); jax.nn.dot_product_attention (mask: true takes part); keras.layers.MultiHeadAttention
// (attention_mask: true takes part).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "attn/dtype.hpp"
#include "attn/mask_expr.hpp"

namespace attn {

/// Lengths that say the same as the mask: (batch) when all queries of every sequence share theirs, else (batch, queries), on
/// the mask's own batch axis. Error: wrong_shape (a row that is not its first keys, named; or a mask that depends on heads).
[[nodiscard]] Result<ValidLens> valid_lens_of(const BoundMask& mask);

/// What stands at excluded cells of an additive bias: the dtype's lowest finite value, or -infinity.
enum class BiasFill { lowest, infinity };

/// 0 where allowed, the fill elsewhere, (own batch, own heads, queries, keys), every value one of `dtype`.
/// Error: too_large; out_of_range (dtype float64: a float tensor cannot hold its lowest value).
[[nodiscard]] Result<Tensor<float, 4>> additive_bias(const BoundMask& mask, Dtype dtype, BiasFill fill = BiasFill::lowest);

/// The mask in the opposite convention: true means "may not attend".
[[nodiscard]] Mask4 opposite(const Mask4& mask);

/// Whose mask the code makes.
enum class MaskCode { sdpa, mha, flex, jax, keras, numpy };

/// The name users type: "pytorch", "pytorch-mha", "pytorch-flex", "jax", "keras", "numpy".
[[nodiscard]] std::string_view name(MaskCode code) noexcept;
[[nodiscard]] Result<MaskCode> mask_code_named(std::string_view name);

/// Lines that make the same mask as `mask`, (own batch, own heads, queries, keys), and then what the library is handed: for mha
/// `attn_mask`, inverted, (queries, keys) or (batch * heads, queries, keys); for keras `attention_mask`, (own batch, queries, keys),
/// or a remark where heads differ; for flex a function `mask_mod` and its `block_mask`. A comment says which call takes it. Each term
/// is written as the predicate of mask_expr.hpp, broadcast over index arrays.
[[nodiscard]] std::string mask_code(const BoundMask& mask, MaskCode code);

}  // namespace attn

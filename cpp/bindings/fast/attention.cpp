// Fused attention for JavaScript: tensors of (batch, heads, rows, width) where they stand in the module's memory.
#include "bridge.hpp"

namespace attn::bindings {

/// Words: queries 0, keys 4, values 8, output 12, first row and total 16, mask 18, first slice, batch and heads of the mask 24. Numbers left: full, mixed and empty tiles.
ATTN_FAST(attn_attention)
const char* attn_attention(const float* queries, const float* keys, const float* values, float* output, float* log_normalizer) {
  const auto q = tensor_at<const float, 4>(queries, 0);
  const auto k = tensor_at<const float, 4>(keys, 4);
  const FusedRows rows{words()[16], words()[17], words()[24], words()[25], words()[26]};
  const bool some = rows.heads > 0;
  const auto mask = FastMask::read(18, {some ? rows.batch : q.shape[0], some ? rows.heads : q.shape[1], rows.total == 0 ? q.shape[2] : rows.total, k.shape[2]});
  if (!mask) return refused(mask.error());
  return answered(fused_attention_into(q, k, tensor_at<const float, 4>(values, 8), mask.value().view(), rows, tensor_at<float, 4>(output, 12), log_normalizer));
}

}  // namespace attn::bindings

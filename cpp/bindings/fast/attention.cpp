// Fused attention for JavaScript: tensors of (batch, heads, rows, width) where they stand in the module's memory.
#include "calls.hpp"

namespace attn::bindings {

/// Words: queries 0, keys 4, values 8, output 12, first row and total 16, mask 18, first slice, batch and heads of the mask 24. Numbers left: full, mixed and empty tiles.
ATTN_EXPORT(attn_attention)
const char* attn_attention(const float* queries, const float* keys, const float* values, float* output, float* log_normalizer) {
  const auto q = tensor_at<const float, 4>(queries, 0);
  const auto k = tensor_at<const float, 4>(keys, 4);
  const FusedRows rows{words()[16], words()[17], words()[24], words()[25], words()[26]};
  const HostMask mask(18);
  return answered(fused_attention_into(q, k, tensor_at<const float, 4>(values, 8), mask.view(), rows, tensor_at<float, 4>(output, 12), log_normalizer));
}

}  // namespace attn::bindings

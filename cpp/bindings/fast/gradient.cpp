// Fused attention's other two forms for JavaScript: with the weights, and the backward pass. Words as those of attention.cpp.
#include "attn/fused_gradient.hpp"
#include "attn/fused_weights.hpp"
#include "calls.hpp"

namespace attn::bindings {

/// Words: queries 0, keys 4, values 8, output 12, first row and total 16, mask 18, weights 32.
ATTN_EXPORT(attn_attention_weights)
const char* attn_attention_weights(const float* queries, const float* keys, const float* values, float* output, float* weights, float* log_normalizer) {
  const auto q = tensor_at<const float, 4>(queries, 0);
  const auto k = tensor_at<const float, 4>(keys, 4);
  const FusedRows rows{.first = words()[16], .total = words()[17]};
  const HostMask mask(18);
  return answered(fused_weights_into(q, k, tensor_at<const float, 4>(values, 8), mask.view(), rows, tensor_at<float, 4>(output, 12), tensor_at<float, 4>(weights, 32), log_normalizer));
}

/// Words: queries 0, keys 4, values 8, output 12, mask 18, upstream 32, log normaliser 36. The gradients have the shapes of their operands.
ATTN_EXPORT(attn_attention_gradient)
const char* attn_attention_gradient(const float* queries, const float* keys, const float* values, const float* output, const float* log_normalizer, const float* upstream,
                                    float* of_queries, float* of_keys, float* of_values) {
  const auto q = tensor_at<const float, 4>(queries, 0);
  const auto k = tensor_at<const float, 4>(keys, 4);
  const auto v = tensor_at<const float, 4>(values, 8);
  const HostMask mask(18);
  return answered(fused_gradient_into({q, k, v}, {tensor_at<const float, 4>(output, 12), tensor_at<const float, 3>(log_normalizer, 36)}, tensor_at<const float, 4>(upstream, 32),
                                    mask.view(), {{of_queries, q.shape}, {of_keys, k.shape}, {of_values, v.shape}}));
}

}  // namespace attn::bindings

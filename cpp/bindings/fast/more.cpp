// The other fast kernels for JavaScript: masked softmax, batched products, additive scores and entropies of tensors where they stand.
#include "attn/fast_additive.hpp"
#include "attn/fast_entropy.hpp"
#include "attn/fast_product.hpp"
#include "attn/fast_softmax.hpp"
#include "calls.hpp"

namespace attn::bindings {

/// Words: scores (batch, heads, n, m) 0, weights 4, mask 8. Both may be the same memory.
ATTN_EXPORT(attn_softmax)
const char* attn_softmax(const float* scores, float* weights) {
  const auto in = tensor_at<const float, 4>(scores, 0);
  const HostMask mask(8);
  return answered(fast_masked_softmax_into(in, mask.view(), tensor_at<float, 4>(weights, 4)));
}

/// Words: a (batch, n, k) 0, b 3, output (batch, n, m) 6, whether b is transposed 9.
ATTN_EXPORT(attn_matmul)
const char* attn_matmul(const float* a, const float* b, float* output) {
  return answered(fast_batch_matmul_into(tensor_at<const float, 3>(a, 0), tensor_at<const float, 3>(b, 3), words()[9] != 0, tensor_at<float, 3>(output, 6)));
}

/// Words: queries (batch, n, h) 0, keys (batch, m, h) 3, w (h) 6, scores (batch, n, m) 7.
ATTN_EXPORT(attn_additive)
const char* attn_additive(const float* queries, const float* keys, const float* w, float* scores) {
  return answered(fast_additive_scores_into(tensor_at<const float, 3>(queries, 0), tensor_at<const float, 3>(keys, 3), tensor_at<const float, 1>(w, 6), tensor_at<float, 3>(scores, 7)));
}

/// Words: queries (batch, n, d) 0, keys (batch, m, d) 3. batch * n doubles each.
ATTN_EXPORT(attn_entropies)
const char* attn_entropies(const float* queries, const float* keys, double* scaled, double* unscaled) {
  return answered(fast_entropies_into(tensor_at<const float, 3>(queries, 0), tensor_at<const float, 3>(keys, 3), scaled, unscaled));
}

}  // namespace attn::bindings

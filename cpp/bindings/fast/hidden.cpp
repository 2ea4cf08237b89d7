// The hidden layer of additive scoring, written out for JavaScript to time.
#include "attn/fast_hidden.hpp"
#include "calls.hpp"

namespace attn::bindings {

/// Words: queries (n, h) 0, keys (m, h) 2, output (count, m, h) 4, the first query 7.
ATTN_EXPORT(attn_hidden)
const char* attn_hidden(const float* queries, const float* keys, float* output) {
  return answered(fast_additive_hidden_into(tensor_at<const float, 2>(queries, 0), tensor_at<const float, 2>(keys, 2), words()[7], tensor_at<float, 3>(output, 4)));
}

}  // namespace attn::bindings

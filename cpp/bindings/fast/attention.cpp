// Fused attention for JavaScript, its form with the weights, and its backward pass: tensors of (batch, heads, rows, width) where they stand in the module's memory.
// attn-spans has checked each call. Words: plain/calls.hpp, host_mask.hpp. Numbers left: full, mixed and empty tiles.
#include "../plain/calls.hpp"
#include "host_mask.hpp"

namespace attn::bindings {
namespace {

void leave(const FusedTiles& tiles) {
  numbers()[0] = static_cast<double>(tiles.full);
  numbers()[1] = static_cast<double>(tiles.mixed);
  numbers()[2] = static_cast<double>(tiles.empty);
}

}  // namespace

/// `weights` and `log_normalizer` null where they are not wanted.
ATTN_EXPORT(attn_attention)
void attn_attention(const float* queries, const float* keys, const float* values, float* output, float* log_normalizer, float* weights) {
  const HostMask mask;
  calls::Forward call = forward_call(mask.view(), weights != nullptr);
  call.queries.data = queries;
  call.keys.data = keys;
  call.values.data = values;
  call.output.data = output;
  call.log_normalizer = log_normalizer;
  call.weights.data = weights;
  leave(run_forward(call));
}

ATTN_EXPORT(attn_attention_gradient)
void attn_attention_gradient(const float* queries, const float* keys, const float* values, const float* output, const float* log_normalizer, const float* upstream,
                             float* of_queries, float* of_keys, float* of_values) {
  const HostMask mask;
  calls::Gradient call = gradient_call(mask.view());
  call.operands.queries.data = queries;
  call.operands.keys.data = keys;
  call.operands.values.data = values;
  call.forward.output.data = output;
  call.forward.log_normalizer.data = log_normalizer;
  call.upstream.data = upstream;
  call.gradient.queries.data = of_queries;
  call.gradient.keys.data = of_keys;
  call.gradient.values.data = of_values;
  leave(run_gradient(call));
}

}  // namespace attn::bindings

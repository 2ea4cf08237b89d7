// The other fast kernels for JavaScript: masked softmax, batched products, additive scores, their hidden layer written out, and entropies of tensors where they
// stand. attn-spans has checked each call. Words: plain/calls.hpp, host_mask.hpp.
#include "../plain/calls.hpp"
#include "host_mask.hpp"

namespace attn::bindings {

ATTN_EXPORT(attn_softmax)
void attn_softmax(const float* scores, float* weights) {
  const HostMask mask;
  calls::Softmax call = softmax_call(mask.view());
  call.scores.data = scores;
  call.weights.data = weights;
  run_softmax(call);
}

ATTN_EXPORT(attn_matmul)
void attn_matmul(const float* a, const float* b, float* output) {
  calls::Product call = product_call();
  call.a.data = a;
  call.b.data = b;
  call.out.data = output;
  run_product(call);
}

ATTN_EXPORT(attn_additive)
void attn_additive(const float* queries, const float* keys, const float* w, float* scores) {
  calls::AdditiveScores call = additive_call();
  call.queries.data = queries;
  call.keys.data = keys;
  call.w.data = w;
  call.scores.data = scores;
  run_additive(call);
}

/// For JavaScript to time.
ATTN_EXPORT(attn_hidden)
void attn_hidden(const float* queries, const float* keys, float* output) {
  calls::Hidden call = hidden_call();
  call.queries.data = queries;
  call.keys.data = keys;
  call.output.data = output;
  run_hidden(call);
}

/// batch * n doubles each.
ATTN_EXPORT(attn_entropies)
void attn_entropies(const float* queries, const float* keys, double* scaled, double* unscaled) {
  calls::Entropies call = entropies_call();
  call.queries.data = queries;
  call.keys.data = keys;
  call.scaled = scaled;
  call.unscaled = unscaled;
  run_entropies(call);
}

/// A broken-off call leaves nothing here.
void forget_call() {}

}  // namespace attn::bindings

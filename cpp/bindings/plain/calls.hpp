// The calls of the modules for speed, read from their words: attn-fast runs them on tensors in its memory, attn-spans has the same words, checks them before, and
// needs no tensor. Words of an operand: its sizes.
#pragma once

#include "bridge.hpp"
#include "fast_calls.hpp"

namespace attn::bindings {

template <class T, std::size_t N>
void read_shape(View<T, N>& view, std::size_t word) {
  for (std::size_t axis = 0; axis < N; ++axis) view.shape[axis] = words()[word + axis];
}

/// Words: queries 0, keys 4, values 8, output 12, first row and total 16, first slice, batch and heads of the mask 24, weights 32.
inline calls::Forward forward_call(const MaskView& mask, bool with_weights) {
  const std::uint32_t* at = words();
  calls::Forward call;
  read_shape(call.queries, 0);
  read_shape(call.keys, 4);
  read_shape(call.values, 8);
  read_shape(call.output, 12);
  call.rows = {at[16], at[17], at[24], at[25], at[26]};
  call.mask = mask;
  call.with_weights = with_weights;
  read_shape(call.weights, 32);
  return call;
}

/// Words: queries 0, keys 4, values 8, output 12, upstream 32, log normaliser 36. The gradients have the shapes of their operands.
inline calls::Gradient gradient_call(const MaskView& mask) {
  calls::Gradient call;
  read_shape(call.operands.queries, 0);
  read_shape(call.operands.keys, 4);
  read_shape(call.operands.values, 8);
  read_shape(call.forward.output, 12);
  read_shape(call.upstream, 32);
  read_shape(call.forward.log_normalizer, 36);
  call.gradient.queries.shape = call.operands.queries.shape;
  call.gradient.keys.shape = call.operands.keys.shape;
  call.gradient.values.shape = call.operands.values.shape;
  call.mask = mask;
  return call;
}

/// Words: scores (batch, heads, n, m) 0, weights 4. Both may be the same memory.
inline calls::Softmax softmax_call(const MaskView& mask) {
  calls::Softmax call;
  read_shape(call.scores, 0);
  read_shape(call.weights, 4);
  call.mask = mask;
  return call;
}

/// Words: a (batch, n, k) 0, b 3, output (batch, n, m) 6, whether b is transposed 9.
inline calls::Product product_call() {
  calls::Product call;
  read_shape(call.a, 0);
  read_shape(call.b, 3);
  read_shape(call.out, 6);
  call.transpose_b = words()[9] != 0;
  return call;
}

/// Words: queries (batch, n, h) 0, keys (batch, m, h) 3, w (h) 6, scores (batch, n, m) 7.
inline calls::AdditiveScores additive_call() {
  calls::AdditiveScores call;
  read_shape(call.queries, 0);
  read_shape(call.keys, 3);
  read_shape(call.w, 6);
  read_shape(call.scores, 7);
  return call;
}

/// Words: queries (n, h) 0, keys (m, h) 2, output (count, m, h) 4, the first query 7.
inline calls::Hidden hidden_call() {
  calls::Hidden call;
  read_shape(call.queries, 0);
  read_shape(call.keys, 2);
  read_shape(call.output, 4);
  call.first = words()[7];
  return call;
}

/// Words: queries (batch, n, d) 0, keys (batch, m, d) 3.
inline calls::Entropies entropies_call() {
  calls::Entropies call;
  read_shape(call.queries, 0);
  read_shape(call.keys, 3);
  return call;
}

}  // namespace attn::bindings

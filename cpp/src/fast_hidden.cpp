// Shapes and pairs of the hidden layer written out; see attn/fast_hidden.hpp.
#include "attn/fast_hidden.hpp"

#include <array>

#include "attn/text.hpp"
#include "fast_calls.hpp"
#include "fast_shapes.hpp"
#include "kernels/hidden.hpp"

namespace attn {

std::optional<Error> calls::check_hidden(const Hidden& call) {
  const auto& [queries, keys, first, output] = call;
  const auto [n, h] = queries.shape;
  const auto [m, width] = keys.shape;
  const auto [count, columns, units] = output.shape;
  if (width != h) {
    return refusal(ErrorCode::wrong_shape, "keys", "keys: shape (#, #) does not fit queries of shape (#, #); axis 1 (hidden units) must be the same", {m, width, n, h});
  }
  if (columns != m || units != h) {
    return misfit("output", output.shape, std::array{count, m, h});
  }
  if (first > n || count > n - first) {
    return refusal(ErrorCode::out_of_range, "first", "first: # queries from # on; there are #", {count, first, n});
  }
  return std::nullopt;
}

void calls::run_hidden(const Hidden& call) {
  const auto [count, m, h] = call.output.shape;
  if (call.output.size() == 0) return;
  float* out = call.output.data;
  for (std::size_t i = call.first; i < call.first + count; ++i) {
    for (std::size_t j = 0; j < m; ++j, out += h) kernels::hidden_row(call.queries.data + i * h, call.keys.data + j * h, h, out);
  }
}

std::optional<Error> fast_additive_hidden_into(const View<const float, 2>& queries, const View<const float, 2>& keys, std::size_t first, const View<float, 3>& output) {
  const calls::Hidden call{queries, keys, first, output};
  if (auto error = check_hidden(call)) return error;
  run_hidden(call);
  return std::nullopt;
}

}  // namespace attn

// tanh(q + k) of two rows, on the vectors that every build has.
#pragma once

#include <cstddef>

namespace attn::kernels {

/// out_c = tanh(query_c + key_c), c < width.
void hidden_row(const float* query, const float* key, std::size_t width, float* out);

}  // namespace attn::kernels

// The hidden layer of one pair; see attn/fast_hidden.hpp.
#include "hidden.hpp"

#define ATTN_LANES 4
#include "fast_tanh.hpp"

namespace attn::kernels {

void hidden_row(const float* query, const float* key, std::size_t width, float* out) {
  std::size_t c = 0;
  for (; c + lanes <= width; c += lanes) put(out + c, tangent(wide(query + c) + wide(key + c)));
  if (c < width) put_part(out + c, tangent(part(query + c, width - c, 0.0f) + part(key + c, width - c, 0.0f)), width - c);
}

}  // namespace attn::kernels

// The hidden layer of one pair; see attn/fast_hidden.hpp. tanh s = sign(s) (1 - e) / (1 + e), e = e^(-2 |s|), as the sums of fast_additive.hpp.
#include "hidden.hpp"

#define ATTN_LANES 4
#include "fast_exp.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

[[gnu::always_inline]] inline vf tangent(vf s) {
  const vi sign = all(std::int32_t(-0x7FFFFFFF - 1));
  const vf e = exp(bits(bits(s) | sign) * 2.0f);
  const vf size = (1.0f - e) / (1.0f + e);
  const vi number = s == s;
  return bits((bits(size) & number) | (bits(s) & (sign | ~number)));
}

}  // namespace

void hidden_row(const float* query, const float* key, std::size_t width, float* out) {
  std::size_t c = 0;
  for (; c + lanes <= width; c += lanes) put(out + c, tangent(wide(query + c) + wide(key + c)));
  if (c < width) put_part(out + c, tangent(part(query + c, width - c, 0.0f) + part(key + c, width - c, 0.0f)), width - c);
}

}  // namespace attn::kernels

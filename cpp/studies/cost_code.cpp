// The snippet as a text with places for the sizes. See cost_code.hpp.
#include "cost_code.hpp"

#include <array>

#include "attn/text.hpp"

namespace attn::studies {
namespace {

/// $ and a letter stand for a size.
constexpr const char* in_torch = R"(import torch
from torch.utils.benchmark import Timer

n, m, d, v, h = $n, $m, $d, $v, $h
bytes_ends = 4 * (n * d + m * d + m * v + n * v)   # queries, keys, values read, output written
bytes_kept = 4 * 4 * n * m + bytes_ends            # scores and weights, each written and read
operations = 2 * n * m * (d + v)
print('operations a byte, scores kept:', operations / bytes_kept, 'limit', (d + v) / 8)
print('operations a byte, in tiles:', operations / bytes_ends)

# exercise 12.3: four sequences, 512 queries and keys
torch.set_num_threads(1)
def dot(q, k):
    return torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
def additive(q, k, W_q, W_k, w_v):
    hidden = torch.tanh((q @ W_q.T)[:, :, None] + (k @ W_k.T)[:, None])   # (4, 512, 512, h)
    return hidden @ w_v
for width in (64, 256):                            # the hidden layer takes 0.27 and 1.07 GB
    q, k = torch.randn(4, 512, width), torch.randn(4, 512, width)
    W_q, W_k, w_v = torch.randn(width, width), torch.randn(width, width), torch.randn(width)
    for name, call in (('dot', 'dot(q, k)'), ('additive', 'additive(q, k, W_q, W_k, w_v)')):
        t = Timer(call, globals=globals()).blocked_autorange(min_run_time=1)
        print(width, name, 'median', t.median * 1e3, 'ms, quartiles apart by', t.iqr * 1e3)
)";

}  // namespace

std::string cost_code(const Params& params) {
  std::string code;
  for (const char* at = in_torch; *at != '\0'; ++at) {
    if (*at != '$') {
      code.push_back(*at);
      continue;
    }
    const char letter[] = {*++at, '\0'};
    code.append(number_text(params.number(letter)));
  }
  return code;
}

}  // namespace attn::studies

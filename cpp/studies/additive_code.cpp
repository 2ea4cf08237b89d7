// The snippets as texts with places for values. See additive_code.hpp.
#include "additive_code.hpp"

#include <array>

#include "additive_factored.hpp"
#include "attn/text.hpp"
#include "saturation_notebook.hpp"

namespace attn::studies {
namespace {

/// Example, the four factors of exercise 11, and the variance of the factored score, in the order in which this study draws them.
/// $ and a letter stand for a value: s seed, n m q k h sizes, e factor, b activation, r rank, N draws, R ranks.
constexpr const char* in_jax = R"(key_q, key_k, k1, k2, k3 = jax.random.split(jax.random.key($s), 5)
queries = jax.random.normal(key_q, ($n, $q))
keys = jax.random.normal(key_k, ($m, $k))
W_q = jax.random.normal(k1, ($h, $q)) / math.sqrt($q)
W_k = jax.random.normal(k2, ($h, $k)) / math.sqrt($k)
w_v = jax.random.normal(k3, ($h,)) / math.sqrt($h)

def additive_weights(epsilon, bend=jnp.tanh):
    from_queries = queries @ (epsilon * W_q).T
    from_keys = keys @ (epsilon * W_k).T
    hidden = bend(from_queries[:, None] + from_keys)  # ($n, $m, $h)
    return jax.nn.softmax(hidden @ w_v)

print(additive_weights($e$b))
for epsilon in (1, 0.3, 0.1, 0.03):
    w = additive_weights(epsilon)
    print(epsilon, float((w.max(0) - w.min(0)).max()))

# the factored score's variance; given q, the entries of W_q q are normals of variance |q|^2 / d_q
key_q, key_k, k1, k2 = jax.random.split(jax.random.fold_in(jax.random.key($s), 9), 4)
q, k = jax.random.normal(key_q, ($N, $q)), jax.random.normal(key_k, ($N, $k))
u, t = jax.random.normal(k1, ($N, $R)), jax.random.normal(k2, ($N, $R))
spread = lambda x: jnp.sqrt((x ** 2).mean(-1, keepdims=True))
s = (spread(q) * u * spread(k) * t)[:, :$r].sum(-1)
print(float(s.var(ddof=1)), float((s / math.sqrt($r)).var(ddof=1)))
)";
constexpr const char* in_torch = R"(torch.manual_seed($s)
queries = torch.randn($n, $q)
keys = torch.randn($m, $k)
W_q = torch.randn($h, $q) / math.sqrt($q)
W_k = torch.randn($h, $k) / math.sqrt($k)
w_v = torch.randn($h) / math.sqrt($h)

def additive_weights(epsilon, bend=torch.tanh):
    from_queries = queries @ (epsilon * W_q).T
    from_keys = keys @ (epsilon * W_k).T
    hidden = bend(from_queries[:, None] + from_keys)  # ($n, $m, $h)
    return torch.softmax(hidden @ w_v, -1)

print(additive_weights($e$b))
for epsilon in (1, 0.3, 0.1, 0.03):
    w = additive_weights(epsilon)
    print(epsilon, float((w.amax(0) - w.amin(0)).max()))

# the factored score's variance; given q, the entries of W_q q are normals of variance |q|^2 / d_q
torch.manual_seed($s)
q, k = torch.randn($N, $q), torch.randn($N, $k)
u, t = torch.randn($N, $R), torch.randn($N, $R)
spread = lambda x: (x ** 2).mean(-1, keepdim=True).sqrt()
s = (spread(q) * u * spread(k) * t)[:, :$r].sum(-1)
print(float(s.var()), float((s / math.sqrt($r)).var()))
)";

}  // namespace

std::string additive_code(const Params& params) {
  struct Named {
    char letter;
    const char* parameter;
  };
  constexpr std::array<Named, 8> named{{{'s', "seed"}, {'n', "queries"}, {'m', "keys"}, {'q', "d_q"}, {'k', "d_k"}, {'h', "hidden"}, {'e', "epsilon"}, {'r', "rank"}}};
  const bool torch = params.text("generator") == "torch";
  std::string code = imports_code(torch);
  for (const char* at = torch ? in_torch : in_jax; *at != '\0'; ++at) {
    if (*at != '$') {
      code.push_back(*at);
      continue;
    }
    const char letter = *++at;
    for (const Named& each : named) {
      if (each.letter == letter) code.append(number_text(params.number(each.parameter)));
    }
    if (letter == 'N') code.append(std::to_string(additive_factored::repeats));
    if (letter == 'R') code.append(std::to_string(additive_factored::most_ranks));
    if (letter == 'b' && params.text("activation") == "identity") code.append(", lambda x: x");
  }
  return code;
}

}  // namespace attn::studies

// The shared definitions of the snippets. See saturation_notebook.hpp.
#include "saturation_notebook.hpp"

namespace attn::studies {

std::string imports_code(bool torch) {
  return torch ? "import math\nimport torch\n\n" : "import math\nimport jax\nfrom jax import numpy as jnp\n\n";
}

std::string attention_stats_code(bool torch, std::size_t queries, std::size_t keys, std::uint64_t seed, const std::string& unit) {
  const std::string n = std::to_string(queries);
  const std::string m = std::to_string(keys);
  const std::string per_unit = unit == "bits" ? " / math.log(2)" : "";
  std::string code = "def attention_stats(d, scaled):\n";
  if (torch) {
    code.append("    q = torch.randn(").append(n).append(", d)\n");
    code.append("    k = torch.randn(").append(n).append(", ").append(m).append(", d)\n");
  } else {
    code.append("    key_q, key_k = jax.random.split(jax.random.key(").append(std::to_string(seed)).append("))\n");
    code.append("    q = jax.random.normal(key_q, (").append(n).append(", d))\n");
    code.append("    k = jax.random.normal(key_k, (").append(n).append(", ").append(m).append(", d))\n");
  }
  code.append("    a = (k @ q[..., None])[..., 0] / (math.sqrt(d) if scaled else 1)\n");
  code.append(torch ? "    w = torch.softmax(a, -1)\n    entropy = torch.special.entr(w).sum(-1).mean()"
                    : "    w = jax.nn.softmax(a)\n    entropy = jax.scipy.special.entr(w).sum(-1).mean()");
  code.append(per_unit).append("\n");
  code.append("    jacobian = w[..., None] * ").append(torch ? "torch" : "jnp").append(".eye(").append(m).append(") - w[..., None] * w[..., None, :]\n");
  const std::string square = "(jacobian ** 2).sum((-2, -1))";
  code.append("    norm = ").append(torch ? square + ".sqrt().mean()" : "jnp.sqrt(" + square + ").mean()").append("\n");
  code.append("    return float(entropy), float(norm)\n\n");
  return code;
}

}  // namespace attn::studies

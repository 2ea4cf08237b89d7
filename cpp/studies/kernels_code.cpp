// The lines of framework code. See kernels_code.hpp. Draws are float32 as the frameworks make them, and widened to double.
#include "kernels_code.hpp"

namespace attn::studies {
namespace {

using kernels_plane::Move;

/// "1,2;3,4" as "[[1, 2], [3, 4]]"; the arrays name their type.
std::string nested(const std::string& table) {
  std::string text = "[[";
  for (const char c : table) {
    if (c == ';') text.append("], [");
    else if (c == ',') text.append(", ");
    else text.push_back(c);
  }
  return text.append("]]");
}

std::string array(const KernelsSetting& setting, const std::string& list) {
  return std::string(setting.torch ? "torch.tensor(" : "jnp.array(").append(list).append(setting.torch ? ", dtype=torch.float64)" : ", jnp.float64)");
}

std::string points_code(const KernelsSetting& setting) {
  if (setting.own) {
    return std::string("q = ").append(array(setting, nested(setting.query))).append("\nk = ").append(array(setting, nested(setting.keys))).append("\n");
  }
  std::string code;
  if (setting.torch) {
    code.append("torch.manual_seed(").append(std::to_string(setting.seed)).append(")\nqueries = torch.randn(2, 1, 2)\nkeys = torch.randn(2, 10, 2)\n");
  } else {
    const auto draw = [&](const char* name, std::uint64_t seed, const char* shape) {
      code.append(name).append(" = jax.random.normal(jax.random.key(").append(std::to_string(seed)).append("), ").append(shape).append(", jnp.float32)\n");
    };
    draw("queries", setting.seed, "(2, 1, 2)");
    draw("keys", setting.seed + 1, "(2, 10, 2)");
  }
  const char* which = setting.second ? "[1]" : "[0]";
  const char* widened = setting.torch ? ".double()" : ".astype(jnp.float64)";
  return code.append("q, k = queries").append(which).append(widened).append(", keys").append(which).append(widened).append("\n");
}

std::string equal_code(const KernelsSetting& setting) {
  std::string code = setting.torch ? "norms = k.norm(dim=1, keepdim=True)\n" : "norms = jnp.linalg.norm(k, axis=1, keepdims=True)\n";
  code.append(setting.torch ? "common = norms[norms > 0].square().mean().sqrt()\n" : "common = jnp.sqrt((norms[norms > 0] ** 2).mean())\n");
  return code.append("k = ").append(setting.torch ? "torch" : "jnp").append(".where(norms > 0, k * (common / norms), k)  # the origin has no direction\n");
}

std::string move_code(const KernelsSetting& setting) {
  const std::string shift = std::string("c = ").append(array(setting, nested(setting.shift))).append("\n");
  switch (setting.move) {
    case Move::none: return {};
    case Move::keys: return shift + "k = k + c\n";
    case Move::both: return shift + "q, k = q + c, k + c\n";
    case Move::query: return shift + "q = q + c\n";
    case Move::rotate:
      return std::string("t = math.radians(").append(setting.angle).append(")\nR = ").append(array(setting, "[[math.cos(t), -math.sin(t)], [math.sin(t), math.cos(t)]]")).append("\nq, k = q @ R.T, k @ R.T\n");
  }
  return {};
}

}  // namespace

std::string kernels_code(const KernelsSetting& setting) {
  std::string code = setting.torch ? "import math\nimport torch\n\n" : "import math\nimport jax\nfrom jax import numpy as jnp\n\njax.config.update(\"jax_enable_x64\", True)\n";
  code.append(points_code(setting));
  if (setting.equal_norms) code.append(equal_code(setting));
  code.append(move_code(setting));
  code.append("dot = q @ k.T\n");
  code.append("gaussian = dot - (k ** 2).sum(-1) / 2 - (q ** 2).sum(-1, ").append(setting.torch ? "keepdim" : "keepdims").append("=True) / 2\n");
  if (setting.scaled_gaussian) code.append("gaussian = gaussian / math.sqrt(2)\n");
  code.append("scaled = dot / math.sqrt(2)\n");
  const std::string softmax = setting.torch ? "torch.softmax(" : "jax.nn.softmax(";
  return code.append("weights = [").append(softmax).append("scores, -1)[0] for scores in (gaussian, dot, scaled)]\n");
}

}  // namespace attn::studies

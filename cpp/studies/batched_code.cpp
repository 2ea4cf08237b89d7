// Draws first, then what the reader wrote over them, then the layer and the repeated draws of dropout. Lines that only unusual
// input needs (width 0, NaN behind a zero weight, infinite scores) stand there only for such input. See batched_code.hpp.
#include "batched_code.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>

#include "attn/score.hpp"
#include "attn/text.hpp"
#include "batched_layer.hpp"

namespace attn::studies {
namespace {

using namespace batched_layer;

std::string sizes_text(std::size_t a, std::size_t b, std::size_t c) {
  return std::to_string(a).append(", ").append(std::to_string(b)).append(", ").append(std::to_string(c));
}

std::string entry_text(double value) {
  if (std::isnan(value)) return "math.nan";
  if (std::isinf(value)) return value > 0 ? "math.inf" : "-math.inf";
  return number_text(value);
}

/// The lines of one framework; both have the same shape of program.
class Lines {
 public:
  Lines(const Params& params, const Setting& setting) : params_(params), setting_(setting), torch_(setting.torch), xp_(setting.torch ? "torch" : "jnp") {}

  std::string text() {
    code_ = torch_ ? "import math\n\nimport torch\n\n" : "import math\n\nimport jax\nfrom flax import nnx\nfrom jax import numpy as jnp\n\n";
    inputs();
    layer();
    dropout();
    shapes();
    return std::move(code_);
  }

 private:
  void inputs() {
    const auto& [batch, queries, keys, d, width] = setting_.sizes;
    if (torch_) line({"torch.manual_seed(", std::to_string(setting_.seed), ")"});
    draw("queries", sizes_text(batch, queries, d));
    draw("keys", sizes_text(batch, keys, d));
    if (setting_.identity) {
      const std::string n = std::to_string(keys);
      if (torch_) line({"values = torch.eye(", n, ").expand(", sizes_text(batch, keys, keys), ")"});
      else line({"values = jnp.broadcast_to(jnp.eye(", n, "), (", sizes_text(batch, keys, keys), "))"});
    } else {
      draw("values", sizes_text(batch, keys, width));
    }
    table("queries", "query_entries", batch, queries, d);
    table("keys", "key_entries", batch, keys, d);
    if (!setting_.identity) table("values", "value_entries", batch, keys, width);
  }

  /// JAX's keys are seed, seed + 1 and seed + 2.
  void draw(const char* name, const std::string& shape) {
    if (torch_) line({name, " = torch.randn(", shape, ")"});
    else line({name, " = jax.random.normal(jax.random.key(", std::to_string(setting_.seed + draws_++), "), (", shape, "))"});
  }

  void table(const char* name, const char* param, std::size_t batch, std::size_t rows, std::size_t columns) {
    const NumbersText entries = entries_of(params_, param);
    if (entries.values.empty()) return;
    std::string values;
    for (std::size_t i = 0; i < entries.values.size(); ++i) values.append(i > 0 ? ", " : "").append(entry_text(entries.values[i]));
    line({name, " = ", xp_, torch_ ? ".tensor([" : ".array([", values, "], dtype=", xp_, ".float32).reshape(", sizes_text(batch, rows, columns), ")"});
  }

  void layer() {
    const Inputs inputs = inputs_of(params_, setting_);
    const auto scored = scores(ScaledDot{}, inputs.queries, inputs.keys);
    bool high = false, low = false;
    for (const double score : scored.value()) {
      high = high || score == std::numeric_limits<double>::infinity();
      low = low || score == -std::numeric_limits<double>::infinity();
    }
    line({""});
    const std::string product = torch_ ? "queries @ keys.transpose(1, 2)" : "queries @ keys.swapaxes(1, 2)";
    if (setting_.sizes.d == 0) line({"scores = ", product, "  # all 0, and no width to divide by"});
    else line({"scores = ", product, " / math.sqrt(", std::to_string(setting_.sizes.d), ")"});
    line({"mask = ", xp_, torch_ ? ".ones_like(scores, dtype=torch.bool)" : ".ones_like(scores, dtype=bool)"});
    if (setting_.lens) lens();
    if (low) line({"mask &= scores != -math.inf  # no share of any weight"});
    const std::string where = std::string(xp_).append(".where");
    line({"scores = ", where, "(mask, scores, ", xp_, ".finfo(scores.dtype).min)"});
    if (high) {
      const std::string top = std::string(torch_ ? "scores.amax(-1, keepdim=True)" : "scores.max(-1, keepdims=True)");
      line({"scores = ", where, "(", top, " == math.inf, ", where, "(scores == math.inf, 0.0, -math.inf), scores)  # the limit"});
    }
    line({"weights = ", torch_ ? "torch.softmax" : "jax.nn.softmax", "(scores, -1)"});
    line({"weights = ", where, "(mask, weights, 0.0)  # also in rows without a key"});
    finite_values_ = non_finite(inputs.values) == 0;
    finite_scores_ = non_finite(scored.value()) == 0;
  }

  void lens() {
    const std::size_t queries = setting_.sizes.queries;
    const bool per_query = setting_.lens->per_query();
    std::string values;
    for (std::size_t b = 0; b < setting_.lens->batch(); ++b) {
      values.append(b > 0 ? ", " : "").append(per_query ? "[" : "");
      for (std::size_t q = 0; q < (per_query ? queries : 1); ++q) values.append(q > 0 ? ", " : "").append(std::to_string(setting_.lens->at(b, q)));
      values.append(per_query ? "]" : "");
    }
    line({"lens = ", xp_, torch_ ? ".tensor([" : ".array([", values, "])"});
    line({"mask &= ", xp_, ".arange(", std::to_string(setting_.sizes.keys), ") < lens", per_query ? "[..., None]" : "[:, None, None]"});
  }

  void dropout() {
    const std::string rate = number_text(setting_.rate);
    const std::string draws = std::to_string(params_.integer("draws"));
    line({""});
    if (torch_) {
      line({"torch.manual_seed(", std::to_string(setting_.dropout_seed), ")"});
      line({"dropout = torch.nn.Dropout(", rate, ")", setting_.training ? "" : ".eval()"});
    } else {
      line({"dropout = nnx.Dropout(", rate, setting_.training ? "" : ", deterministic=True", ", rngs=nnx.Rngs(dropout=", std::to_string(setting_.dropout_seed), "))"});
    }
    // PyTorch multiplies by its tosses, and a NaN that is dropped stays NaN.
    const std::string toss = !torch_ || finite_scores_ ? "dropout(weights)" : "torch.where(dropout(torch.ones_like(weights)) > 0, weights / (1 - " + number_text(setting_.active()) + "), 0.0)";
    line({"draws = ", xp_, ".stack([", toss, " for _ in range(", draws, ")])"});
    if (finite_values_) line({"output = draws[0] @ values"});
    else line({"output = ", xp_, ".where(draws[0][..., None] == 0, 0.0, draws[0][..., None] * values[:, None]).sum(-2)  # a weight of 0 reads no value"});
    line({"sums = draws.sum(-1)"});
    line({"mean, variance = sums.mean(0), sums.var(0, ", torch_ ? "unbiased=True" : "ddof=1", ")"});
    const double p = setting_.active();
    line({"predicted = ", number_text(p), " / (1 - ", number_text(p), ") * (weights**2).sum(-1)"});
  }

  void shapes() {
    line({""});
    const std::string left = shape_of_factor("left");
    const std::string right = shape_of_factor("right");
    if (torch_) line({"torch.bmm(torch.ones(", left, "), torch.ones(", right, ")).shape"});
    else line({"jax.lax.batch_matmul(jnp.ones((", left, ")), jnp.ones((", right, "))).shape"});
  }

  std::string shape_of_factor(const char* param) const {
    const NumbersText sizes = entries_of(params_, param);
    std::string text;
    for (const double size : sizes.values) text.append(text.empty() ? "" : ", ").append(number_text(size));
    return text;
  }

  /// One function for all lines, so that their text costs no code.
  void line(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) code_.append(part);
    code_.append("\n");
  }

  const Params& params_;
  const Setting& setting_;
  bool torch_;
  const char* xp_;
  std::uint64_t draws_ = 0;
  bool finite_values_ = true;  ///< every value is finite
  bool finite_scores_ = true;  ///< so is every score
  std::string code_;
};

}  // namespace

std::string batched_code(const Params& params) {
  const auto setting = setting_of(params);
  return setting ? Lines(params, setting.value()).text() : std::string();
}

}  // namespace attn::studies

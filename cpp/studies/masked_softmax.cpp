// Masked softmax: a small batch of scores, what padding and causality leave of it, and the weights. Queries and keys fit on
// the page; valid lengths are one a sequence or one a query. Scores are JAX's uniform or normal array of the seed.
// Source: Dive into Deep Learning, sections 10.2.2.1 to 10.2.2.3.
#include "attn/softmax.hpp"

#include <optional>

#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/text.hpp"
#include "masked_softmax_lens.hpp"
#include "masked_softmax_claims.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

struct Sizes {
  std::size_t batch, queries, keys;
};

Sizes sizes_of(const Params& params) { return {params.integer("batch"), params.integer("queries"), params.integer("keys")}; }

Series series_of(std::string name, std::vector<std::size_t> shape, std::string unit = {}) {
  std::size_t elements = 1;
  for (const std::size_t size : shape) elements *= size;
  return {std::move(name), std::move(unit), std::move(shape), std::vector<double>(elements, 0.0)};
}

Result<std::vector<Series>> run_masked_softmax(const Params& params, Workspace&) {
  const auto [batch, queries, keys] = sizes_of(params);
  const auto lens = lens_of(params);
  if (!lens) return lens.error();

  Tensor<float, 3> scores = Tensor<float, 3>::from_shape({batch, queries, keys});
  const std::span<float> entries(scores.data(), scores.size());
  const bool normal = params.text("scores") == "normal";
  if (params.text("generator") == "torch") {
    random::torch::Generator generator(params.integer("seed"));
    normal ? generator.randn(entries) : generator.rand(entries);
  } else {
    const random::Key key = random::jax::key(params.integer("seed"));
    normal ? random::jax::normal(key, 0, entries) : random::jax::uniform(key, 0, entries);
  }

  std::vector<Mask> masks{Mask::from_shape({1, 1, 1})};
  masks.front()(0, 0, 0) = true;  // allows everything; the requirements that are on are laid over it
  if (lens.value()) {
    auto padding = padding_mask(*lens.value(), keys);
    if (!padding) return padding.error();
    masks.push_back(std::move(padding).value());
  }
  if (params.flag("causal")) {
    auto causal = causal_mask(queries, keys);
    if (!causal) return causal.error();
    masks.push_back(std::move(causal).value());
  }
  const auto mask = compose_masks(masks);
  if (!mask) return mask.error();
  const auto weights = attn::masked_softmax(scores, mask.value());
  if (!weights) return weights.error();

  Series score_series = series_of("scores", {batch, queries, keys});
  Series allowed = series_of("allowed", {batch, queries, keys});
  Series weight_series = series_of("weights", {batch, queries, keys});
  Series sums = series_of("row_sums", {batch, queries});
  Series lengths = series_of("valid_lens", {batch, queries}, "keys");
  Series empty = series_of("empty_rows", {batch, queries});
  const auto [mask_batch, mask_queries, mask_keys] = shape_of(mask.value());
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t q = 0; q < queries; ++q) {
      const std::size_t row = b * queries + q;
      lengths.data[row] = static_cast<double>(lens.value() ? lens.value()->at(b, q) : keys);
      bool any = false;
      for (std::size_t k = 0; k < keys; ++k) {
        const std::size_t cell = row * keys + k;
        const bool may = mask.value()(mask_batch == 1 ? 0 : b, mask_queries == 1 ? 0 : q, mask_keys == 1 ? 0 : k);
        any = any || may;
        score_series.data[cell] = static_cast<double>(scores(b, q, k));
        allowed.data[cell] = may ? 1 : 0;
        weight_series.data[cell] = static_cast<double>(weights.value()(b, q, k));
        sums.data[row] += weight_series.data[cell];
      }
      empty.data[row] = any ? 0 : 1;
    }
  }
  std::vector<Series> series;
  for (Series* each : {&score_series, &allowed, &weight_series, &sums, &lengths, &empty}) series.push_back(std::move(*each));
  return series;
}

Given example(double batch, double queries, double keys, std::string lens, bool causal, std::string scores, double seed) {
  return {{"batch", batch},   {"queries", queries},          {"keys", keys}, {"lens", std::move(lens)},
          {"causal", causal}, {"scores", std::move(scores)}, {"seed", seed}, {"generator", std::string("jax")}};
}

/// The scores, the lengths and the mask in a notebook.
std::string code_of(const Params& params) {
  const auto [batch, queries, keys] = sizes_of(params);
  const auto lens = parse_lengths("lens", params.text("lens")).value();
  const bool torch = params.text("generator") == "torch";
  const bool normal = params.text("scores") == "normal";
  const std::string seed = std::to_string(params.integer("seed"));
  const std::string shape = std::to_string(batch) + ", " + std::to_string(queries) + ", " + std::to_string(keys);
  const std::string array = torch ? "torch.tensor" : "jnp.array";
  std::string code = torch ? "import torch\n\ntorch.manual_seed(" + seed + ")\nscores = torch." + (normal ? "randn" : "rand") + "(" + shape + ")\n"
                           : "import jax\nfrom jax import numpy as jnp\n\nscores = jax.random." + std::string(normal ? "normal" : "uniform") +
                                 "(jax.random.key(" + seed + "), (" + shape + "))\n";
  const std::string arange = torch ? "torch.arange(" : "jnp.arange(";
  code.append("keys = ").append(arange).append(std::to_string(keys)).append(")\n");
  std::string mask = torch ? "torch.ones_like(scores, dtype=torch.bool)" : "jnp.ones_like(scores, dtype=bool)";
  if (!lens.shape.empty()) {
    std::string values;
    const bool per_query = lens.shape.size() == 2;
    for (std::size_t i = 0; i < lens.values.size(); ++i) {
      if (per_query && i % queries == 0) values.append(i == 0 ? "[" : "], [");
      if (i > 0 && !(per_query && i % queries == 0)) values.append(", ");
      values.append(number_text(lens.values[i]));
    }
    if (per_query) values.append("]");
    code.append("lens = ").append(array).append("([").append(values).append("])\n");
    mask.append(per_query ? " & (keys < lens[..., None])" : " & (keys < lens[:, None, None])");
  }
  if (params.flag("causal")) mask.append(" & (keys <= ").append(arange).append(std::to_string(queries)).append(")[:, None])");
  code.append("mask = ").append(mask).append("\n");
  const std::string lowest = torch ? "torch.finfo(scores.dtype).min" : "jnp.finfo(scores.dtype).min";
  const std::string where = torch ? "torch.where" : "jnp.where";
  code.append("weights = ").append(torch ? "torch.softmax(" : "jax.nn.softmax(").append(where).append("(mask, scores, ").append(lowest).append("), -1)\n");
  code.append("weights = ").append(where).append("(mask.any(-1, ").append(torch ? "keepdim" : "keepdims").append("=True), weights, 0.0)\n");
  return code;
}

Study declare() {
  Study study;
  study.id = "masked-softmax";
  study.title = "Masked softmax";
  study.summary = "Scores, what padding and causality leave of them, and the softmax over what is left.";
  study.parameters = {
      {.key = "batch", .label = "sequences", .symbol = "", .help = "Sequences in the batch.", .initial = 2.0, .min = 1, .max = 4},
      {.key = "queries", .label = "queries", .symbol = "n", .help = "Queries a sequence.", .initial = 2.0, .min = 1, .max = 12},
      {.key = "keys", .label = "keys", .symbol = "m", .help = "Keys a sequence.", .initial = 4.0, .min = 1, .max = 12},
      {.key = "lens", .label = "valid lengths", .symbol = "", .help = "How many leading keys may be seen, one length a sequence or one a query.",
       .kind = Kind::lengths, .initial = std::string("2,3")},
      {.key = "causal", .label = "causal", .symbol = "", .help = "Query t sees keys 1 to t only.", .kind = Kind::flag, .initial = false},
      {.key = "scores", .label = "scores", .symbol = "", .help = "Distribution of the scores, as jax.random.uniform or normal.",
       .kind = Kind::choice, .initial = std::string("uniform"), .choices = {"uniform", "normal"}},
      {.key = "seed", .label = "seed", .symbol = "", .help = "Seed of the scores.",
       .initial = 0.0, .min = 0, .max = 4294967295.0},
      {.key = "generator", .label = "generator", .symbol = "", .help = "Whose random numbers: jax.random or torch on the CPU.",
       .kind = Kind::choice, .initial = std::string("jax"), .choices = {"jax", "torch"}},
  };
  study.series = {
      {"scores", "scores before masking", "", {"batch", "queries", "keys"}},
      {"allowed", "1 where the query may attend to the key, else 0", "", {"batch", "queries", "keys"}},
      {"weights", "weights of the masked softmax", "", {"batch", "queries", "keys"}},
      {"row_sums", "sum of each row of weights", "", {"batch", "queries"}},
      {"valid_lens", "valid length that applies to each query", "keys", {"batch", "queries"}},
      {"empty_rows", "1 where a query keeps no key, else 0", "", {"batch", "queries"}},
  };
  study.presets = {
      {"per-sequence", "lengths 2 and 3", example(2, 2, 4, "2,3", false, "uniform", 0)},
      {"per-query", "lengths [[1, 3], [2, 4]]", example(2, 2, 4, "1,3;2,4", false, "uniform", 1)},
      {"causal", "causal, six by six", example(1, 6, 6, "", true, "normal", 2)},
      {"composed", "padding 6 and 3 with causal", example(2, 6, 6, "6,3", true, "normal", 0)},
      {"empty", "a sequence of length 0", example(2, 4, 4, "4,0", true, "normal", 0)},
  };
  study.claims = masked_softmax_claims();
  study.check = check_lens;
  study.mend = mend_lens;
  study.run = run_masked_softmax;
  study.code = code_of;
  return study;
}

}  // namespace

const Study& masked_softmax() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

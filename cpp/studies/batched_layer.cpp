// Inputs and stages of one layer, each stage by the core's own function. See batched_layer.hpp.
#include "batched_layer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "attn/dropout.hpp"
#include "attn/matmul.hpp"
#include "attn/pooling.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/score.hpp"
#include "masked_softmax_lens.hpp"

namespace attn::studies::batched_layer {
namespace {

using Batch = Tensor<double, 3>;

Batch identities(std::size_t batch, std::size_t n) {
  Batch out = Batch::from_shape({batch, n, n});
  out.fill(0);
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t i = 0; i < n; ++i) out(b, i, i) = 1;
  }
  return out;
}

void overwrite(const NumbersText& entries, Batch& tensor) {
  if (!entries.values.empty()) std::copy(entries.values.begin(), entries.values.end(), tensor.data());
}

/// The tosses of the first call, over weights of any value.
Result<Batch> first_tosses(const Batch& weights, const Dropout& dropout) {
  Batch ones = Batch::from_shape(weights.shape());
  ones.fill(1);
  auto tossed = apply_dropout(ones, dropout);
  if (!tossed) return tossed.error();
  for (double& toss : tossed.value()) toss = toss > 0 ? 1 : 0;
  return tossed;
}

}  // namespace

Sizes sizes_of(const Params& params) {
  const std::size_t keys = params.integer("keys");
  return {params.integer("batch"), params.integer("queries"), keys, params.integer("d"), params.flag("identity") ? keys : params.integer("width")};
}

Result<Setting> setting_of(const Params& params) {
  auto lens = lens_of(params);
  if (!lens) return lens.error();
  Setting setting;
  setting.sizes = sizes_of(params);
  setting.torch = params.text("generator") == "torch";
  setting.seed = params.integer("seed");
  setting.dropout_seed = static_cast<std::uint32_t>(params.integer("dropout_seed"));
  setting.rate = params.number("dropout");
  setting.training = params.flag("training");
  setting.identity = params.flag("identity");
  setting.lens = std::move(lens).value();
  return setting;
}

Inputs drawn_inputs(const Setting& setting) {
  random::torch::Generator stream(setting.seed);
  std::uint64_t call = 0;
  const Sizes& sizes = setting.sizes;
  const auto draw = [&](std::size_t rows, std::size_t columns) {
    std::vector<float> normals(sizes.batch * rows * columns);
    if (setting.torch) {
      stream.randn(normals);
    } else {
      random::jax::normal(random::jax::key(setting.seed + call++), 0, normals);
    }
    Batch tensor = Batch::from_shape({sizes.batch, rows, columns});
    std::transform(normals.begin(), normals.end(), tensor.data(), [](float value) { return static_cast<double>(value); });
    return tensor;
  };
  Batch q = draw(sizes.queries, sizes.d);
  Batch k = draw(sizes.keys, sizes.d);
  Batch v = setting.identity ? identities(sizes.batch, sizes.keys) : draw(sizes.keys, sizes.width);
  return {std::move(q), std::move(k), std::move(v)};
}

std::vector<Table> tables_of(const Sizes& sizes, bool identity) {
  return {{"query_entries", sizes.batch * sizes.queries, sizes.d, true},
          {"key_entries", sizes.batch * sizes.keys, sizes.d, true},
          {"value_entries", sizes.batch * sizes.keys, sizes.width, !identity}};
}

NumbersText entries_of(const Params& params, const char* param) {
  Parameter any;  // ranges have been checked
  any.key = param;
  any.kind = Kind::numbers;
  any.max = std::numeric_limits<double>::infinity();
  any.min = -any.max;
  any.non_finite = true;
  const auto read = parse_numbers(any, params.text(param));
  return read ? read.value() : NumbersText{};
}

Inputs inputs_of(const Params& params, const Setting& setting) {
  Inputs inputs = drawn_inputs(setting);
  overwrite(entries_of(params, "query_entries"), inputs.queries);
  overwrite(entries_of(params, "key_entries"), inputs.keys);
  if (!setting.identity) overwrite(entries_of(params, "value_entries"), inputs.values);
  return inputs;
}

Result<Layer> layer_of(const Setting& setting, const Inputs& inputs) {
  auto products = scores(Dot{}, inputs.queries, inputs.keys);
  if (!products) return products.error();
  auto scaled = scores(ScaledDot{}, inputs.queries, inputs.keys);
  if (!scaled) return scaled.error();

  const std::size_t queries = setting.sizes.queries;
  const std::size_t keys = setting.sizes.keys;
  Batch allowed = Batch::from_shape({setting.sizes.batch, queries, keys});
  for (std::size_t cell = 0; cell < allowed.size(); ++cell) {
    const std::size_t row = cell / keys;
    allowed.data()[cell] = !setting.lens || cell % keys < setting.lens->at(row / queries, row % queries) ? 1 : 0;
  }

  const Mode mode = setting.training ? Mode::training : Mode::evaluation;
  random::torch::Generator for_tosses(setting.dropout_seed);
  random::torch::Generator for_layer(setting.dropout_seed);
  const auto dropout = [&](random::torch::Generator& generator) {
    return Dropout{setting.rate, setting.torch ? DropoutGenerator{&generator} : DropoutGenerator{flax_dropout_key(setting.dropout_seed, 0)}, mode};
  };
  auto kept = first_tosses(scaled.value(), dropout(for_tosses));
  if (!kept) return kept.error();
  auto layer = dot_product_attention(inputs.queries, inputs.keys, inputs.values, setting.lens ? MaskView(*setting.lens) : MaskView(), dropout(for_layer));
  if (!layer) return layer.error();
  auto plain = batch_matmul(layer.value().pooled_weights, inputs.values);
  if (!plain) return plain.error();
  return Layer{std::move(products).value(),       std::move(scaled).value(),   std::move(allowed), std::move(layer.value().weights),
               std::move(kept).value(),           std::move(layer.value().pooled_weights), std::move(layer.value().output), std::move(plain).value()};
}

double non_finite(const Tensor<double, 3>& tensor) {
  return static_cast<double>(std::count_if(tensor.begin(), tensor.end(), [](double value) { return !std::isfinite(value); }));
}

}  // namespace attn::studies::batched_layer

// The layers, written out. See precision_layers.hpp.
#include "precision_layers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attn/mask_expr.hpp"
#include "attn/math.hpp"
#include "attn/softmax.hpp"

namespace attn::studies::precision_layers {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// causal & document_ids(0,0,0,1) & padding(3): the padding has an id of its own, as packed batches give it.
MaskExpr mask() {
  const auto term = [](MaskKind kind, std::vector<double> arguments) { return MaskExpr::term(kind, {std::move(arguments)}).value(); };
  return MaskExpr::both({MaskExpr::causal(), term(MaskKind::document_ids, {0, 0, 0, 1}), term(MaskKind::padding, {3})});
}

void plain_weights(Weights& scores, const BoundMask& allowed) {
  for (std::size_t q = 0; q < positions; ++q) {
    double most = -infinity;
    for (std::size_t k = 0; k < positions; ++k) {
      if (!allowed.allows(0, 0, q, k)) scores[q][k] = -infinity;
      most = std::max(most, scores[q][k]);
    }
    double sum = 0;
    for (double& score : scores[q]) sum += score = math::exp(score - most);
    for (double& weight : scores[q]) weight /= sum;
  }
}

void core_weights(Weights& scores, const BoundMask& allowed) {
  Tensor<double, 3> rows = Tensor<double, 3>::from_shape({1, positions, positions});
  Mask mask_cells = Mask::from_shape({1, positions, positions});
  for (std::size_t q = 0; q < positions; ++q) {
    for (std::size_t k = 0; k < positions; ++k) {
      rows(0, q, k) = scores[q][k];
      mask_cells(0, q, k) = allowed.allows(0, 0, q, k);
    }
  }
  const auto weights = masked_softmax(rows, mask_cells).value();
  for (std::size_t q = 0; q < positions; ++q) {
    for (std::size_t k = 0; k < positions; ++k) scores[q][k] = weights(0, q, k);
  }
}

}  // namespace

Stages run_layers(bool plain) {
  Stages stages{};
  stages.values[0] = {{{1, 0}, {0, 1}, {1, 1}, {0.5, -0.5}}};
  const BoundMask allowed = BoundMask::make(mask(), {1, 1, positions, positions}).value();
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const Values& in = stages.values[layer];
    Weights& weights = stages.weights[layer];
    for (std::size_t q = 0; q < positions; ++q) {
      for (std::size_t k = 0; k < positions; ++k) weights[q][k] = (in[q][0] * in[k][0] + in[q][1] * in[k][1]) / std::sqrt(static_cast<double>(width));
    }
    plain ? plain_weights(weights, allowed) : core_weights(weights, allowed);
    for (std::size_t q = 0; q < positions; ++q) {
      for (std::size_t c = 0; c < width; ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < positions; ++k) {
          if (plain || allowed.allows(0, 0, q, k)) sum += weights[q][k] * in[k][c];
        }
        stages.values[layer + 1][q][c] = sum;
      }
    }
  }
  return stages;
}

}  // namespace attn::studies::precision_layers

// Rows of the saturation experiment by distribution. See saturation_equivalent.hpp.
#include "saturation_equivalent.hpp"

#include <algorithm>
#include <cmath>

#include "attn/entropy.hpp"
#include "attn/math.hpp"
#include "attn/random/jax.hpp"
#include "attn/softmax.hpp"

namespace attn::studies {

Equivalent::Equivalent(std::size_t d, std::size_t keys, std::size_t queries)
    : d_(d), keys_(keys), queries_(queries), uniforms_(d / 2), normals_(keys), scores_(keys), weights_(keys), rows_(queries) {}

std::span<const EquivalentRow> Equivalent::rows(std::uint64_t seed, bool both) {
  const auto keys = random::jax::split(random::jax::key(seed), 2);
  for (std::size_t i = 0; i < queries_; ++i) {
    random::jax::uniform(keys[0], i * uniforms_.size(), uniforms_);
    random::jax::normal(keys[1], i * keys_, normals_);
    double square = 0;
    for (std::size_t j = 0; j < uniforms_.size();) {
      // Sixteen factors of at least 2^-24 stay far from underflow: one logarithm for all of them.
      const std::size_t end = std::min(j + 16, uniforms_.size());
      double product = 1;
      for (; j < end; ++j) product *= 1.0 - static_cast<double>(uniforms_[j]);
      square -= 2 * math::log(product);
    }
    for (std::size_t f = 0; f < (both ? 2U : 1U); ++f) {
      const double spread = std::sqrt(f == 0 ? square : square / static_cast<double>(d_));
      for (std::size_t j = 0; j < keys_; ++j) scores_[j] = spread * static_cast<double>(normals_[j]);
      softmax_row(scores_, weights_);
      rows_[i].entropy[f] = entropy(std::span<const double>(weights_));
      rows_[i].norm[f] = jacobian_norm(weights_);
      rows_[i].variance[f] = score_variance(scores_);
    }
  }
  return rows_;
}

EquivalentRow Equivalent::means(std::uint64_t seed, bool both) {
  EquivalentRow means;
  for (const EquivalentRow& row : rows(seed, both)) {
    for (std::size_t f = 0; f < 2; ++f) {
      means.entropy[f] += row.entropy[f] / static_cast<double>(queries_);
      means.norm[f] += row.norm[f] / static_cast<double>(queries_);
      means.variance[f] += row.variance[f] / static_cast<double>(queries_);
    }
  }
  return means;
}

}  // namespace attn::studies

// Draws, weights and their dependence on the query. See additive_model.hpp.
//
// What survives near zero (exercise 11.2). Write u = W_q q and t_i = W_k k_i, so the score of key i is
//   sum_j w_j tanh(eps (u_j + t_ij)) = eps sum_j w_j (u_j + t_ij) - eps^3/3 sum_j w_j (u_j + t_ij)^3 + O(eps^5).
// A softmax over keys forgets what is the same for every key, and rows differ only through what is not the same for every
// query. In first order w.u is a constant of the row and w.t_i one of the key: neither makes rows differ. Of the cube
//   u^3 + 3 u^2 t + 3 u t^2 + t^3
// the ends fall for the same two reasons; the two mixed terms stay,
//   c_i(q) = -sum_j w_j (u_j^2 t_ij + u_j t_ij^2),   of size eps^3.
// The weights answer through the Jacobian of the softmax at the weights of eps = 0, which are uniform: (I - 11'/m) / m. So
//   alpha_i(q) - alpha_i(q') = eps^3 / m ((c_i(q) - mean c(q)) - (c_i(q') - mean c(q'))) + O(eps^4),
// where the eps^4 comes from the Jacobian, which w.t_i moves off the uniform weights in first order.
#include "additive_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attn/math.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/softmax.hpp"

namespace attn::studies::additive_model {
namespace {

/// Draws as a tensor, each divided by the root of `width`; in double, as everything after the draw.
template <std::size_t N>
Tensor<double, N> tensor_of(const std::vector<float>& draws, const std::array<std::size_t, N>& shape, std::size_t width) {
  Tensor<double, N> tensor = Tensor<double, N>::from_shape(shape);
  const double root = std::sqrt(static_cast<double>(width));
  for (std::size_t i = 0; i < draws.size(); ++i) tensor.data()[i] = static_cast<double>(draws[i]) / root;
  return tensor;
}

}  // namespace

Example draw(const Sizes& sizes, bool torch, std::uint64_t seed) {
  Example example;
  example.sizes = sizes;
  example.torch = torch;
  const auto [n, m, dq, dk, h] = sizes;
  const std::array<std::size_t, 5> counts{n * dq, m * dk, h * dq, h * dk, h};
  random::torch::Generator generator(seed);
  const auto keys = random::jax::split(random::jax::key(seed), 5);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    example.draws[i].resize(counts[i]);
    if (torch) {
      generator.randn(example.draws[i]);
    } else {
      random::jax::normal(keys[i], 0, example.draws[i]);
    }
  }
  example.queries = tensor_of<3>(example.draws[0], {1, n, dq}, 1);
  example.keys = tensor_of<3>(example.draws[1], {1, m, dk}, 1);
  example.rule.query_map = tensor_of<2>(example.draws[2], {h, dq}, dq);
  example.rule.key_map = tensor_of<2>(example.draws[3], {h, dk}, dk);
  example.rule.score_vector = tensor_of<1>(example.draws[4], {h}, h);
  return example;
}

Additive scaled(const Additive& rule, double epsilon, Activation activation) {
  Additive small = rule;
  small.activation = activation;
  for (double& entry : small.query_map) entry *= epsilon;
  for (double& entry : small.key_map) entry *= epsilon;
  return small;
}

Tensor<double, 3> scores_of(const Example& example, double epsilon, Activation activation) {
  return scores(ScoreRule{scaled(example.rule, epsilon, activation)}, example.queries, example.keys).value();
}

Tensor<double, 3> weights_of(const Example& example, double epsilon, Activation activation) {
  return masked_softmax(scores_of(example, epsilon, activation)).value();
}

double row_difference(const Tensor<double, 3>& weights) {
  const auto [batch, n, m] = shape_of(weights);
  double most = 0;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t i = 0; i < m; ++i) {
      double low = weights(b, 0, i);
      double high = low;
      for (std::size_t q = 1; q < n; ++q) {
        low = std::min(low, weights(b, q, i));
        high = std::max(high, weights(b, q, i));
      }
      most = std::max(most, high - low);
    }
  }
  return most;
}

double leading_coefficient(const Example& example) {
  const auto [n, m, dq, dk, h] = example.sizes;
  Tensor<double, 3> mixed = Tensor<double, 3>::from_shape({1, n, m});
  std::vector<double> u(h);
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t j = 0; j < h; ++j) {
      u[j] = 0;
      for (std::size_t a = 0; a < dq; ++a) u[j] += example.rule.query_map(j, a) * example.queries(0, q, a);
    }
    double mean = 0;
    for (std::size_t i = 0; i < m; ++i) {
      double c = 0;
      for (std::size_t j = 0; j < h; ++j) {
        double t = 0;
        for (std::size_t a = 0; a < dk; ++a) t += example.rule.key_map(j, a) * example.keys(0, i, a);
        c -= example.rule.score_vector(j) * (u[j] * u[j] * t + u[j] * t * t);
      }
      mixed(0, q, i) = c;
      mean += c / static_cast<double>(m);
    }
    for (std::size_t i = 0; i < m; ++i) mixed(0, q, i) = (mixed(0, q, i) - mean) / static_cast<double>(m);
  }
  return row_difference(mixed);
}

const std::vector<double>& epsilons() {
  static const std::vector<double> factors{0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10};
  return factors;
}

double fitted_slope(const std::vector<double>& x, const std::vector<double>& y, double low, double high) {
  double count = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < low || x[i] > high) continue;
    if (!(y[i] > 0)) return std::numeric_limits<double>::quiet_NaN();
    const double a = math::log(x[i]);
    const double b = math::log(y[i]);
    count += 1;
    sum_x += a;
    sum_y += b;
    sum_xx += a * a;
    sum_xy += a * b;
  }
  return (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
}

bool printable(const Example& example) { return example.sizes == Sizes{}; }

std::vector<std::string> printed_weights(const Example& example) {
  const chains::AdditiveDraws draws{example.draws[0], example.draws[1], example.draws[2], example.draws[3], example.draws[4]};
  std::vector<std::string> texts;
  if (example.torch) {
    std::vector<double> weights(chains::additive_queries * chains::additive_keys);
    chains::torch::additive_weights(draws, weights);
    for (const double weight : weights) texts.push_back(chains::torch::text(weight));
  } else {
    std::vector<float> weights(chains::additive_queries * chains::additive_keys);
    chains::jax::additive_weights(draws, weights);
    for (const float weight : weights) texts.push_back(chains::jax::text(weight));
  }
  return texts;
}

}  // namespace attn::studies::additive_model

// See jacobian_rows.hpp.
#include "jacobian_rows.hpp"

#include <algorithm>
#include <cmath>

#include "attn/entropy.hpp"
#include "attn/math.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/softmax.hpp"

namespace attn::studies {
namespace {

struct Dual {
  double value = 0;
  double slope = 0;
};

Dual operator-(Dual x, Dual y) { return {x.value - y.value, x.slope - y.slope}; }
Dual operator+(Dual x, Dual y) { return {x.value + y.value, x.slope + y.slope}; }
Dual operator/(Dual x, Dual y) { return {x.value / y.value, (x.slope * y.value - x.value * y.slope) / (y.value * y.value)}; }
Dual exp(Dual x) {
  const double value = math::exp(x.value);
  return {value, value * x.slope};
}

}  // namespace

double even_norm(double k) { return std::sqrt(k - 1) / k; }

Result<RandomRows> random_rows(bool torch, std::uint64_t seed, std::size_t samples, std::size_t keys, const Workspace& workspace) {
  std::vector<float> normals(samples * keys);
  std::vector<float> uniforms(samples);
  if (torch) {
    random::torch::Generator generator(seed);
    generator.randn(normals);
    generator.rand(uniforms);
  } else {
    const random::Key key = random::jax::key(seed);
    random::jax::normal(key, 0, normals);
    random::jax::uniform(random::jax::fold_in(key, 1), 0, uniforms);
  }
  RandomRows rows;
  std::vector<double> scores(keys);
  std::vector<double> weights(keys);
  const double range = math::log(200.0);
  for (std::size_t i = 0; i < samples; ++i) {
    const double spread = 0.1 * math::exp(range * static_cast<double>(uniforms[i]));
    for (std::size_t k = 0; k < keys; ++k) scores[k] = spread * static_cast<double>(normals[i * keys + k]);
    softmax_row(scores, weights);
    double squares = 0;
    for (const double weight : weights) squares += weight * weight;
    rows.sum_squares.push_back(squares);
    rows.norms.push_back(jacobian_norm(weights));
    if (i % 64 == 63 && !workspace.tell(static_cast<double>(i + 1) / static_cast<double>(samples))) return stopped();
  }
  return rows;
}

std::vector<double> forward_jacobian(std::span<const double> scores) {
  const std::size_t n = scores.size();
  std::vector<double> jacobian(n * n);
  std::vector<Dual> terms(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto score = [&](std::size_t i) { return Dual{scores[i], i == j ? 1.0 : 0.0}; };
    Dual largest = score(0);
    for (std::size_t i = 1; i < n; ++i) {
      if (scores[i] > largest.value) largest = score(i);
    }
    Dual sum;
    for (std::size_t i = 0; i < n; ++i) {
      terms[i] = exp(score(i) - largest);
      sum = sum + terms[i];
    }
    for (std::size_t i = 0; i < n; ++i) jacobian[i * n + j] = (terms[i] / sum).slope;
  }
  return jacobian;
}

std::vector<double> symmetric_eigenvalues(std::vector<double> a, std::size_t n) {
  constexpr int most_sweeps = 30;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double beside = 0;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) beside += a[p * n + q] * a[p * n + q];
    }
    if (beside == 0) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double off = a[p * n + q];
        if (off == 0) continue;
        // the rotation that makes entry (p, q) zero: t = tan of its angle, the smaller root
        const double theta = (a[q * n + q] - a[p * n + p]) / (2 * off);
        const double t = (theta >= 0 ? 1.0 : -1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        for (std::size_t i = 0; i < n; ++i) {
          const double ip = a[i * n + p];
          const double iq = a[i * n + q];
          a[i * n + p] = c * ip - s * iq;
          a[i * n + q] = s * ip + c * iq;
        }
        for (std::size_t i = 0; i < n; ++i) {
          const double pi = a[p * n + i];
          const double qi = a[q * n + i];
          a[p * n + i] = c * pi - s * qi;
          a[q * n + i] = s * pi + c * qi;
        }
        a[p * n + q] = a[q * n + p] = 0;
      }
    }
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(a[i * n + i]);
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace attn::studies

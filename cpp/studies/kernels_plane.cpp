// Points, moves and weights in the plane, and the field of one key's weight. See kernels_plane.hpp.
#include "kernels_plane.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "attn/gradient.hpp"
#include "attn/math.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/softmax.hpp"

namespace attn::studies::kernels_plane {
namespace {

using Batch = Tensor<double, 3>;

constexpr double root_two = 1.4142135623730951;

Batch tensor_of(std::span<const Point> points) {
  Batch tensor = Batch::from_shape({1, points.size(), 2});
  double* to = tensor.data();
  for (const Point& each : points) {
    *to++ = each.x;
    *to++ = each.y;
  }
  return tensor;
}

Point sum(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }

/// Row sums of the field for a rule with scores (x k_x + y k_y - half |k|^2) / c; `half` is 1/2 or 0.
void rule_field(const Points& points, double c, double half, std::size_t key, double extent, double* out) {
  const std::size_t m = points.keys.size();
  // exp_x[j][column], and for the row at hand a factor a key.
  std::vector<double> exp_x(m * side), exp_norm(m), factor(m);
  const double cell = extent / static_cast<double>(side);
  for (std::size_t j = 0; j < m; ++j) {
    const Point k = points.keys[j];
    exp_norm[j] = math::exp(-half * (k.x * k.x + k.y * k.y) / c);
    for (std::size_t column = 0; column < side; ++column) {
      exp_x[j * side + column] = math::exp((static_cast<double>(2 * column + 1) * cell - extent) * k.x / c);
    }
  }
  std::array<double, side> total;
  for (std::size_t row = 0; row < side; ++row, out += side) {
    const double y = extent - static_cast<double>(2 * row + 1) * cell;
    total.fill(0);
    for (std::size_t j = 0; j < m; ++j) {
      factor[j] = math::exp(y * points.keys[j].y / c) * exp_norm[j];
      const double* along = exp_x.data() + j * side;
      for (std::size_t column = 0; column < side; ++column) total[column] += factor[j] * along[column];
    }
    const double* along = exp_x.data() + key * side;
    for (std::size_t column = 0; column < side; ++column) out[column] = factor[key] * along[column] / total[column];
  }
}

}  // namespace

Rules rules_of(bool scaled_gaussian) { return {Gaussian{.scaled = scaled_gaussian}, Dot{}, ScaledDot{}}; }

Points section_points(bool torch, std::uint64_t seed, std::size_t sequence) {
  std::array<float, section_sequences * 2> queries{};
  std::array<float, section_sequences * section_keys * 2> keys{};
  if (torch) {
    random::torch::Generator generator(seed);
    generator.randn(queries);
    generator.randn(keys);
  } else {
    random::jax::normal(random::jax::key(seed), 0, queries);
    random::jax::normal(random::jax::key(seed + 1), 0, keys);
  }
  const auto point = [](const float* at) { return Point{static_cast<double>(at[0]), static_cast<double>(at[1])}; };
  Points points{point(queries.data() + 2 * sequence), {}};
  for (std::size_t j = 0; j < section_keys; ++j) points.keys.push_back(point(keys.data() + 2 * (sequence * section_keys + j)));
  return points;
}

double norm(Point point) { return std::sqrt(product(point, point)); }

double product(Point a, Point b) { return a.x * b.x + a.y * b.y; }

std::vector<bool> undirected_keys(const Points& points) {
  std::vector<bool> undirected;
  for (const Point& key : points.keys) undirected.push_back(product(key, key) == 0);
  return undirected;
}

std::vector<bool> equalise(Points& points) {
  const std::vector<bool> undirected = undirected_keys(points);
  double squares = 0;
  for (const Point& key : points.keys) squares += product(key, key);
  const auto directed = static_cast<double>(std::count(undirected.begin(), undirected.end(), false));
  for (std::size_t j = 0; j < points.keys.size(); ++j) {
    if (undirected[j]) continue;
    Point& key = points.keys[j];
    const double factor = std::sqrt(squares / directed) / norm(key);
    key = {key.x * factor, key.y * factor};
  }
  return undirected;
}

Move move_named(std::string_view name) {
  return name == "keys" ? Move::keys : name == "both" ? Move::both : name == "rotate" ? Move::rotate : name == "query" ? Move::query : Move::none;
}

Moved moved(const Points& points, Move move, Point shift, int degrees) {
  Moved result{points, {}, {}};
  if (move == Move::rotate) {
    const int quarter = ((degrees % 360 + 360) % 360) / 90;
    const auto rest = math::sincos(static_cast<double>((degrees % 90 + 90) % 90) * 0x1.1df46a2529d39p-6);  // pi / 180
    const auto turn = [&](Point& at) {
      at = {rest.cos * at.x - rest.sin * at.y, rest.sin * at.x + rest.cos * at.y};
      for (int i = 0; i < quarter; ++i) at = {0 - at.y, at.x};  // no -0 of a 0
    };
    turn(result.points.query);
    for (Point& key : result.points.keys) turn(key);
    return result;
  }
  if (move == Move::keys || move == Move::both) result.key_bias = shift;
  if (move == Move::query || move == Move::both) result.query_bias = shift;
  result.points.query = sum(points.query, result.query_bias);
  for (Point& key : result.points.keys) key = sum(key, result.key_bias);
  return result;
}

std::vector<double> scores_of(const ScoreRule& rule, const Points& points) {
  const auto found = scores(rule, tensor_of({&points.query, 1}), tensor_of(points.keys));
  const Batch& tensor = found.value();
  return {tensor.begin(), tensor.end()};
}

std::vector<double> weights_of(const ScoreRule& rule, const Points& points) {
  std::vector<double> weights(points.keys.size());
  softmax_row(scores_of(rule, points), weights);
  return weights;
}

std::vector<double> direct_weights(const Points& points) {
  std::vector<double> weights;
  double total = 0;
  for (const Point& key : points.keys) {
    const double x = points.query.x - key.x, y = points.query.y - key.y;
    weights.push_back(math::exp(-(x * x + y * y) / (2 * root_two)));
    total += weights.back();
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

Point bias_gradient(const ScoreRule& rule, const Points& points) {
  const std::size_t m = points.keys.size();
  const std::vector<double> weights = weights_of(rule, points);
  Batch alpha = Batch::from_shape({1, 1, m}), upstream = Batch::from_shape({1, 1, m});
  for (std::size_t j = 0; j < m; ++j) {
    alpha.data()[j] = weights[j];
    upstream.data()[j] = static_cast<double>(j + 1);
  }
  const auto of_scores = masked_softmax_vjp(alpha, upstream);
  const auto found = scores_vjp(rule, tensor_of({&points.query, 1}), tensor_of(points.keys), of_scores.value());
  Point gradient;
  for (std::size_t j = 0; j < m; ++j) gradient = sum(gradient, {found.value().keys.data()[2 * j], found.value().keys.data()[2 * j + 1]});
  return gradient;
}

Comparison compare(const Points& points) {
  Comparison found{weights_of(Gaussian{.scaled = true}, points), weights_of(ScaledDot{}, points), {}, 0};
  for (std::size_t j = 0; j < points.keys.size(); ++j) {
    found.disagreement.push_back(found.gaussian[j] - found.dot[j]);
    if (std::fabs(found.disagreement[j]) > std::fabs(found.disagreement[found.most])) found.most = j;
  }
  return found;
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

double half_width(const Points& before, const Points& after) {
  double furthest = 0;
  const auto reach = [&](Point at) { furthest = std::max({furthest, std::fabs(at.x), std::fabs(at.y)}); };
  for (const Points* points : {&before, &after}) {
    reach(points->query);
    for (const Point& key : points->keys) reach(key);
  }
  for (const double width : {3.0, 4.0, 6.0, 9.0}) {
    if (furthest <= width) return width;
  }
  return 13;
}

void field(const Points& points, bool scaled_gaussian, std::size_t key, double extent, std::span<double> out) {
  rule_field(points, scaled_gaussian ? root_two : 1, 0.5, key, extent, out.data());
  rule_field(points, 1, 0, key, extent, out.data() + side * side);
  rule_field(points, root_two, 0, key, extent, out.data() + 2 * side * side);
}

}  // namespace attn::studies::kernels_plane

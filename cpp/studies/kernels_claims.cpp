// Proofs of the claims of From kernels to dot products: what holds for all points is tried on many random ones, ten keys a draw as
// in the section; what the sentence says of the section's examples is read off them.
#include "kernels_claims.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attn/math.hpp"
#include "attn/random/jax.hpp"
#include "attn/softmax.hpp"
#include "evidence.hpp"
#include "kernels_plane.hpp"

namespace attn::studies {
namespace {

using namespace kernels_plane;

constexpr std::uint64_t draws = 300;

/// Standard normal points, and a vector to add.
struct Draw {
  Points points;
  Point shift;
};

Draw draw(std::uint64_t seed, std::size_t keys = section_keys) {
  std::vector<float> normals(2 * keys + 4);
  random::jax::normal(random::jax::key(70000 + seed), 0, normals);
  const auto at = [&](std::size_t i) { return Point{static_cast<double>(normals[2 * i]), static_cast<double>(normals[2 * i + 1])}; };
  Draw made{{at(0), {}}, at(1)};
  for (std::size_t j = 0; j < keys; ++j) made.points.keys.push_back(at(j + 2));
  return made;
}

std::size_t largest_at(const std::vector<double>& values) { return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin()); }

std::vector<double> softmax_of(const std::vector<double>& scores) {
  std::vector<double> weights(scores.size());
  softmax_row(scores, weights);
  return weights;
}

/// Every form of the rules: the Gaussian plain and scaled, the dot product, the scaled dot product.
ScoreRule form_of(std::size_t form) {
  if (form < 2) return Gaussian{.scaled = form == 1};
  return form == 2 ? ScoreRule{Dot{}} : ScoreRule{ScaledDot{}};
}
constexpr std::size_t forms = 4;
constexpr std::array<const char*, forms> form_names{"Gaussian", "scaled Gaussian", "dot product", "scaled dot product"};
bool is_gaussian(std::size_t form) { return form < 2; }

Finding query_term() {
  Proof proof;
  for (const bool scaled : {false, true}) {
    double most = 0;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      const Points points = draw(seed).points;
      most = std::max(most, largest_difference(weights_of(Gaussian{scaled, true}, points), weights_of(Gaussian{scaled, false}, points)));
    }
    proof.within(scaled ? "scaled, largest difference" : "largest difference", most, 0, rounding);
  }
  return proof.finding();
}

Finding equal_norms() {
  Proof proof;
  for (const std::size_t form : {0U, 1U}) {
    double equal = 0, as_drawn = 1;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      Points points = draw(seed).points;
      as_drawn = std::min(as_drawn, largest_difference(weights_of(form_of(form), points), weights_of(form_of(form + 2), points)));
      equalise(points);
      equal = std::max(equal, largest_difference(weights_of(form_of(form), points), weights_of(form_of(form + 2), points)));
    }
    proof.within(std::string(form_names[form]).append(" against ").append(form_names[form + 2]).append(", largest difference"), equal, 0, rounding);
    proof.require(as_drawn > 1e-3, "as drawn they differ in every draw");
  }
  return proof.finding();
}

Finding origin() {
  Proof proof;
  double least = 1;
  bool stayed = true;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    Points points = draw(seed).points;
    points.keys[3] = {};
    const auto undirected = equalise(points);
    stayed = stayed && std::count(undirected.begin(), undirected.end(), true) == 1 && undirected[3] && norm(points.keys[3]) == 0;
    least = std::min(least, largest_difference(weights_of(Gaussian{}, points), weights_of(Dot{}, points)));
  }
  proof.require(stayed, "it stays where it is, and the others get their norm");
  proof.within("smallest of the largest differences between the rules", least, 1e-3, 1);
  return proof.finding();
}

Finding nearest() {
  Proof proof;
  std::size_t nearest_wins = 0, furthest_along_wins = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Points points = draw(seed).points;
    std::vector<double> closeness, along;
    for (const Point& key : points.keys) {
      closeness.push_back(-norm({key.x - points.query.x, key.y - points.query.y}));
      along.push_back(product(key, points.query) / norm(points.query));
    }
    for (const bool scaled : {false, true}) nearest_wins += largest_at(weights_of(Gaussian{.scaled = scaled}, points)) == largest_at(closeness) ? 1 : 0;
    for (const std::size_t form : {2U, 3U}) furthest_along_wins += largest_at(weights_of(form_of(form), points)) == largest_at(along) ? 1 : 0;
  }
  proof.within("draws where the Gaussian's largest weight is the nearest key's, of 600", static_cast<double>(nearest_wins), 600, 600);
  proof.within("draws where the dot product's is that of the key furthest along the query, of 600", static_cast<double>(furthest_along_wins), 600, 600);
  return proof.finding();
}

Finding longer() {
  Proof proof;
  bool dot_longer = true, gaussian_nearer = true;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Point query = draw(seed).points.query;
    // One key at the query and one at 1.1 to 4 times its length, in the same direction.
    const double times = 1.1 + 2.9 * static_cast<double>(seed) / static_cast<double>(draws);
    const Points points{query, {query, {times * query.x, times * query.y}}};
    for (const std::size_t form : {0U, 1U, 2U, 3U}) {
      const auto weights = weights_of(form_of(form), points);
      if (is_gaussian(form)) gaussian_nearer = gaussian_nearer && weights[0] > weights[1];
      else dot_longer = dot_longer && weights[1] > weights[0];
    }
  }
  proof.require(dot_longer, "the longer has more weight under the dot product in all draws");
  proof.require(gaussian_nearer, "the one at the query has more under the Gaussian in all draws");
  return proof.finding();
}

/// Which forms keep their weights when `change` is made to a draw: those, and no others, in `kept`.
template <class Change>
Finding invariance(Change change, const std::array<bool, forms>& kept) {
  Proof proof;
  for (std::size_t form = 0; form < forms; ++form) {
    double most = 0, least = 1;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      const Draw drawn = draw(seed);
      const double change_of = largest_difference(weights_of(form_of(form), drawn.points), weights_of(form_of(form), change(drawn, seed)));
      most = std::max(most, change_of);
      least = std::min(least, change_of);
    }
    if (kept[form]) proof.within(std::string(form_names[form]).append(" changes at most"), most, 0, rounding);
    else proof.within(std::string(form_names[form]).append(" changes at least"), least, 1e-6, 1);
  }
  return proof.finding();
}

Finding shift_keys() {
  return invariance([](const Draw& drawn, std::uint64_t) { return moved(drawn.points, Move::keys, drawn.shift, 0).points; }, {false, false, true, true});
}

Finding shift_both() {
  return invariance([](const Draw& drawn, std::uint64_t) { return moved(drawn.points, Move::both, drawn.shift, 0).points; }, {true, true, false, false});
}

Finding orthogonal() {
  const auto change = [](const Draw& drawn, std::uint64_t seed) {
    Points points = moved(drawn.points, Move::rotate, {}, static_cast<int>(seed * 37 % 361) - 180).points;
    if (seed % 2 == 1) {  // a reflection after the rotation
      points.query.x = -points.query.x;
      for (Point& key : points.keys) key.x = -key.x;
    }
    return points;
  };
  return invariance(change, {true, true, true, true});
}

Finding shift_query() {
  return invariance([](const Draw& drawn, std::uint64_t) { return moved(drawn.points, Move::query, drawn.shift, 0).points; }, {false, false, false, false});
}

/// Both biases at once: which of the four terms the weights need.
Finding query_bias() {
  Proof proof;
  double two_terms = 0, without_third = 1;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Draw drawn = draw(seed);
    const Point query_bias = drawn.shift, key_bias = draw(seed + draws).shift;
    const Points& p = drawn.points;
    const Points biased = moved(moved(p, Move::query, query_bias, 0).points, Move::keys, key_bias, 0).points;
    std::vector<double> first, with_third;
    for (const Point& key : p.keys) {
      first.push_back(product(p.query, key));
      with_third.push_back(product(p.query, key) + product(query_bias, key));
    }
    const auto weights = weights_of(Dot{}, biased);
    two_terms = std::max(two_terms, largest_difference(weights, softmax_of(with_third)));
    without_third = std::min(without_third, largest_difference(weights, softmax_of(first)));
  }
  proof.within("q.k_i and b_q.k_i alone give the weights to within", two_terms, 0, rounding);
  proof.within("without b_q.k_i they are off by at least", without_third, 1e-6, 1);
  return proof.finding();
}

Finding zero_query() {
  Proof proof;
  double even = 0, preference = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    Draw drawn = draw(seed);
    drawn.points.query = {};
    for (const double weight : weights_of(Dot{}, drawn.points)) even = std::max(even, std::fabs(weight - 1.0 / static_cast<double>(section_keys)));
    const Points biased = moved(drawn.points, Move::query, drawn.shift, 0).points;
    std::vector<double> own;
    for (const Point& key : drawn.points.keys) own.push_back(product(drawn.shift, key));
    preference = std::max(preference, largest_difference(weights_of(Dot{}, biased), softmax_of(own)));
  }
  proof.within("without a bias, distance of a weight from 1/10", even, 0, rounding);
  proof.within("with one, distance from the softmax of b_q.k_i", preference, 0, rounding);
  return proof.finding();
}

Finding key_bias_gradient() {
  Proof proof;
  for (std::size_t form = 0; form < forms; ++form) {
    double most = 0, least = 1e9;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      const double length = norm(bias_gradient(form_of(form), draw(seed).points));
      most = std::max(most, length);
      least = std::min(least, length);
    }
    // Ten terms of at most 10 x 5, rounded to 2^-53 each.
    if (is_gaussian(form)) proof.within(std::string(form_names[form]).append(": shortest gradient"), least, 1e-6, 100);
    else proof.within(std::string(form_names[form]).append(": longest gradient"), most, 0, 1e-13);
  }
  return proof.finding();
}

Finding one_product() {
  Proof proof;
  double most = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Points points = draw(seed).points;
    most = std::max(most, largest_difference(direct_weights(points), weights_of(Gaussian{.scaled = true}, points)));
  }
  proof.within("largest difference", most, 0, rounding);
  return proof.finding();
}

/// w_G = w_D f / sum w_D f with f = exp(-|k|^2 / (2 sqrt 2)).
Finding norm_factor() {
  Proof proof;
  double most = 0;
  bool by_norm = true;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Points points = draw(seed).points;
    const Comparison found = compare(points);
    std::vector<double> product_of(section_keys);
    double shortest_loser = 1e9, longest_gainer = 0;
    for (std::size_t j = 0; j < section_keys; ++j) {
      const double length = norm(points.keys[j]);
      product_of[j] = found.dot[j] * math::exp(-length * length / (2 * std::sqrt(2.0)));
      if (found.disagreement[j] < 0) shortest_loser = std::min(shortest_loser, length);
      else longest_gainer = std::max(longest_gainer, length);
    }
    const double total = std::accumulate(product_of.begin(), product_of.end(), 0.0);
    for (double& each : product_of) each /= total;
    most = std::max(most, largest_difference(product_of, found.gaussian));
    by_norm = by_norm && longest_gainer <= shortest_loser;
  }
  proof.within("dot product's weights times the factor, distance from the Gaussian's", most, 0, rounding);
  proof.require(by_norm, "in every draw each key that loses is longer than each that gains");
  return proof.finding();
}

/// Requires the key of most disagreement, its weights, and its place among the norms (0 the shortest).
void disagree(Proof& proof, bool torch, std::size_t sequence, std::size_t key, double gaussian, double dot, std::size_t place) {
  const Points points = section_points(torch, 0, sequence);
  const Comparison found = compare(points);
  const std::string which = std::string("example ").append(std::to_string(sequence + 1)).append(": ");
  proof.within(which + "key", static_cast<double>(found.most + 1), static_cast<double>(key), static_cast<double>(key));
  proof.within(which + "Gaussian", found.gaussian[key - 1], gaussian - 0.005, gaussian + 0.005);
  proof.within(which + "dot product", found.dot[key - 1], dot - 0.005, dot + 0.005);
  const double own = norm(points.keys[key - 1]);
  const auto shorter = static_cast<std::size_t>(std::count_if(points.keys.begin(), points.keys.end(), [&](Point each) { return norm(each) < own; }));
  proof.require(shorter == place, which + std::to_string(shorter) + " keys are shorter");
}

Finding most_jax() {
  Proof proof;
  disagree(proof, false, 0, 4, 0.31, 0.68, 9);
  disagree(proof, false, 1, 2, 0.19, 0.14, 1);
  return proof.finding();
}

Finding most_torch() {
  Proof proof;
  disagree(proof, true, 0, 10, 0.20, 0.30, 8);
  disagree(proof, true, 1, 9, 0.17, 0.37, 8);
  return proof.finding();
}

Finding inside() {
  Proof proof;
  bool never = true, at_itself = true;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    Points points = draw(seed, 3).points;
    const auto& k = points.keys;
    points.keys.push_back({0.5 * k[0].x + 0.3 * k[1].x + 0.2 * k[2].x, 0.5 * k[0].y + 0.3 * k[1].y + 0.2 * k[2].y});
    for (int turn = 0; turn < 72; ++turn) {
      points.query = moved({{3, 0}, {}}, Move::rotate, {}, 5 * turn - 180).points.query;
      never = never && largest_at(weights_of(Dot{}, points)) != 3 && largest_at(weights_of(ScaledDot{}, points)) != 3;
    }
    points.query = points.keys[3];
    at_itself = at_itself && largest_at(weights_of(Gaussian{}, points)) == 3;
  }
  proof.require(never, "never the largest under the dot product, in 72 directions of 300 triangles");
  proof.require(at_itself, "the largest under the Gaussian with the query upon it");
  return proof.finding();
}

Finding scaled_order() {
  Proof proof;
  bool order = true, lower = true;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Points points = draw(seed).points;
    const auto plain = weights_of(Dot{}, points), scaled = weights_of(ScaledDot{}, points);
    for (std::size_t i = 0; i < section_keys; ++i) {
      for (std::size_t j = 0; j < section_keys; ++j) order = order && (plain[i] < plain[j]) == (scaled[i] < scaled[j]);
    }
    lower = lower && scaled[largest_at(plain)] < plain[largest_at(plain)];
  }
  proof.require(order, "the order of all pairs is kept in 300 draws");
  proof.require(lower, "the largest weight is lower in each");
  return proof.finding();
}

}  // namespace

std::vector<Claim> kernels_claims() {
  return {
      {"query-term", "The term −|q|²/2 is the same for every key, and the softmax removes it.", proof(query_term)},
      {"equal-norms", "Where all keys have one norm, the Gaussian and the dot product give the same weights, and so do the two divided by √d.", proof(equal_norms)},
      {"origin", "A key at the origin has no direction and can be given no norm; with it among them the two rules stay apart.", proof(origin)},
      {"nearest", "The Gaussian gives its largest weight to the nearest key, the dot product to the key that reaches furthest along the query.", proof(nearest)},
      {"longer", "Of a key at the query and a longer one in its direction the dot product prefers the longer, the Gaussian the one at the query.", proof(longer)},
      {"inside", "A key within the triangle of three others never has the largest weight under the dot product, wherever a query other than zero stands; the Gaussian gives it the largest where the query is upon it.", proof(inside)},
      {"scaled-order", "Dividing the scores by √d keeps the order of the weights and, unless all are equal, lowers the largest.", proof(scaled_order)},
      {"shift-keys", "Adding one vector to every key leaves the weights of the dot product as they are, scaled or not, and in general changes the Gaussian’s.", proof(shift_keys)},
      {"shift-both", "Adding one vector to the query and to every key leaves the Gaussian’s weights as they are and in general changes the dot product’s.", proof(shift_both)},
      {"orthogonal", "Rotating or reflecting the query and the keys together leaves the weights of every rule as they are.", proof(orthogonal)},
      {"shift-query", "Adding a vector to the query alone in general changes the weights under every rule.", proof(shift_query)},
      {"query-bias", "Of the four terms of the dot product with biases, the weights need two: q·k and b_q·k.", proof(query_bias)},
      {"zero-query", "A query of zero weighs all keys alike; with a bias b_q it still prefers keys, by the softmax of b_q·k.", proof(zero_query)},
      {"key-bias-gradient", "The gradient with respect to b_k, a vector added to every key, is zero under the dot product and in general not under the Gaussian.", proof(key_bias_gradient)},
      {"one-product", "One matrix product and a broadcast of the squared norms give the weights of the direct evaluation.", proof(one_product)},
      {"norm-factor", "With both rules scaled, the Gaussian’s weights are the dot product’s times exp(−|k|²/(2√d)), made to sum to one: above some norm keys lose weight by it, below they gain.", proof(norm_factor)},
      {"most-jax", "In JAX’s draws the scaled rules disagree most on key 4 of the first example, the longest of ten, with 0.31 under the Gaussian and 0.68 under the dot product; and on key 2 of the second, the second shortest, with 0.19 and 0.14.", proof(most_jax)},
      {"most-torch", "In PyTorch’s draws they disagree most on key 10 of the first example, with 0.20 and 0.30, and on key 9 of the second, with 0.17 and 0.37, each the second longest of its ten.", proof(most_torch)},
  };
}

}  // namespace attn::studies

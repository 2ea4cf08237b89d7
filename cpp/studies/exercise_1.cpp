// Exercise 1, invariances of the score: what leaves the weights alone, and what biases do. The answers are tried on random points
// of the plate From kernels to dot products. Source: Dive into Deep Learning, section 10.2, exercise 1.
#include <algorithm>

#include "exercises.hpp"
#include "kernels_plane.hpp"

namespace attn::studies {
namespace {

using namespace kernels_plane;

constexpr std::uint64_t draws = 12;
constexpr Point bias{1.25, -0.75};

/// Whether a move leaves the weights alone in every draw.
bool keeps(const ScoreRule& rule, Move move) {
  bool kept = true;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Points points = section_points(false, seed, 0);
    kept = kept && largest_difference(weights_of(rule, points), weights_of(rule, moved(points, move, bias, 40).points)) <= rounding;
  }
  return kept;
}

Answer kept_by(const ScoreRule& rule) {
  Answer answer;
  for (const Move move : {Move::keys, Move::both, Move::rotate}) answer.push_back(keeps(rule, move) ? 1 : 0);
  return answer;
}

constexpr Choice of_gaussian[] = {
    {"keys", "adding c to every key", "The Gaussian sees only differences q − k. Are they the same when the keys alone move?"},
    {"both", "adding c to the query and to every key", "Look at q − k: what becomes of c in it?"},
    {"orthogonal", "multiplying all by one orthogonal matrix", "An orthogonal matrix keeps the length of every q − k."},
};

constexpr Choice of_dot[] = {
    {"keys", "adding c to every key", "Each score changes by q·c. Does that depend on the key?"},
    {"both", "adding c to the query and to every key", "Expand (q + c)·(k + c): one of the new terms, c·k, differs from key to key."},
    {"orthogonal", "multiplying all by one orthogonal matrix", "(Rq)·(Rk) is q·k, since R times its transpose is the identity."},
};

constexpr Choice gradients[] = {
    {"zero", "zero, whatever the loss"},
    {"query", "q times a number that depends on the loss", "That number is the sum of the loss’s gradient over all scores. What does the softmax make of that sum?"},
    {"keys", "the average of the keys under the weights", "The keys come into the gradient of the query’s bias. Each score depends on b_k through q·b_k."},
};

/// How long the gradient is, for several losses' worth of points.
Answer bias_gradient_kind() {
  double longest = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) longest = std::max(longest, norm(bias_gradient(ScaledDot{}, section_points(false, seed, 0))));
  return {longest <= 1e-13 ? 0.0 : 1.0};
}

constexpr Choice terms[] = {
    {"maps", "(W_q x)·(W_k y_i)", "This one has no b_q in it."},
    {"key-bias", "(W_q x)·b_k", "This one has no b_q in it, and is the same for every key."},
    {"query-bias", "b_q·(W_k y_i)"},
    {"biases", "b_q·b_k", "It has b_q in it, but is the same for every key, and the softmax removes it."},
};

/// The term with b_q that is not the same for every key.
Answer telling_term() {
  constexpr Point key_bias{-0.5, 2};
  const Points points = section_points(false, 0, 0);
  std::vector<double> with_key, with_bias;  // the first two terms lack b_q
  for (const Point& key : points.keys) {
    with_key.push_back(product(bias, key));
    with_bias.push_back(product(bias, key_bias));
  }
  const auto spread = [](const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return *high - *low;
  };
  return {spread(with_key) > spread(with_bias) ? 2.0 : 3.0};
}

constexpr Choice preferences[] = {
    {"fixed", "for some keys over others, the same for every query"},
    {"long", "for long keys, whatever their direction", "b_q·k grows with the key’s length along b_q only; a key across it gains nothing."},
    {"query", "for keys near the query", "The bias does not know the query: b_q·k has no x in it."},
    {"nothing", "none", "Take a query of zero. What are the weights without b_q, and what with it?"},
};

/// What a query of zero does with and without the bias, and whether long keys gain as such.
Answer preference() {
  Points points{{0, 0}, {{1, 0}, {0, 1}, {0.5, 0.5}}};
  const auto even = weights_of(Dot{}, points), biased = weights_of(Dot{}, moved(points, Move::query, bias, 0).points);
  if (largest_difference(even, biased) <= rounding) return {3};
  points.keys = {bias, {-10 * bias.x, -10 * bias.y}};
  const auto against = weights_of(Dot{}, moved(points, Move::query, bias, 0).points);
  return {against[1] > against[0] ? 1.0 : 0.0};
}

constexpr Part parts[] = {
    {.id = "1.1a",
     .ask = "Which of these leave the weights of the Gaussian score unchanged, whatever the points?",
     .kind = AnswerKind::several,
     .choices = of_gaussian,
     .key = [] { return kept_by(Gaussian{}); },
     .right = "Only the differences q − k count, and of them only the lengths."},
    {.id = "1.1b",
     .ask = "Which of these leave the weights of the scaled dot product unchanged, whatever the points?",
     .kind = AnswerKind::several,
     .choices = of_dot,
     .key = [] { return kept_by(ScaledDot{}); },
     .right = "A shift of the keys adds q·c to every score, and the softmax removes it. The dot product has an origin; the Gaussian has none."},
    {.id = "1.2",
     .ask = "What is the gradient of a loss with respect to b_k, a vector added to every key, under the dot product?",
     .kind = AnswerKind::choice,
     .choices = gradients,
     .key = bias_gradient_kind,
     .right = "b_k adds the same q·b_k to every score. The weights do not see it, so no loss does."},
    {.id = "1.3a",
     .ask = "Through which term of the dot product with biases does b_q change the weights?",
     .kind = AnswerKind::choice,
     .choices = terms,
     .key = telling_term,
     .right = "Of the two terms with b_q only this one differs from key to key."},
    {.id = "1.3b",
     .ask = "What preference over the keys can b_q express that no score without a bias can?",
     .kind = AnswerKind::choice,
     .choices = preferences,
     .key = preference,
     .right = "b_q·k is there for every query, even for one of zero, which without it weighs all keys alike."},
};

constexpr Exercise exercise{"1", "What leaves the weights alone", "kernels", parts};

}  // namespace

const Exercise& exercise_1() { return exercise; }

}  // namespace attn::studies

// The study of kernels in the plane: its field against the core's scores and softmax cell by cell, moves and equal norms at the
// rim of what the parameters allow, the gradient of a bias against central differences, the direct evaluation against long double,
// and states that are refused or brought into order.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

#include "attn/softmax.hpp"
#include "kernels_plane.hpp"
#include "studies.hpp"
#include "support.hpp"

using namespace attn;
using namespace attn::studies::kernels_plane;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Points as far apart as the parameters allow: within 5, or at the corners of that square.
Points random_points(support::Bits& bits, std::size_t keys, bool corners) {
  const auto coordinate = [&] { return corners ? (bits.below(2) == 0 ? -5.0 : 5.0) : bits.real(-5, 5); };
  Points points{{coordinate(), coordinate()}, {}};
  for (std::size_t j = 0; j < keys; ++j) points.keys.push_back({coordinate(), coordinate()});
  return points;
}

Run run_of(const Given& given) {
  Workspace workspace;
  return run(studies::kernels(), given, workspace).value();
}

const std::vector<double>& series(const Run& run, const std::string& name) {
  return std::find_if(run.series.begin(), run.series.end(), [&](const Series& each) { return each.name == name; })->data;
}

std::string refusal(const Given& given) {
  Workspace workspace;
  const auto result = run(studies::kernels(), given, workspace);
  return result ? "" : std::string(name(result.error().code)).append(" ").append(result.error().param).append(" | ").append(result.error().message);
}

std::string table_of(const std::vector<Point>& points) {
  NumbersText table{{}, points.size(), 2};
  for (const Point& each : points) table.values.insert(table.values.end(), {each.x, each.y});
  return numbers_text(table);
}

}  // namespace

TEST_CASE("the field is the softmax of the core's scores, at every place and under every rule", "[kernels-plane]") {
  support::Bits bits(2101);
  std::vector<double> out(rules * side * side);
  double worst = 0;
  std::size_t compared = 0;
  for (int draw = 0; draw < 24; ++draw) {
    Points given = random_points(bits, 1 + bits.below(24), draw % 4 == 0);
    if (draw % 3 == 0) equalise(given);
    const auto move = static_cast<Move>(draw % 5);
    const Points points = moved(given, move, {draw % 2 == 0 ? 5.0 : bits.real(-5, 5), -5}, static_cast<int>(bits.below(361)) - 180).points;
    const bool scaled = draw % 2 == 1;
    const std::size_t key = bits.below(points.keys.size());
    const double extent = half_width(given, points);
    field(points, scaled, key, extent, out);
    for (int sample = 0; sample < 60; ++sample) {
      const std::size_t row = sample == 0 ? 0 : sample == 1 ? side - 1 : bits.below(side), column = sample == 0 ? 0 : sample == 1 ? side - 1 : bits.below(side);
      Points there = points;
      there.query = {extent * ((2 * static_cast<double>(column) + 1) / static_cast<double>(side) - 1), extent * (1 - (2 * static_cast<double>(row) + 1) / static_cast<double>(side))};
      const Rules all = rules_of(scaled);
      for (std::size_t rule = 0; rule < rules; ++rule, ++compared) {
        worst = std::max(worst, std::fabs(out[(rule * side + row) * side + column] - weights_of(all[rule], there)[key]));
      }
    }
  }
  INFO("worst " << worst);
  CHECK(worst <= rounding);
  CHECK(worst > 0);
  CHECK(compared == 24 * 60 * 3);
}

TEST_CASE("the weights of all keys in a cell sum to one", "[kernels-plane]") {
  support::Bits bits(2102);
  const Points points = random_points(bits, 24, false);
  std::vector<double> out(rules * side * side), total(out.size());
  for (std::size_t key = 0; key < 24; ++key) {
    field(points, true, key, 6, out);
    for (std::size_t i = 0; i < out.size(); ++i) total[i] += out[i];
  }
  // Each of 24 weights is rounded once more than the sum it is divided by.
  for (const double sum : total) CHECK(std::fabs(sum - 1) <= 24 * 0x1p-52);
}

TEST_CASE("the field reaches every point that parameters allow, and no exponential leaves its range", "[kernels-plane]") {
  // The furthest: directions along an axis with the norm of corners, and then a shift.
  Points far{{5, 5}, {{5, 5}, {-5, -5}, {5, -5}, {1e-9, 0}, {0, -1e-9}, {-1e-9, 0}, {0, 1e-9}}};
  equalise(far);
  for (const Point shift : {Point{5, 5}, Point{-5, 5}, Point{5, -5}}) {
    const Points after = moved(far, Move::both, shift, 0).points;
    const double extent = half_width(far, after);
    CHECK(extent <= 13);
    for (const Point& key : after.keys) CHECK(std::max(std::fabs(key.x), std::fabs(key.y)) <= extent);
    std::vector<double> out(rules * side * side);
    for (std::size_t key = 0; key < far.keys.size(); ++key) {
      field(after, false, key, extent, out);
      for (const double weight : out) REQUIRE((weight >= 0 && weight <= 1));
    }
  }
  CHECK(half_width({{3, 0}, {{0, -3}}}, {{1, 1}, {{0, 0}}}) == 3);
  CHECK(half_width({{0, 0}, {{0, 0}}}, {{3.1, 0}, {{0, 0}}}) == 4);
  CHECK(half_width({{0, 0}, {{0, -6}}}, {{0, 0}, {{0, 0}}}) == 6);
  CHECK(half_width({{0, 0}, {{0, 0}}}, {{0, 0}, {{0, -6.5}}}) == 9);
  CHECK(half_width({{9.5, 0}, {{0, 0}}}, {{0, 0}, {{0, 0}}}) == 13);
}

TEST_CASE("moves keep what they must, at the rim of the square too", "[kernels-plane]") {
  support::Bits bits(2104);
  // Rows are moves (keys, both, rotate), columns the Gaussian, the dot product and its scaled form: exercise 1.
  constexpr bool kept[3][rules] = {{false, true, true}, {true, false, false}, {true, true, true}};
  constexpr Move moves[] = {Move::keys, Move::both, Move::rotate};
  std::size_t changed[3][rules] = {};
  for (int draw = 0; draw < 200; ++draw) {
    const Points points = random_points(bits, 2 + bits.below(23), draw % 4 == 0);
    const Point shift{bits.real(-5, 5), bits.real(-5, 5)};
    const int angle = static_cast<int>(bits.below(361)) - 180;
    for (std::size_t m = 0; m < 3; ++m) {
      const Points after = moved(points, moves[m], shift, angle).points;
      for (const bool scaled : {false, true}) {
        const Rules all = rules_of(scaled);
        for (std::size_t rule = 0; rule < rules; ++rule) {
          const double by = largest_difference(weights_of(all[rule], points), weights_of(all[rule], after));
          if (kept[m][rule]) CHECK(by <= rounding);
          else changed[m][rule] += by > rounding ? 1 : 0;
        }
      }
    }
  }
  for (std::size_t m = 0; m < 3; ++m) {
    for (std::size_t rule = 0; rule < rules; ++rule) {
      if (!kept[m][rule]) CHECK(changed[m][rule] >= 320);  // of 400; at the corners weights are one-hot and may stand still
    }
  }
}

TEST_CASE("rotations are exact at quarters and keep lengths elsewhere", "[kernels-plane]") {
  const Points points{{1.25, 0}, {{0.5, -2}}};
  const auto turned = [&](int degrees) { return moved(points, Move::rotate, {9, 9}, degrees).points; };
  CHECK((turned(90).query.x == 0 && turned(90).query.y == 1.25));
  CHECK((turned(-90).keys[0].x == -2 && turned(-90).keys[0].y == -0.5));
  CHECK((turned(180).keys[0].x == -0.5 && turned(180).keys[0].y == 2));
  CHECK((turned(-180).keys[0].x == -0.5 && turned(0).keys[0].y == -2));
  for (int degrees = -180; degrees <= 180; ++degrees) {
    const Points after = turned(degrees);
    // At 180 degrees t itself is off by up to 2^-52, and so are the test's own cosine and sine.
    const double t = degrees * 3.14159265358979323846 / 180;
    CHECK(std::fabs(after.query.x - 1.25 * std::cos(t)) <= 1e-15);
    CHECK(std::fabs(after.query.y - 1.25 * std::sin(t)) <= 1e-15);
    CHECK(std::fabs(norm(after.keys[0]) - norm(points.keys[0])) <= 1e-15);
  }
}

TEST_CASE("equal norms keep directions, and the origin has none", "[kernels-plane]") {
  support::Bits bits(2105);
  for (int draw = 0; draw < 100; ++draw) {
    Points points = random_points(bits, 2 + bits.below(23), draw % 4 == 0);
    const bool with_origin = draw % 2 == 0;
    if (with_origin) points.keys[1] = {};
    const Points given = points;
    const auto undirected = equalise(points);
    double squares = 0, directed = 0;
    for (const Point& key : given.keys) {
      squares += product(key, key);
      directed += product(key, key) > 0 ? 1 : 0;
    }
    const double wanted = std::sqrt(squares / directed);
    for (std::size_t j = 0; j < points.keys.size(); ++j) {
      if (with_origin && j == 1) {
        CHECK((undirected[j] && norm(points.keys[j]) == 0));
        continue;
      }
      CHECK_FALSE(undirected[j]);
      CHECK(std::fabs(norm(points.keys[j]) - wanted) <= 1e-14);
      CHECK(std::fabs(points.keys[j].x * given.keys[j].y - points.keys[j].y * given.keys[j].x) <= 1e-13);
      CHECK(product(points.keys[j], given.keys[j]) > 0);
    }
    if (with_origin) continue;
    CHECK(largest_difference(weights_of(Gaussian{}, points), weights_of(Dot{}, points)) <= rounding);
    CHECK(largest_difference(weights_of(Gaussian{.scaled = true}, points), weights_of(ScaledDot{}, points)) <= rounding);
  }
  Points nothing{{1, 2}, {{0, 0}, {0, 0}}};
  CHECK(equalise(nothing) == std::vector<bool>{true, true});
  CHECK(norm(nothing.keys[0]) == 0);
}

TEST_CASE("the gradient of a bias is what central differences say", "[kernels-plane]") {
  support::Bits bits(2106);
  const auto average_number = [](const ScoreRule& rule, Points points, Point bias) {
    points = moved(points, Move::keys, bias, 0).points;
    const auto weights = weights_of(rule, points);
    double sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) sum += static_cast<double>(j + 1) * weights[j];
    return sum;
  };
  for (int draw = 0; draw < 100; ++draw) {
    Points points = random_points(bits, 2 + bits.below(23), false);
    for (Point& key : points.keys) key = {key.x / 3, key.y / 3};  // weights that are not yet one-hot
    points.query = {points.query.x / 3, points.query.y / 3};
    for (const bool scaled : {false, true}) {
      const Rules all = rules_of(scaled);
      for (std::size_t rule = 0; rule < rules; ++rule) {
        const Point found = bias_gradient(all[rule], points);
        constexpr double h = 1e-5;
        const Point differences{(average_number(all[rule], points, {h, 0}) - average_number(all[rule], points, {-h, 0})) / (2 * h),
                                (average_number(all[rule], points, {0, h}) - average_number(all[rule], points, {0, -h})) / (2 * h)};
        // Differences are good to h^2 and to the rounding of a sum of at most 24 divided by h.
        const double bound = 1e-6 * norm(differences) + 5e-9;
        CHECK(std::fabs(found.x - differences.x) <= bound);
        CHECK(std::fabs(found.y - differences.y) <= bound);
        if (rule > 0) CHECK(norm(found) <= 1e-13);
      }
    }
  }
}

TEST_CASE("the direct evaluation and one product agree with long double", "[kernels-plane]") {
  support::Bits bits(2107);
  for (int draw = 0; draw < 200; ++draw) {
    const Points points = moved(random_points(bits, 1 + bits.below(24), draw % 4 == 0), Move::both, {bits.real(-5, 5), bits.real(-5, 5)}, 0).points;
    std::vector<long double> exact;
    long double total = 0;
    for (const Point& key : points.keys) {
      const long double x = static_cast<long double>(points.query.x) - static_cast<long double>(key.x), y = static_cast<long double>(points.query.y) - static_cast<long double>(key.y);
      exact.push_back(std::exp(-(x * x + y * y) / (2 * std::sqrt(2.0L))));
      total += exact.back();
    }
    const auto direct = direct_weights(points), product_form = weights_of(Gaussian{.scaled = true}, points);
    for (std::size_t j = 0; j < exact.size(); ++j) {
      const auto weight = static_cast<double>(exact[j] / total);
      CHECK(std::fabs(direct[j] - weight) <= 1e-13);
      CHECK(std::fabs(product_form[j] - weight) <= rounding);
    }
  }
}

TEST_CASE("the series fit each other", "[kernels-plane]") {
  for (const char* move : {"none", "keys", "both", "rotate", "query"}) {
    for (const bool equal : {false, true}) {
      const Run run = run_of({{"points", std::string("section-2")}, {"generator", std::string("torch")}, {"move", std::string(move)}, {"equal_norms", equal}, {"shift", std::string("0.5,2")}});
      const auto &terms = series(run, "terms"), &scores = series(run, "scores"), &biases = series(run, "biases");
      for (std::size_t j = 0; j < section_keys; ++j) {
        // The dot product is the sum of its terms; a rotation leaves it as it was.
        CHECK(std::fabs(terms[j] + terms[10 + j] + terms[20 + j] + terms[30 + j] - scores[10 + j]) <= 1e-14);
        CHECK(std::fabs(scores[10 + j] / std::sqrt(2.0) - scores[20 + j]) <= 1e-15);
        CHECK(std::fabs(series(run, "keys")[2 * j] - series(run, "keys_before")[2 * j] - biases[2]) <= (std::string(move) == "rotate" ? 10 : 1e-15));
      }
      // On the points as they stand after the move: norms, and the gradient of sum (j + 1) w_j for a bias of the keys, under the Gaussian
      // sum w_j (j - sum j w) (q - k_j).
      const auto &query = series(run, "query"), &keys = series(run, "keys"), &weights = series(run, "weights");
      double mean = 0, x = 0, y = 0;
      for (std::size_t j = 0; j < section_keys; ++j) mean += static_cast<double>(j) * weights[j];
      for (std::size_t j = 0; j < section_keys; ++j) {
        CHECK(std::fabs(series(run, "norms")[j] - std::hypot(keys[2 * j], keys[2 * j + 1])) <= 1e-15 * 8);
        x += weights[j] * (static_cast<double>(j) - mean) * (query[0] - keys[2 * j]);
        y += weights[j] * (static_cast<double>(j) - mean) * (query[1] - keys[2 * j + 1]);
      }
      CHECK(std::fabs(series(run, "bias_gradient")[0] - x) <= 1e-13);
      CHECK(std::fabs(series(run, "bias_gradient")[1] - y) <= 1e-13);
      const std::string name = move;
      using Three = std::vector<double>;
      CHECK(series(run, "stays") == (name == "none" || name == "rotate" ? Three{1, 1, 1} : name == "both" ? Three{1, 0, 0} : name == "keys" ? Three{0, 1, 1} : Three{0, 0, 0}));
      CHECK((series(run, "keys_given") == series(run, "keys_before")) == !equal);
    }
  }
  const Run first = run_of({});
  CHECK(series(first, "most") == std::vector<double>{4});
  CHECK(series(first, "direct_difference")[0] <= 1e-15);
  CHECK(series(run_of({{"points", std::string("own")}, {"keys", std::string("1,2")}}), "most") == std::vector<double>{1});
}

TEST_CASE("tables of points that do not fit are refused or brought into order", "[kernels-plane][errors]") {
  const std::string many = [] {
    std::string text = "0,0";
    for (int i = 1; i < 30; ++i) text.append(";").append(std::to_string(i % 5)).append(",1");
    return text;
  }();
  CHECK(refusal({{"query", std::string("1,2;3,4")}}) == "wrong_shape query | query has 2 rows of 2; allowed is one row of two numbers, x and y");
  CHECK(refusal({{"query", std::string("")}}) == "wrong_shape query | query has 0 rows of 0; allowed is one row of two numbers, x and y");
  CHECK(refusal({{"keys", std::string("1,2,3")}}) == "wrong_shape keys | keys has 1 row of 3; allowed are 1 to 24 rows of two numbers, x and y");
  CHECK_THAT(refusal({{"keys", many}}), ContainsSubstring("keys has 30 rows of 2"));
  CHECK_THAT(refusal({{"keys", std::string("1,2;3,5.5")}}), ContainsSubstring("row 2, column 2 is \"5.5\""));
  CHECK_THAT(refusal({{"keys", std::string("1,nan")}}), ContainsSubstring("out_of_range keys"));
  CHECK(refusal({{"points", std::string("own")}, {"keys", std::string("1,2;0,1")}, {"key", 3.0}}) == "out_of_range key | key is 3; allowed are integers from 1 to 2, the number of keys");
  CHECK(refusal({{"keys", std::string("1,2;0,1")}, {"key", 3.0}}).empty());  // the section's ten keys are shown

  const auto mended = [](const Given& given) { return repair(studies::kernels(), given); };
  const auto cut = mended({{"keys", many}, {"points", std::string("own")}, {"key", 24.0}});
  CHECK(cut.params.text("keys") == many.substr(0, 24 * 4 - 1));  // a row is four characters with its semicolon
  REQUIRE(cut.notices.size() == 1);
  CHECK_THAT(cut.notices[0].message, ContainsSubstring("keys had 30 rows of 2"));
  const auto last = mended({{"keys", std::string("1,2;0,1")}, {"points", std::string("own")}, {"key", 9.0}});
  CHECK(last.params.number("key") == 2);
  CHECK(last.notices.at(0).message == "there is no key 9; key 2 is the last");
  CHECK(mended({{"query", std::string("")}}).params.text("query") == "1.2,0.6");
  CHECK(mended({{"shift", std::string("1,2,3")}}).params.text("shift") == "1,-0.5");
}

TEST_CASE("the code names draws, points and moves", "[kernels-plane]") {
  const std::string own = run_of({{"points", std::string("own")}, {"query", std::string("1,-0.5")}, {"keys", std::string("1,2;-3,4")}, {"generator", std::string("torch")}, {"move", std::string("both")}, {"equal_norms", true}}).code;
  CHECK_THAT(own, ContainsSubstring("q = torch.tensor([[1, -0.5]], dtype=torch.float64)\nk = torch.tensor([[1, 2], [-3, 4]], dtype=torch.float64)\n"));
  CHECK_THAT(own, ContainsSubstring("norms = k.norm") && ContainsSubstring("q, k = q + c, k + c\n"));
  const std::string drawn = run_of({{"points", std::string("section-2")}, {"seed", 7.0}, {"gaussian", std::string("scaled")}, {"move", std::string("rotate")}, {"angle", -30.0}}).code;
  CHECK_THAT(drawn, ContainsSubstring("keys = jax.random.normal(jax.random.key(8), (2, 10, 2), jnp.float32)") && ContainsSubstring("queries[1].astype") && ContainsSubstring("math.radians(-30)") && ContainsSubstring("gaussian = gaussian / math.sqrt(2)"));
}

TEST_CASE("points at chosen places are those of a run that has them as its own", "[kernels-plane]") {
  const Points points = section_points(false, 0, 1);
  const Run own = run_of({{"points", std::string("own")}, {"query", table_of({points.query})}, {"keys", table_of(points.keys)}});
  const Run section = run_of({{"points", std::string("section-2")}});
  for (const char* name : {"query", "keys", "weights", "scores", "field"}) CHECK(series(own, name) == series(section, name));
}

// From kernels to dot products: a query and up to 24 keys in the plane, their weights under the Gaussian, the dot product and the
// scaled dot product, what equal norms and moves of the points do to them, and one key's weight wherever the query could stand.
// Source: Dive into Deep Learning, section 10.2.1, equations 10.2.1 to 10.2.3; section 10.2.3.2; exercises 1 and 2.
#include <algorithm>
#include <cmath>

#include "attn/text.hpp"
#include "kernels_claims.hpp"
#include "kernels_code.hpp"
#include "kernels_plane.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

using namespace kernels_plane;

constexpr std::size_t most_keys = 24;

/// The rows of a table of two columns, once check_points let it pass.
std::vector<Point> points_of(const Params& params, std::string_view key) {
  const auto table = parse_numbers(*kernels().find(key), params.text(key));
  std::vector<Point> points;
  if (!table) return points;
  const std::vector<double>& values = table.value().values;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) points.push_back({values[i], values[i + 1]});
  return points;
}

bool own_points(const Params& params) { return params.text("points") == "own"; }

/// How many keys there are.
std::size_t keys_of(const Params& params) { return own_points(params) ? points_of(params, "keys").size() : section_keys; }

/// The tables of points and how many rows each may have, at least one.
struct Table {
  const char* key;
  std::size_t most_rows;
};
constexpr std::array tables{Table{"query", 1}, Table{"keys", most_keys}, Table{"shift", 1}};

std::optional<Error> check_points(const Params& params) {
  for (const auto& [key, most_rows] : tables) {
    const auto table = parse_numbers(*kernels().find(key), params.text(key));
    if (!table) return table.error();
    const auto [values, rows, columns] = table.value();
    if (columns == 2 && rows <= most_rows) continue;
    std::string message = std::string(key).append(" has ").append(std::to_string(rows)).append(rows == 1 ? " row of " : " rows of ").append(std::to_string(columns));
    message.append("; allowed ").append(most_rows == 1 ? "is one row" : "are 1 to " + std::to_string(most_rows) + " rows").append(" of two numbers, x and y");
    return Error{ErrorCode::wrong_shape, key, std::move(message)};
  }
  if (const std::size_t keys = keys_of(params); params.integer("key") > keys) {
    return Error{ErrorCode::out_of_range, "key",
                 std::string("key is ").append(std::to_string(params.integer("key"))).append("; allowed are integers from 1 to ").append(std::to_string(keys)).append(", the number of keys")};
  }
  return std::nullopt;
}

/// Rows too many are left out, a table of other columns is the default, and a key that is not there becomes the last one.
void mend_points(Params& params, std::vector<Notice>& notices) {
  for (const auto& [key, most_rows] : tables) {
    const Parameter& parameter = *kernels().find(key);
    auto table = parse_numbers(parameter, params.text(key));
    if (!table) continue;
    auto& [values, rows, columns] = table.value();
    if (columns == 2 && rows <= most_rows) continue;
    const std::size_t given_rows = rows, given_columns = columns;
    rows = std::min(rows, most_rows);
    values.resize(rows * columns);
    const std::string text = columns == 2 ? numbers_text(table.value()) : value_text(parameter.initial);
    std::string message = std::string(key).append(" had ").append(std::to_string(given_rows)).append(given_rows == 1 ? " row of " : " rows of ").append(std::to_string(given_columns));
    notices.push_back({key, message.append("; ").append(text).append(" is used")});
    params.set(key, text);
  }
  if (const std::size_t keys = keys_of(params); params.integer("key") > keys) {
    notices.push_back({"key", std::string("there is no key ").append(std::to_string(params.integer("key"))).append("; key ").append(std::to_string(keys)).append(" is the last")});
    params.set("key", static_cast<double>(keys));
  }
}

Points given_points(const Params& params) {
  if (own_points(params)) return {points_of(params, "query").front(), points_of(params, "keys")};
  return section_points(params.text("generator") == "torch", params.integer("seed"), params.text("points") == "section-2" ? 1 : 0);
}

Moved moved_points(const Points& before, const Params& params) {
  return moved(before, move_named(params.text("move")), points_of(params, "shift").front(), static_cast<int>(params.number("angle")));
}

/// What a run collects, in the order of the declaration.
class Collector {
 public:
  explicit Collector(std::vector<Series>& series) : series_(series) {}
  void add(const char* name, std::vector<std::size_t> shape, std::vector<double> data) { series_.push_back({name, "", std::move(shape), std::move(data)}); }
  void add(const char* name, double value) { add(name, {1}, {value}); }
  void add(const char* name, Point point) { add(name, {2}, {point.x, point.y}); }
  void add(const char* name, std::span<const Point> points) {
    std::vector<double> data;
    for (const Point& each : points) data.insert(data.end(), {each.x, each.y});
    add(name, {points.size(), 2}, std::move(data));
  }
  void add(const char* name, const std::vector<std::vector<double>>& rows) {
    std::vector<double> data;
    for (const auto& row : rows) data.insert(data.end(), row.begin(), row.end());
    add(name, {rows.size(), rows.front().size()}, std::move(data));
  }

 private:
  std::vector<Series>& series_;
};

void add_points(const Points& given, const Points& before, const Moved& move, const std::vector<bool>& undirected, Collector& into) {
  into.add("query", move.points.query);
  into.add("keys", move.points.keys);
  into.add("query_before", before.query);
  into.add("keys_before", before.keys);
  into.add("query_given", given.query);
  into.add("keys_given", given.keys);
  const Point biases[] = {move.query_bias, move.key_bias};
  into.add("biases", biases);
  std::vector<double> norms;
  for (const Point& key : move.points.keys) norms.push_back(norm(key));
  into.add("norms", {norms.size()}, norms);
  into.add("undirected", {undirected.size()}, {undirected.begin(), undirected.end()});
}

void add_weights(const Rules& rules, const Points& before, const Points& after, Collector& into) {
  std::vector<std::vector<double>> scores, weights, weights_before;
  std::vector<double> moved_by, stays;
  std::vector<Point> gradients;
  for (const ScoreRule& rule : rules) {
    scores.push_back(scores_of(rule, after));
    weights.push_back(weights_of(rule, after));
    weights_before.push_back(weights_of(rule, before));
    moved_by.push_back(largest_difference(weights.back(), weights_before.back()));
    stays.push_back(moved_by.back() <= rounding ? 1 : 0);
    gradients.push_back(bias_gradient(rule, after));
  }
  into.add("scores", scores);
  into.add("weights", weights);
  into.add("weights_before", weights_before);
  into.add("moved_by", {moved_by.size()}, moved_by);
  into.add("stays", {stays.size()}, stays);
  into.add("bias_gradient", gradients);
}

void add_terms(const Points& before, const Moved& move, Collector& into) {
  std::vector<std::vector<double>> terms(4);
  // A rotation has no biases; it leaves every product as it was.
  for (const Point& key : before.keys) {
    terms[0].push_back(product(before.query, key));
    terms[1].push_back(product(before.query, move.key_bias));
    terms[2].push_back(product(move.query_bias, key));
    terms[3].push_back(product(move.query_bias, move.key_bias));
  }
  into.add("terms", terms);
}

/// Exercise 2: both rules scaled, on the points as they stand.
void add_comparison(const Points& after, Collector& into) {
  const Comparison found = compare(after);
  into.add("matched", {found.gaussian, found.dot});
  into.add("disagreement", {found.disagreement.size()}, found.disagreement);
  into.add("most", static_cast<double>(found.most + 1));
  const std::vector<double> direct = direct_weights(after);
  into.add("direct", {direct.size()}, direct);
  into.add("direct_difference", largest_difference(direct, found.gaussian));
}

Result<std::vector<Series>> run_kernels(const Params& params, Workspace&) {
  const Points given = given_points(params);
  Points before = given;
  const std::vector<bool> undirected = params.flag("equal_norms") ? equalise(before) : undirected_keys(before);
  const Moved move = moved_points(before, params);
  const bool scaled = params.text("gaussian") == "scaled";
  std::vector<Series> series;
  Collector into(series);
  add_points(given, before, move, undirected, into);
  add_weights(rules_of(scaled), before, move.points, into);
  add_terms(before, move, into);
  add_comparison(move.points, into);
  const double extent = half_width(before, move.points);
  into.add("extent", extent);
  std::vector<double> weights(rules * side * side);
  field(move.points, scaled, params.integer("key") - 1, extent, weights);
  into.add("field", {rules, side, side}, std::move(weights));
  return series;
}

std::string code_of(const Params& params) {
  return kernels_code({.torch = params.text("generator") == "torch",
                       .own = own_points(params),
                       .second = params.text("points") == "section-2",
                       .scaled_gaussian = params.text("gaussian") == "scaled",
                       .equal_norms = params.flag("equal_norms"),
                       .seed = params.integer("seed"),
                       .move = move_named(params.text("move")),
                       .angle = number_text(params.number("angle")),
                       .query = params.text("query"),
                       .keys = params.text("keys"),
                       .shift = params.text("shift")});
}

using Words = std::string;

Given section(const char* points, double key) { return {{"points", Words(points)}, {"key", key}, {"gaussian", Words("scaled")}, {"equal_norms", false}, {"move", Words("none")}}; }

Given moving(const char* move, bool equal_norms = false) {
  return {{"points", Words("section-1")}, {"key", 4.0}, {"gaussian", Words("plain")}, {"equal_norms", equal_norms}, {"move", Words(move)}};
}

Given drawn(const char* query, const char* keys, double key) {
  return {{"points", Words("own")}, {"query", Words(query)}, {"keys", Words(keys)}, {"key", key}, {"gaussian", Words("plain")}, {"equal_norms", false}, {"move", Words("none")}};
}

Study declare() {
  Study study;
  study.id = "kernels";
  study.title = "From kernels to dot products";
  study.summary = "A query and keys in the plane, and their weights under the Gaussian, the dot product and the scaled dot product.";
  const std::vector<std::string> x_y{"x", "y"};
  study.parameters = {
      {.key = "points", .label = "points", .symbol = "", .help = "Points of your own, or the section’s inputs of its first or second sequence.",
       .kind = Kind::choice, .initial = Words("section-1"), .choices = {"own", "section-1", "section-2"}},
      {.key = "query", .label = "query", .symbol = "q", .help = "The query, where the points are your own.",
       .kind = Kind::numbers, .initial = Words("1.2,0.6"), .min = -5, .max = 5, .step = 0.1, .row_name = "query", .column_names = x_y},
      {.key = "keys", .label = "keys", .symbol = "k", .help = "One to 24 keys, where the points are your own.",
       .kind = Kind::numbers, .initial = Words("1,1.2;0.3,1.6;-1.3,0.9;-0.9,-1.2;1.5,-0.8;2.4,1.3"), .min = -5, .max = 5, .step = 0.1, .growable = true, .row_name = "key", .column_names = x_y},
      {.key = "gaussian", .label = "Gaussian", .symbol = "", .help = "The Gaussian score as it stands, or all its terms divided by the square root of d = 2.",
       .kind = Kind::choice, .initial = Words("plain"), .choices = {"plain", "scaled"}},
      {.key = "equal_norms", .label = "equal norms", .symbol = "", .help = "Every key keeps its direction and gets the root mean square norm of all that have one.",
       .kind = Kind::flag, .initial = false},
      {.key = "move", .label = "move", .symbol = "", .help = "Add c to every key, to query and keys, rotate all by the angle, or add c to the query.",
       .kind = Kind::choice, .initial = Words("none"), .choices = {"none", "keys", "both", "rotate", "query"}},
      {.key = "shift", .label = "shift", .symbol = "c", .help = "The vector that a move adds.",
       .kind = Kind::numbers, .initial = Words("1,-0.5"), .min = -5, .max = 5, .step = 0.1, .row_name = "shift", .column_names = x_y},
      {.key = "angle", .label = "angle", .symbol = "", .help = "Degrees of the rotation, counter-clockwise.", .initial = 40.0, .min = -180, .max = 180},
      {.key = "key", .label = "key", .symbol = "i", .help = "The key whose weight the field shows.", .initial = 4.0, .min = 1, .max = static_cast<double>(most_keys)},
      {.key = "seed", .label = "seed", .symbol = "", .help = "Seed of the section’s points; the keys of JAX use the next one.", .initial = 0.0, .min = 0, .max = 4294967294.0},
      {.key = "generator", .label = "generator", .symbol = "", .help = "Whose random numbers: jax.random or torch on the CPU.",
       .kind = Kind::choice, .initial = Words("jax"), .choices = {"jax", "torch"}},
  };
  const std::vector<std::string> point{"coordinates"}, key{"keys"}, points{"keys", "coordinates"}, rule{"rules"}, pairs{"rules", "keys"};
  study.series = {
      {"query", "the query, moved", "", point},
      {"keys", "the keys, with equal norms if wanted, moved", "", points},
      {"query_before", "the query before the move", "", point},
      {"keys_before", "the keys before the move", "", points},
      {"query_given", "the query as drawn or given", "", point},
      {"keys_given", "the keys as drawn or given", "", points},
      {"biases", "what the move adds to the query and to every key", "", {"sides", "coordinates"}},
      {"norms", "norms of the keys", "", key},
      {"undirected", "1 where a key is at the origin and has no direction", "", key},
      {"scores", "scores of the Gaussian, the dot product, the scaled dot product", "", pairs},
      {"weights", "their weights", "", pairs},
      {"weights_before", "weights before the move", "", pairs},
      {"moved_by", "largest change of a weight by the move", "", rule},
      {"stays", "1 where no weight changed by more than 1e-12", "", rule},
      {"bias_gradient", "gradient of the average key number with respect to a vector added to every key", "", {"rules", "coordinates"}},
      {"terms", "the dot product as q·k, q·b_k, b_q·k, b_q·b_k, with q and k before the move", "", {"terms", "keys"}},
      {"matched", "weights of the Gaussian and the dot product, both scaled", "", {"rules", "keys"}},
      {"disagreement", "their difference, Gaussian less dot product", "", key},
      {"most", "number of the key where they disagree most", ""},
      {"direct", "weights by exp(-|q - k|^2 / (2 sqrt d)), from the differences", "", key},
      {"direct_difference", "largest distance of these from one product and a broadcast of norms", ""},
      {"extent", "half the width of the field", ""},
      {"field", "weight of the chosen key if the query stood at the middle of a cell; rows from the top", "", {"rules", "rows", "columns"}},
  };
  study.presets = {
      {"section-1", "the section’s first example", section("section-1", 4)},
      {"section-2", "its second example", section("section-2", 2)},
      {"equal-norms", "equal norms", moving("none", true)},
      {"shift-keys", "shift the keys", moving("keys")},
      {"shift-both", "shift query and keys", moving("both")},
      {"rotate", "rotate all", moving("rotate")},
      {"shift-query", "a bias of the query", moving("query")},
      {"far-key", "a long key", drawn("1,0.4", "1,0.5;0.6,1.2;-0.8,0.6;-0.6,-1;1.2,-0.9;4,2.6", 6)},
      {"origin", "a key at the origin", [] {
         Given given = drawn("1,0.4", "0,0;1.1,0.7;-0.6,1.3;-1.2,-0.5;0.7,-1.2", 1);
         for (auto& [name, value] : given) if (name == "equal_norms") value = true;
         return given;
       }()},
  };
  study.claims = kernels_claims();
  study.check = check_points;
  study.mend = mend_points;
  study.run = run_kernels;
  study.code = code_of;
  return study;
}

}  // namespace

const Study& kernels() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

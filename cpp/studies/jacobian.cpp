// The softmax Jacobian: its Frobenius norm for weights even over k of m keys, the norms of random rows below that curve, and
// the Jacobian of a row of scores that the reader writes, by formula and by forward differentiation.
//   J = diag(w) - w w^T, |J|^2 = sum w^2 - 2 sum w^3 + (sum w^2)^2 <= S - S^2 with S = sum w^2, even rows alone being equal:
//   sum w^3 >= (sum w^2)^2 by Cauchy and Schwarz.
// Source: Dive into Deep Learning, section 10.2.1.1, equation 10.2.4, and exercise 4.
#include <algorithm>
#include <cmath>

#include "attn/entropy.hpp"
#include "attn/math.hpp"
#include "attn/softmax.hpp"
#include "attn/text.hpp"
#include "jacobian_claims.hpp"
#include "jacobian_rows.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

/// Points of the curve, at real k from 1 to m: their logarithms are as squares, close where the curve is steep.
constexpr std::size_t curve_points = 97;
constexpr std::size_t most_scores = 8;

Parameter scores_parameter() {
  return {.key = "scores", .label = "scores of the row", .symbol = "a", .help = "A row of scores whose Jacobian is taken: two to eight numbers.",
          .kind = Kind::numbers, .initial = std::string("1.2,0.4,-0.3,2,-1"), .min = -700, .max = 700, .row_name = "scores"};
}

std::vector<double> scores_of(const Params& params) { return parse_numbers(scores_parameter(), params.text("scores")).value().values; }

std::optional<Error> check(const Params& params) {
  const NumbersText table = parse_numbers(scores_parameter(), params.text("scores")).value();
  if (table.rows != 1 || table.columns < 2 || table.columns > most_scores) {
    return Error{ErrorCode::wrong_shape, "scores",
                 "scores has " + std::to_string(table.rows) + (table.rows == 1 ? " row of " : " rows of ") + std::to_string(table.columns) +
                     "; allowed is one row of 2 to " + std::to_string(most_scores) + " numbers"};
  }
  if (params.integer("k") > params.integer("keys")) {
    return Error{ErrorCode::out_of_range, "k", "k is " + std::to_string(params.integer("k")) + "; allowed are integers from 1 to " + std::to_string(params.integer("keys")) + ", the number of keys"};
  }
  return std::nullopt;
}

void mend(Params& params, std::vector<Notice>& notices) {
  if (params.integer("k") > params.integer("keys")) {
    notices.push_back({"k", "k is " + std::to_string(params.integer("k")) + " of " + std::to_string(params.integer("keys")) + " keys; all of them are used"});
    params.set("k", static_cast<double>(params.integer("keys")));
  }
  const NumbersText table = parse_numbers(scores_parameter(), params.text("scores")).value();
  if (check(params)) {
    const std::string used = value_text(scores_parameter().initial);
    notices.push_back({"scores", "a row of " + std::to_string(table.values.size()) + " scores does not fit; " + used + " is used"});
    params.set("scores", used);
  }
}

Series scalar(std::string name, double value, std::string unit = {}) { return {std::move(name), std::move(unit), {1}, {value}}; }
Series row(std::string name, std::vector<double> values) {
  const std::size_t size = values.size();
  return {std::move(name), "", {size}, std::move(values)};
}

Result<std::vector<Series>> run_jacobian(const Params& params, Workspace& workspace) {
  const std::size_t keys = params.integer("keys");
  const auto m = static_cast<double>(keys);
  const auto k = static_cast<double>(params.integer("k"));
  std::vector<Series> series;

  std::vector<double> curve_k;
  std::vector<double> curve;
  for (std::size_t i = 0; i < curve_points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(curve_points - 1);
    curve_k.push_back(i + 1 == curve_points ? m : math::exp(math::log(m) * share * share));
    curve.push_back(even_norm(curve_k.back()));
  }
  // the norms of whole numbers of keys, each from its row of weights
  std::vector<double> norms;
  std::vector<double> weights(keys);
  for (std::size_t each = 1; each <= keys; ++each) {
    for (std::size_t i = 0; i < keys; ++i) weights[i] = i < each ? 1 / static_cast<double>(each) : 0;
    norms.push_back(jacobian_norm(weights));
  }
  const auto best = std::max_element(norms.begin(), norms.end());
  const double best_k = static_cast<double>(best - norms.begin()) + 1;
  const double at = norms[params.integer("k") - 1];
  series.push_back(row("curve_keys", std::move(curve_k)));
  series.push_back(row("curve_norm", std::move(curve)));
  series.push_back(scalar("at_norm", at));
  series.push_back(scalar("at_root_squares", 1 / std::sqrt(k)));
  series.push_back(scalar("best_keys", best_k, "keys"));
  series.push_back(scalar("best_norm", *best));
  series.push_back(scalar("all_norm", norms.back()));

  const auto drawn = random_rows(params.text("generator") == "torch", params.integer("seed"), params.integer("rows"), keys, workspace);
  if (!drawn) return drawn.error();
  const RandomRows& rows = drawn.value();
  std::vector<double> sharing;
  double closest = 1;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < rows.norms.size(); ++i) {
    sharing.push_back(1 / rows.sum_squares[i]);
    const double bound = std::sqrt(std::max(0.0, rows.sum_squares[i] - rows.sum_squares[i] * rows.sum_squares[i]));
    closest = std::min(closest, bound - rows.norms[i]);
    if (rows.norms[i] > rows.norms[largest]) largest = i;
  }
  const double largest_sharing = sharing[largest];
  const double largest_norm = rows.norms[largest];
  series.push_back(row("row_keys", std::move(sharing)));
  series.push_back(row("row_norm", rows.norms));
  series.push_back(scalar("largest_keys", largest_sharing, "keys"));
  series.push_back(scalar("largest_norm", largest_norm));
  series.push_back(scalar("closest", closest));

  const std::vector<double> scores = scores_of(params);
  const std::size_t n = scores.size();
  std::vector<double> own(n);
  softmax_row(scores, own);
  auto formula = softmax_jacobian(own);
  if (!formula) return formula.error();
  const std::vector<double> by_formula(formula.value().begin(), formula.value().end());
  std::vector<double> forward = forward_jacobian(scores);
  double difference = 0;
  std::vector<double> sums(n, 0.0);
  for (std::size_t i = 0; i < n * n; ++i) {
    difference = std::max(difference, std::fabs(by_formula[i] - forward[i]));
    sums[i / n] += by_formula[i];
  }
  series.push_back(row("own_scores", scores));
  series.push_back(row("own_weights", own));
  series.push_back({"own_jacobian", "", {n, n}, by_formula});
  series.push_back({"own_forward", "", {n, n}, std::move(forward)});
  series.push_back(scalar("own_difference", difference));
  series.push_back(row("own_row_sums", std::move(sums)));
  series.push_back(row("own_eigenvalues", symmetric_eigenvalues(by_formula, n)));
  series.push_back(scalar("own_norm", jacobian_norm(own)));
  return series;
}

/// The three parts of the study in a notebook.
std::string code_of(const Params& params) {
  const bool torch = params.text("generator") == "torch";
  const std::string keys = std::to_string(params.integer("keys"));
  const std::string rows = std::to_string(params.integer("rows"));
  const std::string seed = std::to_string(params.integer("seed"));
  std::string scores;
  for (const double score : scores_of(params)) scores.append(scores.empty() ? "" : ", ").append(number_text(score));
  std::string code = torch ? "import torch\n\na = torch.tensor([" : "import jax\nfrom jax import numpy as jnp\n\njax.config.update(\"jax_enable_x64\", True)\na = jnp.array([";
  code.append(scores);
  if (torch) {
    code.append("], dtype=torch.float64)\nsoftmax = lambda a: torch.softmax(a, -1)\njacobian = lambda w: torch.diag_embed(w) - w[..., :, None] * w[..., None, :]\n"
                "automatic = torch.autograd.functional.jacobian(softmax, a)\nprint((jacobian(softmax(a)) - automatic).abs().max(), torch.linalg.eigvalsh(automatic))\n\n"
                "norm = lambda w: jacobian(w).square().sum((-2, -1)).sqrt()\nk = torch.arange(1, ")
        .append(keys).append(" + 1, dtype=torch.float64)[:, None]\nprint(norm((torch.arange(").append(keys).append(") < k) / k))\n\ntorch.manual_seed(").append(seed)
        .append(")\nz, u = torch.randn(").append(rows).append(", ").append(keys).append(").double(), torch.rand(").append(rows)
        .append(", 1).double()\nw = softmax(0.1 * 200**u * z)\nprint(1 / w.square().sum(-1), norm(w))\n");
  } else {
    code.append("])\nsoftmax = jax.nn.softmax\njacobian = lambda w: w[..., None] * jnp.eye(w.shape[-1]) - w[..., :, None] * w[..., None, :]\n"
                "automatic = jax.jacfwd(softmax)(a)\nprint(abs(jacobian(softmax(a)) - automatic).max(), jnp.linalg.eigvalsh(automatic))\n\n"
                "norm = lambda w: jnp.sqrt((jacobian(w)**2).sum((-2, -1)))\nk = jnp.arange(1., ")
        .append(keys).append(" + 1)[:, None]\nprint(norm((jnp.arange(").append(keys).append(") < k) / k))\n\nkey = jax.random.key(").append(seed)
        .append(")\nz = jax.random.normal(key, (").append(rows).append(", ").append(keys).append("), jnp.float32).astype(float)\nu = jax.random.uniform(jax.random.fold_in(key, 1), (")
        .append(rows).append(", 1), jnp.float32).astype(float)\nw = softmax(0.1 * 200**u * z)\nprint(1 / (w**2).sum(-1), norm(w))\n");
  }
  return code;
}

Study declare() {
  Study study;
  study.id = "jacobian";
  study.title = "The softmax Jacobian";
  study.summary = "Norm of the softmax Jacobian for weights even over k keys, random rows below it, and the Jacobian of a row of one's own.";
  study.parameters = {
      {.key = "k", .label = "keys that share", .symbol = "k", .help = "Keys that share the weight evenly; the others have none.", .initial = 2.0, .min = 1, .max = 512, .scale = Scale::log2},
      {.key = "keys", .label = "keys", .symbol = "m", .help = "Keys in a row.", .initial = 64.0, .min = 2, .max = 512, .scale = Scale::log2},
      {.key = "rows", .label = "random rows", .symbol = "", .help = "Random rows of weights.", .initial = 400.0, .min = 50, .max = 2000, .step = 50},
      {.key = "seed", .label = "seed", .symbol = "", .help = "Seed of the random rows.", .initial = 0.0, .min = 0, .max = 4294967295.0},
      {.key = "generator", .label = "generator", .symbol = "", .help = "Whose random numbers: jax.random or torch on the CPU.",
       .kind = Kind::choice, .initial = std::string("jax"), .choices = {"jax", "torch"}},
      scores_parameter(),
  };
  study.series = {
      {"curve_keys", "keys that share the weight evenly, as a real number", "", {"points"}},
      {"curve_norm", "norm of the Jacobian of such a row", "", {"points"}},
      {"at_norm", "norm of the row even over k keys", ""},
      {"at_root_squares", "root of the sum of its squared weights", ""},
      {"best_keys", "number of keys with the largest norm", "keys"},
      {"best_norm", "that norm", ""},
      {"all_norm", "norm of the row even over all keys", ""},
      {"row_keys", "one over the sum of squared weights, each random row", "", {"rows"}},
      {"row_norm", "norm of its Jacobian", "", {"rows"}},
      {"largest_keys", "one over the sum of squared weights of the random row with the largest norm", "keys"},
      {"largest_norm", "the largest norm of the random rows", ""},
      {"closest", "least distance of a random row below the even row with the same sum of squares", ""},
      {"own_scores", "the row of scores", "", {"scores"}},
      {"own_weights", "its weights", "", {"scores"}},
      {"own_jacobian", "its Jacobian by formula", "", {"scores", "scores"}},
      {"own_forward", "its Jacobian by forward differentiation", "", {"scores", "scores"}},
      {"own_difference", "largest difference between the two", ""},
      {"own_row_sums", "sums of the Jacobian's rows", "", {"scores"}},
      {"own_eigenvalues", "its eigenvalues, ascending", "", {"scores"}},
      {"own_norm", "its Frobenius norm", ""},
  };
  study.presets = {
      {"two", "two keys share", {{"k", 2.0}, {"keys", 64.0}}},
      {"even", "all 64 share", {{"k", 64.0}, {"keys", 64.0}}},
      {"one-hot", "one key has all", {{"k", 1.0}, {"keys", 64.0}, {"scores", std::string("40,0,0,0,0")}}},
      {"torn", "a row torn between two keys", {{"k", 2.0}, {"keys", 64.0}, {"scores", std::string("4,4,0,0,0")}}},
  };
  study.claims = jacobian_claims();
  study.check = check;
  study.mend = mend;
  study.run = run_jacobian;
  study.code = code_of;
  return study;
}

}  // namespace

const Study& jacobian() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

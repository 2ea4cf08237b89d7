// Two hundred seeds: the same study run again and again, a point a seed, so that a reader sees how far one run may stray and
// how the gradient's norm goes with d between the three widths that the section prints. The printed run is marked.
#include <algorithm>
#include <cmath>

#include "attn/attention.hpp"
#include "attn/entropy.hpp"
#include "saturation_equivalent.hpp"
#include "saturation_notebook.hpp"
#include "evidence.hpp"
#include "ledger_printed.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

constexpr std::array<std::size_t, 3> printed_widths{4, 64, 512};

/// Unscaled Jacobian norms: a row a width, a value a seed.
Result<std::vector<std::vector<double>>> strips(std::size_t seeds, std::uint64_t first, const Workspace& workspace) {
  std::vector<std::vector<double>> rows;
  for (const std::size_t d : section_widths) {
    Equivalent experiment(d, 64, 256);
    std::vector<double> row;
    for (std::size_t s = 0; s < seeds; ++s) row.push_back(experiment.means(run_seed(first, s), false).norm[0]);
    rows.push_back(std::move(row));
    if (!workspace.tell(0.8 * static_cast<double>(rows.size()) / static_cast<double>(section_widths.size()))) return stopped();
  }
  return rows;
}

Result<std::vector<Series>> run_seeds(const Params& params, Workspace& workspace) {
  const std::size_t seeds = params.integer("count");
  const auto drawn = strips(seeds, params.integer("seed"), workspace);
  if (!drawn) return drawn.error();
  const std::vector<std::vector<double>>& rows = drawn.value();
  Series dims{"dims", "", {section_widths.size()}, {}};
  Series norms{"norms", "", {section_widths.size(), seeds}, {}};
  Series means{"mean_norm", "", {section_widths.size()}, {}};
  Series lows{"low_norm", "", {section_widths.size()}, {}};
  Series highs{"high_norm", "", {section_widths.size()}, {}};
  for (std::size_t i = 0; i < section_widths.size(); ++i) {
    dims.data.push_back(static_cast<double>(section_widths[i]));
    norms.data.insert(norms.data.end(), rows[i].begin(), rows[i].end());
    std::vector<double> sorted = rows[i];
    std::sort(sorted.begin(), sorted.end());
    double mean = 0;
    for (const double norm : sorted) mean += norm / static_cast<double>(seeds);
    means.data.push_back(mean);
    lows.data.push_back(sorted[seeds / 40]);
    highs.data.push_back(sorted[seeds - 1 - seeds / 40]);
  }
  const auto made = make_tables(params.text("generator"), 0, [&](double share) { return workspace.tell(0.8 + 0.2 * share); });
  if (!made) return made.error();
  Series printed_dims{"printed_dims", "", {printed_widths.size()}, {}};
  Series printed{"printed_norm", "", {printed_widths.size()}, {}};
  for (std::size_t i = 0; i < printed_widths.size(); ++i) {
    printed_dims.data.push_back(static_cast<double>(printed_widths[i]));
    printed.data.push_back(made.value()[0][2 * i].value);  // the table alternates unscaled and scaled
  }
  std::vector<Series> series;
  for (Series* each : {&dims, &norms, &means, &lows, &highs, &printed_dims, &printed}) series.push_back(std::move(*each));
  return series;
}

Finding peak() {
  Proof proof;
  const auto rows = strips(100, 11, Workspace{}).value();
  std::vector<double> means;
  for (const auto& row : rows) {
    double mean = 0;
    for (const double norm : row) mean += norm / static_cast<double>(row.size());
    means.push_back(mean);
  }
  const std::size_t highest = static_cast<std::size_t>(std::max_element(means.begin(), means.end()) - means.begin());
  proof.require(section_widths[highest] == 8 || section_widths[highest] == 16, "the mean over 100 seeds peaks at d = " + std::to_string(section_widths[highest]));
  proof.within("mean at d = 4 less mean at d = 8", means[0] - means[1], -0.045, -0.03);
  proof.require(means[0] > means[4] && means[4] > means[7], "the three printed widths alone fall");
  return proof.finding();
}

Finding stray() {
  Proof proof;
  const auto rows = strips(200, 12, Workspace{}).value();
  const auto& wide = rows.back();  // the mean is 0.0925; a quarter of it 0.023
  const auto [least, most] = std::minmax_element(wide.begin(), wide.end());
  proof.within("lowest of 200 norms at d = 512", *least, 0.062, 0.076);
  proof.within("highest of 200 norms at d = 512", *most, 0.108, 0.122);
  return proof.finding();
}

/// The points as this study draws them, by JAX's generator whichever printed run is marked; then the marked run.
std::string code_of(const Params& params) {
  const bool torch = params.text("generator") == "torch";
  const std::string first = std::to_string(params.integer("seed"));
  const std::string widths = "(4, 8, 16, 32, 64, 128, 256, 512)";
  std::string code = imports_code(false);
  code.append("# the points: given its query, the scores of a row are independent normals of variance |q|^2\n"
              "def norm(d, seed):\n"
              "    key_q, key_a = jax.random.split(jax.random.key(seed % 2**32))\n"
              "    square = -2 * jnp.log1p(-jax.random.uniform(key_q, (256, d // 2))).sum(-1, keepdims=True)\n"
              "    w = jax.nn.softmax(jnp.sqrt(square) * jax.random.normal(key_a, (256, 64)))\n"
              "    jacobian = w[..., None] * jnp.eye(64) - w[..., None] * w[..., None, :]\n"
              "    return float(jnp.sqrt((jacobian ** 2).sum((-2, -1))).mean())\n\n");
  code.append("for d in ").append(widths).append(":\n    print(d, [norm(d, ").append(first).append(" + s) for s in range(")
      .append(std::to_string(params.integer("count"))).append(")])\n\n# the printed run\n");
  if (torch) code.append(imports_code(true));
  code.append(attention_stats_code(torch, 256, 64, 0, "nats"));
  if (torch) code.append("torch.manual_seed(0)\n");
  return code.append("for d in (4, 64, 512):\n    print(d, [attention_stats(d, scaled)[1] for scaled in (False, True)])\n");
}

Study declare() {
  Study study;
  study.id = "seeds";
  study.title = "Two hundred seeds";
  study.summary = "The unscaled gradient norm of many runs at each width, with the printed run among them.";
  study.parameters = {
      {.key = "generator", .label = "printed run of", .symbol = "", .help = "Whose printed run is marked.",
       .kind = Kind::choice, .initial = std::string("jax"), .choices = {"jax", "torch"}},
      {.key = "count", .label = "seeds", .symbol = "", .help = "Runs at each width.", .initial = 200.0, .min = 40, .max = 400, .step = 20},
      {.key = "seed", .label = "seed", .symbol = "", .help = "The first run's seed; the others count on from it.", .initial = 0.0, .min = 0, .max = 4294967295.0},
  };
  study.series = {
      {"dims", "width of queries and keys", "", {"points"}},
      {"norms", "mean Jacobian norm of each run", "", {"points", "seeds"}},
      {"mean_norm", "mean over the runs", "", {"points"}},
      {"low_norm", "lower end of the middle 95% of runs", "", {"points"}},
      {"high_norm", "upper end of the middle 95% of runs", "", {"points"}},
      {"printed_dims", "widths that are printed", "", {"printed"}},
      {"printed_norm", "the printed run's norm before rounding", "", {"printed"}},
  };
  study.presets = {
      {"jax", "the printed run of JAX", {{"generator", std::string("jax")}}},
      {"torch", "the printed run of PyTorch", {{"generator", std::string("torch")}}},
  };
  study.claims = {
      {"peak", "Over many seeds the unscaled norm rises from d = 4, peaks near d = 8 to 16 and then falls; the three printed widths show only the fall.", proof(peak)},
      {"stray", "Of two hundred runs at d = 512 the lowest and the highest lie about a quarter below and above the mean.", proof(stray)},
  };
  study.run = run_seeds;
  study.code = code_of;
  return study;
}

}  // namespace

const Study& seeds() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

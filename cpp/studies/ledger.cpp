// The ledger: every number that the textbook section and its deck print, made again from the same seed, and a verdict by
// comparing text with text. Then the numbers that stand in prose, against many fresh runs: what a reader with another seed
// would see. Nothing is pre-filled; with another seed the verdicts differ.
#include <algorithm>
#include <cmath>

#include "attn/attention.hpp"
#include "attn/chains.hpp"
#include "attn/entropy.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/text.hpp"
#include "saturation_equivalent.hpp"
#include "saturation_notebook.hpp"
#include "evidence.hpp"
#include "ledger_printed.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

/// A number in prose: what it says, the statistic of a run it speaks of, and when a run bears it out.
struct Prose {
  std::string place, sentence;
  double printed;
  double low, high;  ///< a run bears the sentence out when its statistic lies in [low, high)
};

const std::vector<Prose>& prose() {
  static const std::vector<Prose> all{
      {"section 10.2.1.1 and deck", "scaled entropy of about 3.7 nats (64 keys, d = 512)", 3.7, 3.65, 3.75},
      {"section 10.2.1.1 and deck", "unscaled entropy below 0.2 nats (64 keys, d = 512)", 0.2, 0, 0.2},
      {"section 10.2.1.1 and deck", "unscaled Jacobian norm about half the scaled one (d = 512)", 0.5, 0.45, 0.55},
      {"plate", "unscaled entropy 3.28 bits (32 keys, five draws, d = 4)", 3.28, 3.275, 3.285},
      {"plate", "unscaled entropy 0.29 bits (32 keys, five draws, d = 128)", 0.29, 0.285, 0.295},
      {"plate", "scaled entropy 4.27 bits (32 keys, five draws, d = 128)", 4.27, 4.265, 4.275},
      {"plate", "unscaled scores of one draw spread by about 9.6 (32 keys, d = 128)", 9.6, 9.55, 9.65},
  };
  return all;
}

/// The statistics of `runs` fresh runs, one vector a sentence of `prose`.
Result<std::vector<std::vector<double>>> simulate(std::size_t runs, std::uint64_t seed, const Workspace& workspace, double from) {
  std::vector<std::vector<double>> statistics(prose().size());
  Equivalent section(512, 64, 256);
  Equivalent plate_narrow(4, 32, 5);
  Equivalent plate_wide(128, 32, 5);
  for (std::size_t run = 0; run < runs; ++run) {
    const std::uint64_t fresh = run_seed(seed, run);
    const EquivalentRow means = section.means(fresh);
    statistics[0].push_back(means.entropy[1]);
    statistics[1].push_back(means.entropy[0]);
    statistics[2].push_back(means.norm[0] / means.norm[1]);
    statistics[3].push_back(plate_narrow.means(fresh).entropy[0] / nats_per_bit);
    const EquivalentRow wide = plate_wide.means(fresh);
    statistics[4].push_back(wide.entropy[0] / nats_per_bit);
    statistics[5].push_back(wide.entropy[1] / nats_per_bit);
    statistics[6].push_back(std::sqrt(plate_wide.rows(fresh).front().variance[0]));
    if (run % 16 == 15 && !workspace.tell(from + (1 - from) * static_cast<double>(run) / static_cast<double>(runs))) return stopped();
  }
  return statistics;
}

Series words_of(std::string name, std::vector<std::string> words) {
  Series series{std::move(name), "", {words.size()}, {}};
  series.words = std::move(words);
  return series;
}

Series numbers_of(std::string name, std::vector<double> data) { return {std::move(name), "", {data.size()}, std::move(data)}; }

Result<std::vector<Series>> run_ledger(const Params& params, Workspace& workspace) {
  const std::string& generator = params.text("generator");
  std::vector<std::string> frameworks, places, abouts, calls, entries, printed, ours, verdicts;
  std::vector<double> slots, values;
  double matches = 0;
  std::size_t table_index = 0;
  for (const std::string framework : {"jax", "torch"}) {
    const bool wanted = generator == "both" || generator == framework;
    std::vector<std::vector<Made>> made;
    if (wanted) {
      const double base = framework == "torch" && generator == "both" ? 0.25 : 0.0;
      auto tables = make_tables(framework, params.integer("offset"), [&](double share) { return workspace.tell(base + 0.25 * share); });
      if (!tables) return tables.error();
      made = std::move(tables).value();
    }
    std::size_t of_framework = 0;
    for (; table_index < printed_tables().size() && printed_tables()[table_index].framework == framework; ++table_index) {
      if (!wanted) continue;
      const PrintedTable& table = printed_tables()[table_index];
      const std::vector<Made>& numbers = made[of_framework++];
      for (std::size_t i = 0; i < table.printed.size(); ++i) {
        const bool match = numbers[i].text == table.printed[i];
        matches += match ? 1 : 0;
        slots.push_back(static_cast<double>(slots.size() + 1));
        frameworks.push_back(table.framework);
        places.push_back(table.place);
        abouts.push_back(table.about);
        calls.push_back(table.calls);
        entries.push_back(table.entries[i]);
        printed.push_back(table.printed[i]);
        ours.push_back(numbers[i].text);
        values.push_back(numbers[i].value);
        verdicts.emplace_back(match ? "match" : "differs");
      }
    }
  }

  const std::size_t runs = params.integer("runs");
  const auto simulated = simulate(runs, params.integer("seed"), workspace, 0.5);
  if (!simulated) return simulated.error();
  const std::vector<std::vector<double>>& statistics = simulated.value();
  std::vector<std::string> sentences, prose_places;
  std::vector<double> said, means, deviations, lows, highs, below, chances;
  for (std::size_t i = 0; i < prose().size(); ++i) {
    const Prose& each = prose()[i];
    std::vector<double> sorted = statistics[i];
    std::sort(sorted.begin(), sorted.end());
    const auto count = static_cast<double>(runs);
    const auto share = [&](double least, double most) {
      return static_cast<double>(std::count_if(sorted.begin(), sorted.end(), [&](double x) { return x >= least && x < most; })) / count;
    };
    double mean = 0;
    for (const double x : statistics[i]) mean += x / count;
    sentences.push_back(each.sentence);
    prose_places.push_back(each.place);
    said.push_back(each.printed);
    means.push_back(mean);
    deviations.push_back(std::sqrt(score_variance(statistics[i])));
    lows.push_back(sorted[runs / 40]);
    highs.push_back(sorted[runs - 1 - runs / 40]);
    below.push_back(share(-1e300, each.printed));
    chances.push_back(share(each.low, each.high));
  }
  if (!workspace.tell(1)) return stopped();

  std::vector<Series> series;
  const auto total = static_cast<double>(slots.size());
  series.push_back(numbers_of("slot", std::move(slots)));
  series.push_back(words_of("framework", std::move(frameworks)));
  series.push_back(words_of("place", std::move(places)));
  series.push_back(words_of("about", std::move(abouts)));
  series.push_back(words_of("calls", std::move(calls)));
  series.push_back(words_of("entry", std::move(entries)));
  series.push_back(words_of("printed", std::move(printed)));
  series.push_back(words_of("ours", std::move(ours)));
  series.push_back(numbers_of("value", std::move(values)));
  series.push_back(words_of("verdict", std::move(verdicts)));
  series.push_back({"matches", "", {1}, {matches}});
  series.push_back({"slots", "", {1}, {total}});
  series.push_back(words_of("prose_sentence", std::move(sentences)));
  series.push_back(words_of("prose_place", std::move(prose_places)));
  series.push_back(numbers_of("prose_printed", std::move(said)));
  series.push_back(numbers_of("prose_mean", std::move(means)));
  series.push_back(numbers_of("prose_deviation", std::move(deviations)));
  series.push_back(numbers_of("prose_low", std::move(lows)));
  series.push_back(numbers_of("prose_high", std::move(highs)));
  series.push_back(numbers_of("prose_below", std::move(below)));
  series.push_back(numbers_of("prose_chance", std::move(chances)));
  return series;
}

/// Slots whose text differs when `offset` is added to every seed.
std::size_t differing(std::uint64_t offset) {
  std::size_t differ = 0;
  std::size_t index = 0;
  for (const char* framework : {"jax", "torch"}) {
    const auto tables = make_tables(framework, offset, [](double) { return true; }).value();
    for (const auto& table : tables) {
      const auto& printed = printed_tables()[index++].printed;
      for (std::size_t i = 0; i < printed.size(); ++i) differ += table[i].text == printed[i] ? 0 : 1;
    }
  }
  return differ;
}

Finding all_match() {
  Proof proof;
  std::size_t slots = 0;
  bool placed = true;
  for (const PrintedTable& table : printed_tables()) {
    slots += table.printed.size();
    placed = placed && table.entries.size() == table.printed.size();
  }
  proof.require(placed, "every number of a table has its place");
  proof.require(slots == 112, "112 printed numbers");
  proof.require(differing(0) == 0, "all match by text");
  return proof.finding();
}

Finding other_seed() {
  Proof proof;
  // Exact zeros and the one-hot row's 1, 26 of the 112, print the same under any seed; three decimals of a norm may.
  proof.within("slots that differ with 1 added to every seed", static_cast<double>(differing(1)), 75, 86);
  return proof.finding();
}

Finding same_distribution() {
  Proof proof;
  // The cheap form against attention_stats itself: mean entropies and norms over 24 seeds each, within four standard errors.
  Equivalent cheap(16, 64, 256);
  for (std::size_t f = 0; f < 2; ++f) {
    std::vector<double> entropies, norms, cheap_entropies, cheap_norms;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
      AttentionStatsOptions options;
      options.d = 16;
      options.seed = 300 + seed;
      options.scaled = f == 1;
      const AttentionStats stats = attention_stats(options).value();
      entropies.push_back(stats.entropy.mean);
      norms.push_back(stats.jacobian_norm.mean);
      const EquivalentRow means = cheap.means(300 + seed);
      cheap_entropies.push_back(means.entropy[f]);
      cheap_norms.push_back(means.norm[f]);
    }
    const auto compare = [&](const std::string& what, const std::vector<double>& a, const std::vector<double>& b) {
      double difference = 0;
      for (std::size_t i = 0; i < a.size(); ++i) difference += (a[i] - b[i]) / static_cast<double>(a.size());
      const double error = std::sqrt((score_variance(a) + score_variance(b)) / static_cast<double>(a.size()));
      proof.within(what + ", difference in standard errors", difference / error, -4, 4);
    };
    compare(f == 0 ? "unscaled entropy" : "scaled entropy", entropies, cheap_entropies);
    compare(f == 0 ? "unscaled norm" : "scaled norm", norms, cheap_norms);
  }
  return proof.finding();
}

Finding below_02() {
  Proof proof;
  const auto statistics = simulate(400, 7, Workspace{}, 0).value();
  double below = 0;
  for (const double entropy : statistics[1]) below += entropy < 0.2 ? 1.0 / 400 : 0;
  // 400 runs tell a share near 0.85 to within 0.018 (one standard error); two are allowed.
  proof.within("share of 400 runs below 0.2 nats", below, 0.85 - 0.036, 0.85 + 0.036);
  double level = 0;
  for (const double entropy : statistics[0]) level += entropy >= 3.65 && entropy < 3.75 ? 1.0 / 400 : 0;
  proof.within("share whose scaled entropy rounds to 3.7", level, 0.995, 1);
  return proof.finding();
}

/// Where a table stands in `printed_tables`; their number if it does not.
std::size_t table_at(const std::string& framework, const std::string& about) {
  const auto& tables = printed_tables();
  return static_cast<std::size_t>(std::find_if(tables.begin(), tables.end(), [&](const PrintedTable& table) {
                                    return table.framework == framework && table.about == about;
                                  }) - tables.begin());
}

Finding near_tie() {
  Proof proof;
  const std::size_t table = table_at("torch", "masked softmax, one length a query");
  if (table == printed_tables().size()) return {false, "the table is not listed"};
  const auto& entries = printed_tables()[table].entries;
  const std::size_t entry = static_cast<std::size_t>(std::find(entries.begin(), entries.end(), "[0][1][2]") - entries.begin());
  if (entry == entries.size()) return {false, "the entry is not listed"};
  const Made made = make_tables("torch", 0, [](double) { return true; }).value()[table - table_at("torch", "Jacobian norms at three widths")][entry];
  proof.require(made.text == "0.2584", "it prints 0.2584");
  proof.within("distance of its value from 0.258350003817", std::fabs(made.value - 0.258350003817), 0, 1e-12);
  return proof.finding();
}

Finding reciprocal() {
  Proof proof;
  const std::size_t at = table_at("jax", "masked softmax, one length a query");
  if (at == printed_tables().size()) return {false, "the table is not listed"};
  const auto& table = printed_tables()[at];
  std::vector<float> scores(16);
  random::jax::uniform(random::jax::key(1), 0, scores);
  const std::array<std::size_t, 4> lengths{1, 3, 2, 4};
  std::array<std::size_t, 2> agree{};
  for (std::size_t r = 0; r < 4; ++r) {
    const float* row = scores.data() + 4 * r;
    const float largest = *std::max_element(row, row + lengths[r]);
    std::array<float, 4> exponentials{};
    float sum = 0;
    for (std::size_t j = 0; j < lengths[r]; ++j) sum = sum + (exponentials[j] = chains::jax::exp(row[j] - largest));
    for (std::size_t j = 0; j < 4; ++j) {
      agree[0] += chains::jax::text(exponentials[j] * (1 / sum)) == table.printed[4 * r + j] ? 1U : 0U;
      agree[1] += chains::jax::text(exponentials[j] / sum) == table.printed[4 * r + j] ? 1U : 0U;
    }
  }
  proof.require(agree[0] == 16, "all 16 by the reciprocal");
  proof.require(agree[1] == 13, "13 of 16 by division");
  return proof.finding();
}

Finding notebook_order() {
  Proof proof;
  // A generator seeded with 0 that goes straight to the two tables, without the norms before them.
  random::torch::Generator generator(0);
  std::vector<float> scores(16);
  for (const char* about : {"masked softmax, one length a sequence", "masked softmax, one length a query"}) {
    const std::size_t at = table_at("torch", about);
    if (at == printed_tables().size()) return {false, "the table is not listed"};
    generator.rand(scores);
    std::vector<double> weights(4);
    chains::torch::softmax_row(std::span<const float>(scores).last(4), 3, weights);
    proof.require(chains::torch::text(weights[0]) != printed_tables()[at].printed[12], std::string(about).append(": the last row differs"));
  }
  return proof.finding();
}

/// All tables of one framework, in the order of the print.
std::string framework_code(bool torch, std::uint64_t offset) {
  const auto key = [&](std::uint64_t seed) { return "jax.random.key(" + std::to_string(seed + offset) + ")"; };
  const std::string start = "torch.manual_seed(" + std::to_string(offset) + ")\n";
  std::string code = imports_code(torch) + attention_stats_code(torch, 256, 64, offset, "nats");
  code.append("def masked_softmax(scores, lens):\n");
  code.append(torch ? "    seen = torch.arange(4) < lens.reshape(2, -1, 1)\n"
                      "    weights = torch.where(seen, scores, torch.finfo(scores.dtype).min).softmax(-1)\n"
                      "    return torch.where(seen, weights, 0.0)\n\n"
                    : "    seen = jnp.arange(4) < lens.reshape(2, -1, 1)\n"
                      "    weights = jax.nn.softmax(jnp.where(seen, scores, jnp.finfo(scores.dtype).min))\n"
                      "    return jnp.where(seen, weights, 0)\n\n");
  if (torch) code.append(start);
  code.append("for d in (4, 64, 512):\n    print(d, [f'{attention_stats(d, scaled)[1]:.3f}' for scaled in (False, True)])\n");
  if (torch) {
    code.append("print(masked_softmax(torch.rand(2, 2, 4), torch.tensor([2, 3])))\n"
                "print(masked_softmax(torch.rand(2, 2, 4), torch.tensor([[1, 3], [2, 4]])))\n\n").append(start);
    code.append("queries, keys = torch.randn(3, 20), torch.randn(6, 2)\n"
                "W_q, W_k, w_v = torch.randn(8, 20), torch.randn(8, 2), torch.randn(8)\n");
  } else {
    code.append("print(masked_softmax(jax.random.uniform(").append(key(0)).append(", (2, 2, 4)), jnp.array([2, 3])))\n");
    code.append("print(masked_softmax(jax.random.uniform(").append(key(1)).append(", (2, 2, 4)), jnp.array([[1, 3], [2, 4]])))\n\n");
    code.append("shapes = (3, 20), (6, 2), (8, 20), (8, 2), (8,)\n"
                "queries, keys, W_q, W_k, w_v = [jax.random.normal(k, s) for k, s in zip(jax.random.split(").append(key(0)).append(", 5), shapes)]\n");
  }
  code.append("hidden = (queries @ (W_q / math.sqrt(20)).T)[:, None] + (keys @ (W_k / math.sqrt(2)).T)[None]\n");
  code.append(torch ? "print(torch.softmax(torch.tanh(hidden) @ (w_v / math.sqrt(8)), -1))\n"
                    : "print(jax.nn.softmax(jnp.tanh(hidden) @ (w_v / math.sqrt(8))))\n");
  return code;
}

std::string code_of(const Params& params) {
  const std::string& generator = params.text("generator");
  const std::uint64_t offset = params.integer("offset");
  if (generator != "both") return framework_code(generator == "torch", offset);
  return framework_code(false, offset) + "\n" + framework_code(true, offset);
}

Study declare() {
  Study study;
  study.id = "ledger";
  study.title = "The numbers in print";
  study.summary = "Every number the section and its deck print, made again from the same seeds and compared as text.";
  study.parameters = {
      {.key = "generator", .label = "framework", .symbol = "", .help = "Whose printed numbers to make again.",
       .kind = Kind::choice, .initial = std::string("both"), .choices = {"both", "jax", "torch"}},
      {.key = "offset", .label = "added to every seed", .symbol = "", .help = "0 makes the printed numbers; anything else makes a stranger's.",
       .initial = 0.0, .min = 0, .max = 1000},
      {.key = "runs", .label = "fresh runs", .symbol = "", .help = "Runs simulated for the numbers in prose.",
       .initial = 200.0, .min = 40, .max = 2000, .scale = Scale::log2},
      {.key = "seed", .label = "seed", .symbol = "", .help = "Seed of the first simulated run; the others count on from it.", .initial = 0.0, .min = 0, .max = 4294967295.0},
  };
  const std::vector<std::string> slots{"slots"};
  const std::vector<std::string> prose_axis{"prose"};
  study.series = {
      {"slot", "number of the slot", "", slots},
      {"framework", "jax or torch", "", slots, true},
      {"place", "where it is printed", "", slots, true},
      {"about", "what the table shows", "", slots, true},
      {"calls", "the calls that make it", "", slots, true},
      {"entry", "which number of the table", "", slots, true},
      {"printed", "the printed text", "", slots, true},
      {"ours", "our text", "", slots, true},
      {"value", "the value before rounding for print", "", slots},
      {"verdict", "match or differs, by text", "", slots, true},
      {"matches", "slots that match", ""},
      {"slots", "slots listed", ""},
      {"prose_sentence", "what the prose says", "", prose_axis, true},
      {"prose_place", "where it says so", "", prose_axis, true},
      {"prose_printed", "the number in prose", "", prose_axis},
      {"prose_mean", "mean over fresh runs", "", prose_axis},
      {"prose_deviation", "standard deviation over fresh runs", "", prose_axis},
      {"prose_low", "lower end of the middle 95% of runs", "", prose_axis},
      {"prose_high", "upper end of the middle 95% of runs", "", prose_axis},
      {"prose_below", "share of runs below the number", "", prose_axis},
      {"prose_chance", "share of runs that bear the sentence out", "", prose_axis},
  };
  study.records = "slots";
  study.presets = {
      {"printed", "as printed", {{"generator", std::string("both")}, {"offset", 0.0}}},
      {"stranger", "another seed", {{"generator", std::string("both")}, {"offset", 1.0}}},
  };
  study.claims = {
      {"all-match", "All 112 printed numbers come out again, digit for digit.", proof(all_match)},
      {"other-seed", "With one added to every seed, most of the texts differ: only zeros and ones have to agree.", proof(other_seed)},
      {"near-tie", "One weight of the PyTorch tables, printed 0.2584, is 0.258350003817 before any rounding: it all but sits between two prints.", proof(near_tie)},
      {"reciprocal", "Multiplying by the reciprocal of the sum prints all sixteen weights of a JAX table; dividing by the sum prints thirteen.", proof(reciprocal)},
      {"notebook-order", "PyTorch's tables come out only after the draws that the notebook makes before them.", proof(notebook_order)},
      {"same-distribution", "Drawing the scores from their own normal distribution gives the same experiment at a fraction of the cost.", proof(same_distribution)},
      {"prose-chance", "About 85 fresh runs in a hundred stay below 0.2 nats at d = 512, and nearly every one rounds to 3.7 when scaled.", proof(below_02)},
  };
  study.run = run_ledger;
  study.code = code_of;
  return study;
}

}  // namespace

const Study& ledger() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

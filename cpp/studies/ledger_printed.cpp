// The printed texts, and the calls that make them again in the frameworks' own order of draws. See ledger_printed.hpp.
#include "ledger_printed.hpp"

#include <cstdio>

#include "attn/attention.hpp"
#include "attn/chains.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/study.hpp"

namespace attn::studies {
namespace {

constexpr std::array<std::size_t, 3> norm_widths{4, 64, 512};
constexpr std::array<std::size_t, 4> per_sequence{2, 2, 3, 3};
constexpr std::array<std::size_t, 4> per_query{1, 3, 2, 4};

std::vector<std::string> norm_entries() {
  std::vector<std::string> entries;
  for (const std::size_t d : norm_widths) {
    for (const char* form : {"unscaled", "scaled"}) entries.push_back(std::string("d = ").append(std::to_string(d)).append(", ").append(form));
  }
  return entries;
}

/// "[b][q][k]" for (2, 2, 4), or "[q][k]" for (3, 6).
std::vector<std::string> cell_entries(std::size_t batch, std::size_t rows, std::size_t columns) {
  std::vector<std::string> entries;
  const auto bracket = [](std::size_t i) { return std::string("[").append(std::to_string(i)).append("]"); };
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) entries.push_back((batch > 1 ? bracket(b) : std::string()) + bracket(r) + bracket(c));
    }
  }
  return entries;
}

template <class T>
std::string three_decimals(T value) {
  char text[24];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(value));
  return text;
}

template <class T, class Text>
std::vector<Made> made_of(const std::vector<T>& values, Text text) {
  std::vector<Made> made;
  for (const T value : values) made.push_back({text(value), static_cast<double>(value)});
  return made;
}

/// Four rows of four scores over their lengths.
template <class T>
std::vector<T> softmax_table(const std::vector<float>& scores, const std::array<std::size_t, 4>& lengths,
                             void (*row)(std::span<const float>, std::size_t, std::span<T>)) {
  std::vector<T> weights(16);
  for (std::size_t r = 0; r < 4; ++r) {
    row(std::span<const float>(scores).subspan(4 * r, 4), lengths[r], std::span<T>(weights).subspan(4 * r, 4));
  }
  return weights;
}

struct Additive {
  std::vector<float> queries = std::vector<float>(60), keys = std::vector<float>(12), w_q = std::vector<float>(160),
                     w_k = std::vector<float>(16), w_v = std::vector<float>(8);
  [[nodiscard]] chains::AdditiveDraws draws() const { return {queries, keys, w_q, w_k, w_v}; }
};

Result<std::vector<std::vector<Made>>> make_jax(std::uint64_t offset, const std::function<bool(double)>& tell) {
  std::vector<std::vector<Made>> tables(1);
  DrawCache cache;
  for (const std::size_t d : norm_widths) {
    AttentionStatsOptions options;
    options.d = d;
    options.seed = offset;
    const auto pair = attention_stats_pair(options, cache).value();
    for (const auto& stats : pair) tables[0].push_back({three_decimals(stats.jacobian_norm.mean), stats.jacobian_norm.mean});
    if (!tell(static_cast<double>(d) / 580)) return stopped();
  }
  for (const std::uint64_t seed : {0U, 1U}) {
    std::vector<float> scores(16);
    random::jax::uniform(random::jax::key(seed + offset), 0, scores);
    tables.push_back(made_of(softmax_table(scores, seed == 0 ? per_sequence : per_query, chains::jax::softmax_row), chains::jax::text));
  }
  Additive additive;
  const auto keys = random::jax::split(random::jax::key(offset), 5);
  std::size_t which = 0;
  for (auto* draws : {&additive.queries, &additive.keys, &additive.w_q, &additive.w_k, &additive.w_v}) {
    random::jax::normal(keys[which++], 0, *draws);
  }
  std::vector<float> weights(18);
  chains::jax::additive_weights(additive.draws(), weights);
  tables.push_back(made_of(weights, chains::jax::text));
  return tables;
}

Result<std::vector<std::vector<Made>>> make_torch(std::uint64_t offset, const std::function<bool(double)>& tell) {
  std::vector<std::vector<Made>> tables(1);
  random::torch::Generator generator(offset);
  double done = 0;
  for (const std::size_t d : norm_widths) {
    for (const bool scaled : {false, true}) {
      AttentionStatsOptions options;
      options.d = d;
      options.scaled = scaled;
      const double norm = attention_stats(options, generator).value().jacobian_norm.mean;
      tables[0].push_back({three_decimals(norm), norm});
      if (!tell((done += static_cast<double>(d)) / 1160)) return stopped();
    }
  }
  for (const auto* lengths : {&per_sequence, &per_query}) {
    std::vector<float> scores(16);
    generator.rand(scores);
    tables.push_back(made_of(softmax_table(scores, *lengths, chains::torch::softmax_row), chains::torch::text));
  }
  generator.manual_seed(offset);
  Additive additive;
  for (auto* draws : {&additive.queries, &additive.keys, &additive.w_q, &additive.w_k, &additive.w_v}) generator.randn(*draws);
  std::vector<double> weights(18);
  chains::torch::additive_weights(additive.draws(), weights);
  tables.push_back(made_of(weights, chains::torch::text));
  return tables;
}

}  // namespace

const std::vector<PrintedTable>& printed_tables() {
  static const std::vector<PrintedTable> tables{
      {"jax", "section 10.2.1.1 and deck", "Jacobian norms at three widths",
       "attention_stats(d, scaled=False), attention_stats(d, scaled=True); key(0) on every call", norm_entries(),
       {"0.258", "0.178", "0.218", "0.184", "0.103", "0.186"}},
      {"jax", "section 10.2.2.1 and deck", "masked softmax, one length a sequence",
       "masked_softmax(uniform(key(0), (2, 2, 4)), [2, 3])", cell_entries(2, 2, 4),
       {"0.4922724", "0.5077276", "0.", "0.", "0.5997409", "0.40025908", "0.", "0.",
        "0.3531402", "0.19856434", "0.4482954", "0.", "0.31042197", "0.2873157", "0.40226236", "0."}},
      {"jax", "section 10.2.2.1 and deck", "masked softmax, one length a query",
       "masked_softmax(uniform(key(1), (2, 2, 4)), [[1, 3], [2, 4]])", cell_entries(2, 2, 4),
       {"1.", "0.", "0.", "0.", "0.35672572", "0.2543091", "0.38896522", "0.",
        "0.43679553", "0.5632045", "0.", "0.", "0.2580636", "0.2509437", "0.258296", "0.23269679"}},
      {"jax", "section 10.2.4 and deck", "weights of the additive score",
       "softmax(tanh(queries @ W_q.T + keys @ W_k.T) @ w_v) on normals of split(key(0), 5)", cell_entries(1, 3, 6),
       {"0.13390937", "0.3772766", "0.17127123", "0.1027277", "0.06276076", "0.15205443",
        "0.19218282", "0.31524566", "0.14511336", "0.08953383", "0.07662669", "0.18129766",
        "0.15669951", "0.3378386", "0.15281527", "0.11713327", "0.09428051", "0.1412329"}},
      {"torch", "section 10.2.1.1", "Jacobian norms at three widths",
       "manual_seed(0); attention_stats(d, scaled=False), attention_stats(d, scaled=True), fresh draws on every call", norm_entries(),
       {"0.259", "0.178", "0.208", "0.182", "0.093", "0.184"}},
      {"torch", "section 10.2.2.1", "masked softmax, one length a sequence",
       "masked_softmax(rand(2, 2, 4), [2, 3]), the generator going on from the norms", cell_entries(2, 2, 4),
       {"0.7005", "0.2995", "0.0000", "0.0000", "0.5080", "0.4920", "0.0000", "0.0000",
        "0.2296", "0.3997", "0.3707", "0.0000", "0.1914", "0.4130", "0.3956", "0.0000"}},
      {"torch", "section 10.2.2.1", "masked softmax, one length a query",
       "masked_softmax(rand(2, 2, 4), [[1, 3], [2, 4]]), the generator still going on", cell_entries(2, 2, 4),
       {"1.0000", "0.0000", "0.0000", "0.0000", "0.3538", "0.3878", "0.2584", "0.0000",
        "0.5266", "0.4734", "0.0000", "0.0000", "0.2870", "0.2921", "0.2345", "0.1864"}},
      {"torch", "section 10.2.4", "weights of the additive score",
       "manual_seed(0); softmax(tanh(queries @ W_q.T + keys @ W_k.T) @ w_v) on randn in the order queries, keys, W_q, W_k, w_v",
       cell_entries(1, 3, 6),
       {"0.1692", "0.1612", "0.1816", "0.1560", "0.1502", "0.1818",
        "0.1664", "0.1849", "0.1657", "0.1338", "0.1623", "0.1870",
        "0.1517", "0.2188", "0.1441", "0.1317", "0.2166", "0.1371"}},
  };
  return tables;
}

Result<std::vector<std::vector<Made>>> make_tables(const std::string& framework, std::uint64_t offset, const std::function<bool(double)>& tell) {
  return framework == "jax" ? make_jax(offset, tell) : make_torch(offset, tell);
}

}  // namespace attn::studies

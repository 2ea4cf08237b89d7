// Sheets of masks: an expression laid out as sheets, their AND, what is left of the weights, which rows run empty and why, and
// what each representation costs. Up to 64 x 64 cell by cell, beyond as tiles that hold the share of allowed pairs.
// Source: Dive into Deep Learning, section 10.2.2.3 and exercises 6 and 7.
#include <algorithm>
#include <cmath>
#include <limits>

#include "attn/mask_export.hpp"
#include "attn/mask_report.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/softmax.hpp"
#include "masks_claims.hpp"
#include "masks_state.hpp"
#include "studies.hpp"

namespace attn::studies {
namespace {

constexpr std::size_t most_cells = 64;  ///< queries or keys drawn one by one
constexpr std::size_t most_runs = 64;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::optional<Error> check_masks(const Params& params) {
  const auto state = masks_state(params);
  return state ? std::nullopt : std::optional<Error>{state.error()};
}

double count_of(std::uint64_t value) { return static_cast<double>(value); }

Series single(std::string name, double value, std::string unit = {}) { return {std::move(name), std::move(unit), {1}, {value}}; }

/// Which drawn row and column a query and a key fall into.
struct Tiles {
  std::size_t queries, keys, query_tile, key_tile, rows, columns;

  explicit Tiles(const MaskSizes& sizes) : queries(sizes.queries), keys(sizes.keys) {
    const bool cells = queries <= most_cells && keys <= most_cells;
    query_tile = cells ? 1 : (queries + most_cells - 1) / most_cells;
    key_tile = cells ? 1 : (keys + most_cells - 1) / most_cells;
    rows = (queries + query_tile - 1) / query_tile;
    columns = (keys + key_tile - 1) / key_tile;
  }
  [[nodiscard]] bool cell_by_cell() const { return query_tile == 1 && key_tile == 1; }
  [[nodiscard]] std::vector<std::size_t> shape() const { return {rows, columns}; }

  /// Counts the keys of a row of intervals into the tiles of its query.
  void add(std::size_t query, std::span<const Interval> row, double* tiles) const {
    double* const out = tiles + query / query_tile * columns;
    for (const Interval& interval : row) {
      for (std::size_t key = interval.begin; key < interval.end;) {
        const std::size_t tile = key / key_tile;
        const std::size_t end = std::min<std::size_t>(interval.end, (tile + 1) * key_tile);
        out[tile] += static_cast<double>(end - key);
        key = end;
      }
    }
  }
  /// Counts become shares of the pairs that a tile holds; the last tiles may hold fewer.
  void share(double* tiles) const {
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t height = std::min(query_tile, queries - r * query_tile);
      for (std::size_t c = 0; c < columns; ++c) {
        const std::size_t width = std::min(key_tile, keys - c * key_tile);
        tiles[r * columns + c] /= static_cast<double>(height * width);
      }
    }
  }
};

/// The shares of one mask, for the shown sequence and head.
std::vector<double> shares_of(const BoundMask& mask, const MasksState& state, const Tiles& tiles) {
  std::vector<double> shares(tiles.rows * tiles.columns, 0.0);
  Intervals row;
  RowScratch scratch;
  for (std::size_t q = 0; q < state.sizes.queries; ++q) {
    mask.row(state.sequence, state.head, q, row, scratch);
    tiles.add(q, row, shares.data());
  }
  tiles.share(shares.data());
  return shares;
}

/// Scores (queries, keys) of the seed, and the masked softmax of them.
std::optional<Error> add_weights(const Params& params, const MasksState& state, const Tiles& tiles, std::vector<Series>& series) {
  Series scores{"score_values", "", {0, 0}, {}};
  Series weights{"weights", "", {0, 0}, {}};
  if (tiles.cell_by_cell()) {
    Tensor<float, 3> values = Tensor<float, 3>::from_shape({1, state.sizes.queries, state.sizes.keys});
    const std::span<float> entries(values.data(), values.size());
    const bool normal = params.text("scores") == "normal";
    if (params.text("scores") == "equal") {
      std::fill(entries.begin(), entries.end(), 0.0f);
    } else if (params.text("generator") == "torch") {
      random::torch::Generator generator(params.integer("seed"));
      normal ? generator.randn(entries) : generator.rand(entries);
    } else {
      const random::Key key = random::jax::key(params.integer("seed"));
      normal ? random::jax::normal(key, 0, entries) : random::jax::uniform(key, 0, entries);
    }
    Mask mask = Mask::from_shape({1, state.sizes.queries, state.sizes.keys});
    for (std::size_t q = 0; q < state.sizes.queries; ++q) {
      for (std::size_t k = 0; k < state.sizes.keys; ++k) mask(0, q, k) = state.laid.allows(state.sequence, state.head, q, k);
    }
    const auto soft = attn::masked_softmax(values, mask);
    if (!soft) return soft.error();
    scores.shape = weights.shape = {state.sizes.queries, state.sizes.keys};
    scores.data.assign(values.begin(), values.end());
    weights.data.assign(soft.value().begin(), soft.value().end());
  }
  series.push_back(std::move(weights));
  series.push_back(std::move(scores));
  return std::nullopt;
}

/// What the report says of each sheet, in the sheets' own places: those laid aside exclude nothing.
void add_sheets(const MasksState& state, const MaskReport& report, const Tiles& tiles, std::vector<Series>& series) {
  const std::size_t n = state.sheets.size();
  Series shares{"sheets", "", {n, tiles.rows, tiles.columns}, {}};
  Series text{"sheet_text", "", {n}, {}, {}};
  Series on{"sheet_on", "", {n}, {}};
  Series sole{"sheet_sole", "pairs", {n}, {}};
  Series sole_rows{"sheet_sole_rows", "rows", {n}, {}};
  Series self{"sheet_self", "", {n}, {}};
  Series density{"sheet_density", "", {n}, {}};
  std::size_t laid = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const BoundMask sheet = BoundMask::make(state.sheets[i], state.sizes).value();
    const auto tile_shares = shares_of(sheet, state, tiles);
    shares.data.insert(shares.data.end(), tile_shares.begin(), tile_shares.end());
    text.words.push_back(mask_text(state.sheets[i]));
    on.data.push_back(state.on[i] ? 1 : 0);
    // A sheet that is laid aside is looked at alone.
    const MaskReport alone = state.on[i] ? MaskReport{} : report_mask(BoundMask::make(state.sheets[i].node().kind == MaskKind::both ? MaskExpr::both({state.sheets[i], MaskExpr::all()}) : state.sheets[i], state.sizes).value()).value();
    const SheetReport& told = state.on[i] ? report.sheets[laid++] : alone.sheets.front();
    sole.data.push_back(state.on[i] ? count_of(told.sole_cells) : 0);
    sole_rows.data.push_back(state.on[i] ? count_of(told.sole_rows) : 0);
    self.data.push_back(told.keeps_self ? (*told.keeps_self ? 1 : 0) : unknown);
    density.data.push_back(count_of(told.allowed_cells) / count_of(report.cells));
  }
  for (Series* each : {&shares, &text, &on, &sole, &sole_rows, &self, &density}) series.push_back(std::move(*each));
}

/// The shares of the AND, which rows of it are empty and by what, and the runs of empty rows of every sequence.
void add_rows(const MasksState& state, const MaskReport& report, const Tiles& tiles, std::vector<Series>& series) {
  Series empty{"empty", "", {tiles.rows}, std::vector<double>(tiles.rows, 0.0)};
  Series reason{"empty_reason", "", {tiles.rows}, {}, std::vector<std::string>(tiles.rows)};
  std::vector<Series> runs{{"run_sequence", "", {0}, {}}, {"run_head", "", {0}, {}}, {"run_first", "", {0}, {}}, {"run_last", "", {0}, {}}, {"run_reason", "", {0}, {}}, {"run_involved", "", {0}, {}}};
  const std::size_t sequence = report.own.batch == 1 ? 0 : state.sequence;
  const std::size_t head = report.own.heads == 1 ? 0 : state.head;
  for (const EmptyRun& run : report.empty_runs) {
    const EmptyReason& why = report.reasons[run.reason];
    if (run.batch == sequence && run.head == head) {
      for (std::size_t q = run.first; q <= run.last; ++q) {
        empty.data[q / tiles.query_tile] += 1;
        reason.words[q / tiles.query_tile] = why.text;
      }
    }
    if (runs[0].data.size() == most_runs) continue;
    const double numbers[] = {count_of(run.batch) + 1, count_of(run.head) + 1, count_of(run.first) + 1, count_of(run.last) + 1};
    for (std::size_t i = 0; i < 4; ++i) runs[i].data.push_back(numbers[i]);
    runs[4].words.push_back(why.text);
    std::string involved;
    for (const std::size_t i : why.involved) involved.append(involved.empty() ? "" : ", ").append(report.sheets[i].text);
    runs[5].words.push_back(std::move(involved));
  }
  for (std::size_t r = 0; r < tiles.rows; ++r) empty.data[r] /= static_cast<double>(std::min(tiles.query_tile, tiles.queries - r * tiles.query_tile));
  series.push_back({"allowed", "", tiles.shape(), shares_of(state.laid, state, tiles)});
  series.push_back(std::move(empty));
  series.push_back(std::move(reason));
  const std::size_t listed = runs[0].data.size();
  for (Series& each : runs) {
    each.shape = {listed};
    series.push_back(std::move(each));
  }
}

/// Where the mask and what was meant differ.
Series differences(const MasksState& state, const Tiles& tiles) {
  Series differs{"differs", "", {0, 0}, {}};
  if (!state.meant) return differs;
  differs.shape = tiles.shape();
  const MaskExpr both = state.laid.expr() & state.meant->expr();
  const auto apart = BoundMask::make((state.laid.expr() | state.meant->expr()) & ~both, state.sizes).value();
  differs.data = shares_of(apart, state, tiles);
  return differs;
}

/// Number of the sheet of painted cells: rows(...) with a cell for every query and key, the same for all sequences and heads. One that
/// is laid aside is not painted on, since nothing would be seen of it.
double painted_sheet(const MasksState& state) {
  for (std::size_t i = 0; i < state.sheets.size(); ++i) {
    const auto& cells = state.sheets[i].node().cells;
    if (state.on[i] && cells && shape_of(*cells) == std::array<std::size_t, 4>{1, 1, state.sizes.queries, state.sizes.keys}) return static_cast<double>(i + 1);
  }
  return 0;
}

Result<std::vector<Series>> run_masks(const Params& params, Workspace&) {
  const auto read = masks_state(params);
  if (!read) return read.error();
  const MasksState& state = read.value();
  const auto told = report_mask(state.laid);
  if (!told) return told.error();
  const MaskReport& report = told.value();
  const Tiles tiles(state.sizes);

  std::vector<Series> series;
  series.push_back({"tile", "", {2}, {static_cast<double>(tiles.query_tile), static_cast<double>(tiles.key_tile)}});
  add_sheets(state, report, tiles, series);
  add_rows(state, report, tiles, series);
  if (auto error = add_weights(params, state, tiles, series)) return *std::move(error);
  series.push_back(differences(state, tiles));
  series.push_back(single("painted", painted_sheet(state)));
  series.push_back(single("sequences", static_cast<double>(state.sizes.batch)));
  series.push_back(single("heads", static_cast<double>(state.sizes.heads)));
  series.push_back(single("density", count_of(report.allowed_cells) / count_of(report.cells)));
  series.push_back(single("allowed_cells", count_of(report.allowed_cells), "pairs"));
  series.push_back(single("cells", count_of(report.cells), "pairs"));
  series.push_back(single("empty_rows", count_of(report.empty_rows), "rows"));
  series.push_back(single("self", report.keeps_self ? (*report.keeps_self ? 1 : 0) : unknown));
  series.push_back(single("prefix", report.prefix ? 1 : 0));
  Series lens{"prefix_lens", "keys", {0}, {}};
  if (report.prefix) {
    Intervals row;
    RowScratch scratch;
    for (std::size_t q = 0; q < state.sizes.queries; q += tiles.query_tile) {
      state.laid.row(state.sequence, state.head, q, row, scratch);
      lens.data.push_back(static_cast<double>(count(row)));
    }
    lens.shape = {lens.data.size()};
  }
  series.push_back(std::move(lens));
  const MaskBytes& bytes = report.bytes;
  series.push_back({"bytes", "bytes", {5}, {bytes.lengths ? count_of(*bytes.lengths) : unknown, count_of(bytes.boolean), count_of(bytes.bits), count_of(bytes.additive_float32), count_of(bytes.additive_float16)}});
  return series;
}

std::string code_of(const Params& params) {
  const auto state = masks_state(params);
  return mask_code(state.value().laid, mask_code_named(params.text("framework")).value());
}

Given example(std::string mask, double queries, double keys, std::string meant = {}) {
  return {{"mask", std::move(mask)}, {"off", std::string()}, {"meant", std::move(meant)}, {"queries", queries}, {"keys", keys}, {"sequence", 1.0}, {"head", 1.0}};
}

Preset mistake(std::string id, std::string label, Given params, std::string note) { return {std::move(id), std::move(label), std::move(params), std::move(note)}; }

std::vector<Preset> presets() {
  return {
      {"exercise", "exercise 6.1", example("causal & window(2) & padding(3)", 6, 6)},
      {"padding", "padding", example("padding(6,3)", 6, 6)},
      {"causal", "causal", example("causal", 6, 6)},
      {"composed", "lengths 6 and 3 with causal", example("causal & padding(6,3)", 6, 6)},
      {"packed", "two documents, packed", example("causal & documents(4,2)", 6, 6)},
      {"longformer", "a window with a global token", example("window(3,3) | global(0)", 24, 24)},
      {"large", "4,096 by 4,096", example("causal & window(512) & documents(1500,2596)", 4096, 4096)},
      mistake("inverted", "the opposite convention", example("~causal", 6, 6, "causal"),
              "The mask was written for a library in which true means masked. Read the other way round, every query sees only its future, and the last sees nothing."),
      mistake("one-too-wide", "a window one key too wide", example("window(4)", 8, 8, "window(3)"),
              "A window of 3 keys counts the query's own key. Written as a distance of at most 3 it lets a fourth key in."),
      mistake("documents-forgotten", "documents forgotten", example("causal", 6, 6, "causal & documents(4,2)"),
              "Two texts share a row, and only causality is asked for. The second text reads the first as its past."),
      mistake("left-padding", "left padding with causal", example("causal & left_padding(2)", 5, 5),
              "With the padding on the left, the first queries see only keys that padding has closed. Their rows are empty, and a softmax that does not know it gives NaN."),
      mistake("padding-window", "padding with a window", example("window(2) & padding(3)", 6, 6),
              "Each sheet leaves every query a key. The window moves past the last valid key, and from there on nothing is left."),
      mistake("cache-top-left", "a cache, aligned at the top", example("causal", 2, 5, "causal(bottom_right)"),
              "Three keys were kept from earlier steps, so the two queries are the last of five positions. Aligned at the top left they are taken for the first two, and see next to nothing of the cache."),
      mistake("queries-beyond", "more queries than keys", example("causal(bottom_right)", 5, 2, "causal"),
              "Aligned at the bottom right, the first queries stand before the first key. Three rows are empty."),
      mistake("or-for-and", "OR where AND was meant", example("causal | padding(3)", 6, 6, "causal & padding(3)"),
              "A key must survive every requirement. Joined by OR it needs to survive one, so the padding and part of the future are seen."),
      mistake("strictly-causal", "the query's own key left out", example("causal & ~window(1)", 6, 6, "causal"),
              "Written with k < q in place of k <= q. The first query has no earlier key, so its row is empty."),
      mistake("per-query-lengths", "lengths read a query, not a sequence", example("padding(1,3;1,3)", 2, 3, "padding(1,3)"),
              "Two sequences, two queries, two lengths: the lengths fit either way. Spread along the queries, each sequence gets both lengths."),
  };
}

Study declare() {
  Study study;
  study.id = "masks";
  study.title = "Sheets of masks";
  study.summary = "An expression of masks laid out as sheets, their AND, the weights it leaves, and the rows it empties.";
  study.parameters = {
      {.key = "mask", .label = "mask", .symbol = "", .help = "A mask expression; positions count from 0.", .kind = Kind::mask, .initial = std::string("causal & window(2) & padding(3)")},
      {.key = "off", .label = "sheets laid aside", .symbol = "", .help = "Numbers of the sheets that take no part.", .kind = Kind::list, .initial = std::string()},
      {.key = "meant", .label = "mask that was meant", .symbol = "", .help = "A mask to compare with, or nothing.", .kind = Kind::mask, .initial = std::string()},
      {.key = "queries", .label = "queries", .symbol = "n", .help = "Queries a sequence.", .initial = 6.0, .min = 1, .max = 16384, .scale = Scale::log2},
      {.key = "keys", .label = "keys", .symbol = "m", .help = "Keys a sequence.", .initial = 6.0, .min = 1, .max = 16384, .scale = Scale::log2},
      {.key = "sequence", .label = "sequence", .symbol = "", .help = "The sequence of the batch that is shown.", .initial = 1.0, .min = 1, .max = static_cast<double>(most_sequences)},
      {.key = "head", .label = "head", .symbol = "", .help = "The head that is shown.", .initial = 1.0, .min = 1, .max = static_cast<double>(most_heads)},
      {.key = "scores", .label = "scores", .symbol = "", .help = "Scores under the mask: all equal, uniform or normal.", .kind = Kind::choice, .initial = std::string("normal"), .choices = {"equal", "uniform", "normal"}},
      {.key = "seed", .label = "seed", .symbol = "", .help = "Seed of the scores.", .initial = 0.0, .min = 0, .max = 4294967295.0},
      {.key = "generator", .label = "generator", .symbol = "", .help = "Whose random numbers: jax.random or torch on the CPU.", .kind = Kind::choice, .initial = std::string("jax"), .choices = {"jax", "torch"}},
      {.key = "framework", .label = "code for", .symbol = "", .help = "The library that the code is for.", .kind = Kind::choice, .initial = std::string("pytorch"), .choices = {"pytorch", "pytorch-mha", "pytorch-flex", "jax", "keras", "numpy"}},
  };
  const std::vector<std::string> sheet{"sheets"}, row{"rows"}, runs{"runs"}, map{"rows", "columns"};
  study.series = {
      {"tile", "queries and keys a drawn cell", "", {"tile"}},
      {"sheets", "share of pairs that each sheet allows", "", {"sheets", "rows", "columns"}},
      {"sheet_text", "each sheet as an expression", "", sheet, true},
      {"sheet_on", "1 where the sheet is laid on, 0 where it is laid aside", "", sheet},
      {"sheet_sole", "pairs that this sheet alone excludes", "pairs", sheet},
      {"sheet_sole_rows", "rows with such a pair", "rows", sheet},
      {"sheet_self", "1 where the sheet leaves every query its own key", "", sheet},
      {"sheet_density", "share of pairs that the sheet allows", "", sheet},
      {"allowed", "share of pairs that all sheets allow", "", map},
      {"empty", "share of queries without a key", "", row},
      {"empty_reason", "smallest set of sheets that empties the row", "", row, true},
      {"run_sequence", "sequence of a run of empty rows", "", runs},
      {"run_head", "head of the run", "", runs},
      {"run_first", "first query of the run", "", runs},
      {"run_last", "last query of the run", "", runs},
      {"run_reason", "smallest set of sheets that empties the run", "", runs, true},
      {"run_involved", "sheets that are in a set of that size", "", runs, true},
      {"weights", "weights of the masked softmax", "", map},
      {"score_values", "scores before masking", "", map},
      {"differs", "share of pairs on which the mask and what was meant differ", "", map},
      {"painted", "number of the sheet of painted cells, or 0", ""},
      {"sequences", "sequences that the expression asks for", ""},
      {"heads", "heads that the expression asks for", ""},
      {"density", "share of pairs that are allowed", ""},
      {"allowed_cells", "pairs that are allowed", "pairs"},
      {"cells", "pairs there are", "pairs"},
      {"empty_rows", "rows without a key, of all sequences", "rows"},
      {"self", "1 where every query keeps its own key", ""},
      {"prefix", "1 where one prefix length a query says the same", ""},
      {"prefix_lens", "those lengths", "keys", row},
      {"bytes", "as lengths, booleans, bits, additive float32, additive float16", "bytes", {"forms"}},
  };
  study.presets = presets();
  study.claims = masks_claims();
  study.check = check_masks;
  study.mend = mend_masks;
  study.run = run_masks;
  study.code = code_of;
  return study;
}

}  // namespace

const Study& masks() {
  static const Study study = declare();
  return study;
}

}  // namespace attn::studies

// The study of masks: what its series say against the mask itself, tiles against counting, sheets laid aside, the ten mistakes,
// and states that are brought into order.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

#include "attn/mask_report.hpp"
#include "studies.hpp"
#include "support.hpp"

using namespace attn;
using Catch::Matchers::ContainsSubstring;

namespace {

Run run_of(const Given& given) {
  Workspace workspace;
  return run(studies::masks(), given, workspace).value();
}

const Series& series(const Run& run, const std::string& name) {
  return *std::find_if(run.series.begin(), run.series.end(), [&](const Series& each) { return each.name == name; });
}

double single(const Run& run, const std::string& name) { return series(run, name).data.at(0); }

const Preset& preset(const std::string& id) {
  const auto& all = studies::masks().presets;
  return *std::find_if(all.begin(), all.end(), [&](const Preset& each) { return each.id == id; });
}

std::string message_of(const Given& given) {
  Workspace workspace;
  const auto result = run(studies::masks(), given, workspace);
  return result ? "" : result.error().param + " " + result.error().message;
}

}  // namespace

TEST_CASE("the series are the mask, its rows and its weights", "[masks]") {
  const Run run = run_of({{"mask", std::string("causal & window(2) & padding(6,3)")}, {"queries", 6.0}, {"keys", 6.0}, {"sequence", 2.0}});
  const auto mask = BoundMask::make(parse_mask("causal & window(2) & padding(6,3)").value(), {2, 1, 6, 6}).value();
  const auto& weights = series(run, "weights");
  for (std::size_t q = 0; q < 6; ++q) {
    double sum = 0;
    bool any = false;
    for (std::size_t k = 0; k < 6; ++k) {
      const bool open = mask.allows(1, 0, q, k);
      any = any || open;
      CHECK(series(run, "allowed").data[q * 6 + k] == (open ? 1 : 0));
      CHECK((open ? weights.data[q * 6 + k] > 0 : support::plus_zero(weights.data[q * 6 + k])));
      sum += weights.data[q * 6 + k];
    }
    CHECK(series(run, "empty").data[q] == (any ? 0 : 1));
    CHECK(std::fabs(sum - (any ? 1 : 0)) < 1e-6);
    CHECK(series(run, "empty_reason").words[q] == (any ? "" : "window(2) & padding(6,3)"));
  }
  CHECK(single(run, "empty_rows") == 2);
  CHECK(series(run, "run_sequence").data == std::vector<double>{2});
  CHECK(series(run, "run_first").data == std::vector<double>{5});
  CHECK(series(run, "run_last").data == std::vector<double>{6});
  CHECK(series(run, "sheet_text").words == std::vector<std::string>{"causal", "window(2)", "padding(6,3)"});
  CHECK(series(run, "sheet_self").data == std::vector<double>{1, 1, 0});
  CHECK(single(run, "prefix") == 0);
  CHECK(series(run, "prefix_lens").shape == std::vector<std::size_t>{0});
  CHECK(std::isnan(series(run, "bytes").data[0]));
}

TEST_CASE("sheets laid aside take no part", "[masks]") {
  const std::string text = "causal & window(2) & padding(3)";
  const Run off = run_of({{"mask", text}, {"off", std::string("3")}});
  const Run without = run_of({{"mask", std::string("causal & window(2)")}});
  CHECK(series(off, "allowed").data == series(without, "allowed").data);
  CHECK(series(off, "weights").data == series(without, "weights").data);
  CHECK(series(off, "sheet_on").data == std::vector<double>{1, 1, 0});
  CHECK(series(off, "sheets").shape == std::vector<std::size_t>{3, 6, 6});
  CHECK(series(off, "sheet_sole").data[2] == 0);
  CHECK(single(off, "empty_rows") == 0);
  CHECK(off.code == without.code);
  const Run none = run_of({{"mask", text}, {"off", std::string("1,2,3")}});
  CHECK(single(none, "density") == 1);
  // An AND in parentheses stays one sheet, also when it is the only one left.
  const Run nested = run_of({{"mask", std::string("(causal & window(2)) & padding(3)")}, {"off", std::string("2")}});
  CHECK(series(nested, "sheet_text").words == std::vector<std::string>{"causal & window(2)", "padding(3)"});
  CHECK(series(nested, "allowed").data == series(without, "allowed").data);
  CHECK(series(nested, "sheet_sole").data == std::vector<double>{36 - 11, 0});
}

TEST_CASE("tiles hold the share of allowed pairs", "[masks]") {
  for (const auto& [queries, keys] : {std::pair<std::size_t, std::size_t>{65, 65}, {100, 7}, {33, 130}, {1000, 999}}) {
    const Run run = run_of({{"mask", std::string("causal & window(40) & padding(5)")}, {"queries", static_cast<double>(queries)}, {"keys", static_cast<double>(keys)}});
    const auto mask = BoundMask::make(parse_mask("causal & window(40) & padding(5)").value(), {1, 1, queries, keys}).value();
    const auto& tile = series(run, "tile").data;
    const auto& allowed = series(run, "allowed");
    const auto high = static_cast<std::size_t>(tile[0]), wide = static_cast<std::size_t>(tile[1]);
    CHECK(allowed.shape[0] <= 64);
    CHECK(allowed.shape[1] <= 64);
    double pairs = 0;
    for (std::size_t r = 0; r < allowed.shape[0]; ++r) {
      std::size_t empty = 0;
      const std::size_t last_query = std::min(queries, (r + 1) * high);
      for (std::size_t c = 0; c < allowed.shape[1]; ++c) {
        std::size_t open = 0;
        const std::size_t last_key = std::min(keys, (c + 1) * wide);
        for (std::size_t q = r * high; q < last_query; ++q) {
          for (std::size_t k = c * wide; k < last_key; ++k) open += mask.allows(0, 0, q, k);
        }
        const auto size = static_cast<double>((last_query - r * high) * (last_key - c * wide));
        CHECK(allowed.data[r * allowed.shape[1] + c] == static_cast<double>(open) / size);
        pairs += static_cast<double>(open);
      }
      for (std::size_t q = r * high; q < last_query; ++q) {
        bool any = false;
        for (std::size_t k = 0; k < keys; ++k) any = any || mask.allows(0, 0, q, k);
        empty += !any;
      }
      CHECK(series(run, "empty").data[r] == static_cast<double>(empty) / static_cast<double>(last_query - r * high));
    }
    CHECK(single(run, "allowed_cells") == pairs);
    CHECK(series(run, "weights").shape == std::vector<std::size_t>{0, 0});
  }
}

TEST_CASE("each of the ten mistakes shows its mistake", "[masks]") {
  std::size_t mistakes = 0;
  for (const Preset& each : studies::masks().presets) {
    if (each.note.empty()) continue;
    ++mistakes;
    const Run run = run_of(each.params);
    const auto& differs = series(run, "differs");
    const bool other = std::any_of(differs.data.begin(), differs.data.end(), [](double share) { return share > 0; });
    INFO(each.id);
    CHECK((other || single(run, "empty_rows") > 0));
  }
  CHECK(mistakes == 10);
  // What the notes say in figures.
  CHECK(series(run_of(preset("queries-beyond").params), "run_last").data == std::vector<double>{3});
  CHECK(single(run_of(preset("strictly-causal").params), "empty_rows") == 1);
  CHECK(series(run_of(preset("inverted").params), "run_first").data == std::vector<double>{6});
  CHECK(series(run_of(preset("left-padding").params), "run_first").data == std::vector<double>{1});
  CHECK(single(run_of(preset("padding-window").params), "empty_rows") == 2);
}

TEST_CASE("what does not fit is refused by the parameter at fault", "[masks][errors]") {
  CHECK_THAT(message_of({{"mask", std::string("causal & windw(2)")}}), ContainsSubstring("mask mask: at character 10, \"windw\" is not a kind of mask"));
  CHECK_THAT(message_of({{"mask", std::string()}}), ContainsSubstring("mask mask: at character 1, expected a term"));
  CHECK_THAT(message_of({{"mask", std::string("documents(4,3)")}}), ContainsSubstring("mask mask: documents(4,3): the lengths of sequence 0 sum to 7, but there are 6 keys"));
  CHECK_THAT(message_of({{"meant", std::string("padding(9)")}}), ContainsSubstring("meant meant: padding(9): the length of sequence 0 is 9"));
  CHECK_THAT(message_of({{"mask", std::string("padding(1,2)")}, {"meant", std::string("padding(1,2,3)")}}), ContainsSubstring("meant meant: padding(1,2) and padding(1,2,3) do not broadcast"));
  CHECK_THAT(message_of({{"off", std::string("4")}}), ContainsSubstring("off off is 4; allowed are 1 to 3, the number of sheets"));
  CHECK_THAT(message_of({{"off", std::string("2,2")}}), ContainsSubstring("off off: entry 1 is \"2\", not above the one before"));
  CHECK_THAT(message_of({{"off", std::string("x")}}), ContainsSubstring("off off: entry 0 is \"x\", not an integer from 1"));
  CHECK_THAT(message_of({{"sequence", 2.0}}), ContainsSubstring("sequence sequence is 2; allowed are 1 to 1, the number of sequences"));
  std::string many = "all";
  for (int i = 0; i < 16; ++i) many += " & all";
  CHECK_THAT(message_of({{"mask", many}}), ContainsSubstring("mask mask: has 17 sheets; a plate shows at most 16"));
}

TEST_CASE("other sizes bring the mask along", "[masks]") {
  const auto repaired = [](const Given& given) { return repair(studies::masks(), given); };
  CHECK(repaired({{"keys", 2.0}}).params.text("mask") == "causal & window(2) & padding(2)");
  CHECK(repaired({{"keys", 2.0}}).notices.empty());  // a default follows without a word
  const auto packed = repaired({{"mask", std::string("documents(4,2)")}, {"keys", std::string("9")}, {"queries", std::string("9")}});
  CHECK(packed.params.text("mask") == "documents(4,5)");
  REQUIRE(packed.notices.size() == 1);
  CHECK(packed.notices.front().message == "mask: documents(4,2): the lengths of sequence 0 sum to 6, but there are 9 keys; allowed are lengths that sum to the keys; documents(4,5) is used");
  CHECK(repaired({{"mask", std::string("documents(4,2)")}, {"keys", 3.0}}).params.text("mask") == "documents(3)");
  CHECK(repaired({{"mask", std::string("documents(4,2)")}, {"keys", 3.0}}).params.integer("queries") == 3);
  CHECK(repaired({{"mask", std::string("document_ids(0,0,1)")}}).params.text("mask") == "document_ids(0,0,1,1,1,1)");
  CHECK(repaired({{"mask", std::string("rows(01,11)")}, {"queries", 3.0}, {"keys", 3.0}}).params.text("mask") == "rows(011,111,111)");
  CHECK(repaired({{"mask", std::string("rows(010,111,000)")}, {"queries", 2.0}, {"keys", 2.0}}).params.text("mask") == "rows(01,11)");
  CHECK(repaired({{"mask", std::string("padding(1,2,3;1,2,3)")}, {"queries", 2.0}}).params.text("mask") == "padding(1,2;1,2)");
  CHECK(repaired({{"mask", std::string("global(5,9)")}}).params.text("mask") == "global(5)");
  CHECK(repaired({{"mask", std::string("global(5,6)")}}).params.text("mask") == "global(5)");  // positions count from 0: of six there is no sixth
  CHECK(repaired({{"mask", std::string("global(7)")}, {"queries", 8.0}}).params.text("mask") == "global(7)");  // a query's, if no key's
  CHECK(repaired({{"mask", std::string("padding(1,2) & padding(1,2,3)")}}).params.text("mask") == "causal");
  CHECK(repaired({{"off", std::string("2,9")}}).params.text("off") == "2");
  CHECK(repaired({{"sequence", 9.0}}).params.integer("sequence") == 1);
  CHECK(repaired({{"mask", std::string("~(padding(9) | (causal & window(3)))")}}).params.text("mask") == "~(padding(6) | causal & window(3))");
}

TEST_CASE("painted cells are found", "[masks]") {
  const std::string cells = "rows(111111,111111,111111,111111,111111,111110)";
  CHECK(single(run_of({{"mask", "causal & " + cells}}), "painted") == 2);
  CHECK(single(run_of({{"mask", std::string("causal & rows(1,1,1,1,1,1)")}}), "painted") == 0);
  CHECK(single(run_of({}), "painted") == 0);
  CHECK(single(run_of({{"mask", cells + " & " + cells}, {"off", std::string("1")}}), "painted") == 2);
}

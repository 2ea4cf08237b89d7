// The report on a mask against counting on the written-out cells, its reasons against trying every set of sheets, the section's
// exercises 6 and 7, and the memory that a large composition takes.
#include <catch2/catch_test_macros.hpp>

#include "allocations.hpp"
#include "attn/mask_report.hpp"
#include "mask_random.hpp"
#include "support.hpp"

using namespace attn;

namespace {

MaskReport report_of(const std::string& text, MaskSizes sizes) {
  return report_mask(BoundMask::make(parse_mask(text).value(), sizes).value()).value();
}

std::vector<std::size_t> queries_of(const std::vector<EmptyRun>& runs) {
  std::vector<std::size_t> queries;
  for (const auto& run : runs) {
    for (std::size_t q = run.first; q <= run.last; ++q) queries.push_back(q);
  }
  return queries;
}

}  // namespace

TEST_CASE("exercise 6.1: padding and a window empty two rows together", "[mask_report]") {
  const auto report = report_of("causal & window(2) & padding(3)", {1, 1, 6, 6});
  CHECK(report.empty_rows == 2);
  CHECK(report.allowed_cells == 6);
  REQUIRE(report.empty_runs.size() == 1);
  CHECK(report.empty_runs[0] == EmptyRun{0, 0, 4, 5, 0});
  REQUIRE(report.reasons.size() == 1);
  CHECK(report.reasons[0].text == "window(2) & padding(3)");
  CHECK(report.reasons[0].smallest == std::vector<std::size_t>{1, 2});
  CHECK(report.reasons[0].involved == std::vector<std::size_t>{1, 2});
  CHECK(report.keeps_self == false);
  CHECK(report.loses_self == EmptyRow{0, 3});
  CHECK(report.sheets[0].keeps_self == true);   // causal
  CHECK(report.sheets[1].keeps_self == true);   // window
  CHECK(report.sheets[2].keeps_self == false);  // padding
  CHECK_FALSE(report.prefix);
  CHECK(report.not_prefix == EmptyRow{0, 2});
  CHECK(report.sheets[0].sole_cells == 0);  // whatever causal closes, this window closes too
  CHECK_FALSE(report.bytes.lengths.has_value());
  CHECK(report.bytes.boolean == 36);
  CHECK(report.bytes.bits == 6);
  CHECK(report.bytes.additive_float32 == 144);
  CHECK(report.bytes.additive_float16 == 72);
}

TEST_CASE("exercise 7.4: which masks one prefix length a query can express", "[mask_report]") {
  CHECK(report_of("padding(3)", {1, 1, 6, 6}).prefix);
  CHECK(report_of("causal", {1, 1, 6, 6}).prefix);
  CHECK(report_of("padding(6,3) & causal", {2, 1, 6, 6}).prefix);
  CHECK_FALSE(report_of("causal & documents(4,2)", {1, 1, 6, 6}).prefix);
  CHECK_FALSE(report_of("causal & window(3)", {1, 1, 6, 6}).prefix);
  CHECK(report_of("padding(6,3)", {2, 1, 6, 6}).bytes.lengths == 8u);
  CHECK(report_of("padding(6,3) & causal", {2, 1, 6, 6}).bytes.lengths == 48u);
  CHECK(report_of("padding(6,3) & causal", {2, 1, 6, 6}).bytes.boolean == 72u);
}

TEST_CASE("exercise 6.2: sheets that keep every query its own key cannot empty a row", "[mask_report]") {
  support::Bits bits(62);
  std::size_t kept = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t keys = 1 + bits.below(9);
    const MaskSizes sizes{1 + bits.below(2), 1, 1 + bits.below(keys), keys};
    std::vector<MaskExpr> sheets;
    for (std::size_t i = 0; i < 1 + bits.below(3); ++i) sheets.push_back(support::random_term(bits, sizes));
    const auto report = report_mask(BoundMask::make(MaskExpr::both(sheets), sizes).value()).value();
    const bool each = std::all_of(report.sheets.begin(), report.sheets.end(), [](const auto& sheet) { return sheet.keeps_self == true; });
    CHECK(report.keeps_self == each);
    if (!each) continue;
    ++kept;
    CHECK(report.empty_rows == 0);
  }
  CHECK(kept > 100);
}

TEST_CASE("every figure of the report is what counting cells gives", "[mask_report]") {
  support::Bits bits(2026);
  std::size_t empty_seen = 0;
  for (int round = 0; round < 800; ++round) {
    const MaskSizes sizes{1 + bits.below(2), 1 + bits.below(2), 1 + bits.below(7), 1 + bits.below(7)};
    std::vector<MaskExpr> operands;
    for (std::size_t i = 0; i < 1 + bits.below(5); ++i) operands.push_back(support::random_expression(bits, sizes, bits.below(2)));
    const MaskExpr expr = MaskExpr::both(operands);
    INFO(mask_text(expr));
    const auto bound = BoundMask::make(expr, sizes).value();
    const auto report = report_mask(bound).value();
    const auto sheets = bound.sheets();
    const std::size_t n = sheets.size();
    REQUIRE(report.sheets.size() == n);
    std::vector<std::uint64_t> allowed(n), sole(n), sole_rows(n);
    std::uint64_t all = 0, empty = 0;
    std::size_t runs = 0;
    bool prefix = true;
    std::vector<std::array<std::size_t, 3>> empty_rows;
    for (std::size_t b = 0; b < sizes.batch; ++b) {
      for (std::size_t h = 0; h < sizes.heads; ++h) {
        for (std::size_t q = 0; q < sizes.queries; ++q) {
          std::size_t in_row = 0;
          std::vector<std::size_t> sole_here(n);
          bool before = true;
          for (std::size_t k = 0; k < sizes.keys; ++k) {
            std::size_t closed = 0, by = 0;
            for (std::size_t i = 0; i < n; ++i) {
              const bool open = sheets[i].allows(b, h, q, k);
              allowed[i] += open;
              if (!open) ++closed, by = i;
            }
            if (closed == 1) ++sole_here[by];
            in_row += closed == 0;
            if (closed == 0 && !before) prefix = false;
            before = closed == 0;
          }
          for (std::size_t i = 0; i < n; ++i) sole[i] += sole_here[i], sole_rows[i] += sole_here[i] > 0;
          all += in_row;
          if (in_row == 0) {
            ++empty;
            if (b < bound.own().batch && h < bound.own().heads) empty_rows.push_back({b, h, q});
          }
        }
      }
    }
    CHECK(report.allowed_cells == all);
    CHECK(report.empty_rows == empty);
    CHECK(report.cells == sizes.batch * sizes.heads * sizes.queries * sizes.keys);
    if (bound.own().heads == 1) CHECK(report.prefix == prefix);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(report.sheets[i].allowed_cells == allowed[i]);
      CHECK(report.sheets[i].sole_cells == sole[i]);
      CHECK(report.sheets[i].sole_rows == sole_rows[i]);
    }
    std::size_t listed = 0;
    for (const auto& run : report.empty_runs) {
      for (std::size_t q = run.first; q <= run.last; ++q, ++listed, ++runs) {
        REQUIRE(listed < empty_rows.size());
        CHECK(empty_rows[listed] == std::array<std::size_t, 3>{run.batch, run.head, q});
        // The smallest set empties the row, and no smaller one does: every set of sheets is tried.
        const auto& reason = report.reasons[run.reason];
        std::size_t least = n + 1;
        std::vector<bool> in_least(n);
        for (std::size_t set = 0; set < (std::size_t{1} << n); ++set) {
          bool any = false;
          for (std::size_t k = 0; k < sizes.keys && !any; ++k) {
            bool open = true;
            for (std::size_t i = 0; i < n; ++i) open = open && (((set >> i) & 1) == 0 || sheets[i].allows(run.batch, run.head, q, k));
            any = open;
          }
          if (any) continue;
          const auto size = static_cast<std::size_t>(std::popcount(set));
          if (size < least) least = size, in_least.assign(n, false);
          for (std::size_t i = 0; i < n && size == least; ++i) in_least[i] = in_least[i] || ((set >> i) & 1) != 0;
        }
        CHECK(reason.smallest.size() == least);
        std::vector<std::size_t> involved;
        for (std::size_t i = 0; i < n; ++i) {
          if (in_least[i]) involved.push_back(i);
        }
        CHECK(reason.involved == involved);
        ++empty_seen;
      }
    }
    CHECK(listed == empty_rows.size());
  }
  CHECK(empty_seen > 500);
}

TEST_CASE("many sheets still get a set that cannot be made smaller", "[mask_report]") {
  // Forty sheets, each of which closes one of forty keys: only all of them together empty a row.
  std::vector<MaskExpr> sheets;
  for (std::size_t closed = 0; closed < 40; ++closed) {
    Mask4 cells = Mask4::from_shape({1, 1, 1, 40});
    std::fill(cells.begin(), cells.end(), true);
    cells(0, 0, 0, closed) = false;
    sheets.push_back(MaskExpr::cells(std::move(cells)).value());
  }
  sheets.push_back(MaskExpr::causal());
  const auto report = report_mask(BoundMask::make(MaskExpr::both(sheets), {1, 1, 40, 40}).value()).value();
  CHECK(report.empty_rows == 40);
  REQUIRE(report.reasons.size() >= 1);
  CHECK(report.reasons.back().smallest.size() == 40);
  CHECK(report.reasons.front().smallest.size() == 2);  // query 0: its key is closed by one sheet and all others by causal
}

TEST_CASE("axes a mask does not depend on are counted, not read", "[mask_report]") {
  const auto report = report_of("causal(bottom_right)", {1000000, 64, 5, 2});
  CHECK(report.empty_rows == 3ull * 64000000);
  CHECK(report.rows == 5ull * 64000000);
  CHECK(report.intervals == 2);
  CHECK(queries_of(report.empty_runs) == std::vector<std::size_t>{0, 1, 2});
  CHECK_FALSE(report.keeps_self.has_value());
}

TEST_CASE("no keys, no queries, too many rows", "[mask_report]") {
  const auto none = report_of("causal", {1, 1, 2, 0});
  CHECK(none.empty_rows == 2);
  CHECK(none.reasons.front().text == "no keys");
  CHECK(report_of("causal", {1, 1, 0, 2}).rows == 0);
  CHECK(report_of("causal", {0, 1, 3, 3}).rows == 0);
  const auto large = report_mask(BoundMask::make(parse_mask("causal & window(3)").value(), {1, 1, 1u << 26, 64}).value());
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().code == ErrorCode::too_large);
}

TEST_CASE("four terms at 16,384 x 16,384 take at most 8 bytes a row a term", "[mask_report]") {
  constexpr std::size_t n = 16384, terms = 4;
  const auto expr = parse_mask("causal & window(512) & documents(8192,8192) & padding(12000)").value();
  const std::size_t before = support::live_bytes();
  support::reset_peak();
  const auto report = report_mask(BoundMask::make(expr, {1, 1, n, n}).value()).value();
  const std::size_t held = support::peak_bytes() - before;
  INFO(held << " bytes");
  CHECK(held <= 8 * n * terms);
  CHECK(held > 0);
  CHECK(report.rows == n);
  CHECK(report.empty_rows == n - (12000 - 1 + 512));
  CHECK(report.reasons.front().text == "window(512) & padding(12000)");
  // Rows before 12000 see at most 512 keys of their own document; counted by the formula of the triangle and the band.
  std::uint64_t allowed = 0;
  for (std::size_t q = 0; q < n; ++q) {
    const std::size_t start = q < 8192 ? 0 : 8192;
    const std::size_t first = std::max(start, q >= 511 ? q - 511 : 0), end = std::min<std::size_t>(q + 1, 12000);
    allowed += end > first ? end - first : 0;
  }
  CHECK(report.allowed_cells == allowed);
  CHECK(report.intervals == n - report.empty_rows);
  // A dense byte mask of the same sizes would take 268 million bytes.
  CHECK(report.bytes.boolean == std::uint64_t{n} * n);
}

TEST_CASE("the report in words and as JSON", "[mask_report]") {
  const auto report = report_of("causal & window(2) & padding(6,3)", {2, 1, 6, 6});
  const std::string text = report_text(report);
  CHECK(text.find("empty rows: 2 of 12\n") != std::string::npos);
  CHECK(text.find("  sequence 1, queries 4 to 5: emptied by window(2) & padding(6,3)\n") != std::string::npos);
  CHECK(text.find("own key: sequence 1, query 3 may not attend to itself\n") != std::string::npos);
  const std::string json = report_json(report);
  CHECK(json.find("\"emptyRuns\":[{\"batch\":1,\"head\":0,\"first\":4,\"last\":5,\"reason\":0}]") != std::string::npos);
  CHECK(json.find("\"reasons\":[{\"smallest\":[1,2],\"involved\":[1,2],\"text\":\"window(2) & padding(6,3)\"}]") != std::string::npos);
  CHECK(report_text(report_of("all & none & none", {1, 1, 1, 3})).find("query 0: emptied by none (as small a set can be made with none)") != std::string::npos);
}

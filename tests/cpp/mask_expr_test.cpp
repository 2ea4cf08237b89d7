// Mask expressions: every kind on a small mask written out by hand, the predicate against the row form on random and extreme
// sizes, composition against a dense AND, and what does not fit.
#include <catch2/catch_test_macros.hpp>

#include <utility>

#include "allocations.hpp"
#include "attn/mask_expr.hpp"
#include "mask_random.hpp"
#include "support.hpp"

using namespace attn;
using support::picture;

TEST_CASE("each kind of term, written out", "[mask_expr]") {
  const MaskSizes six{1, 1, 6, 6};
  CHECK(picture("all", {1, 1, 2, 3}) == "111 111");
  CHECK(picture("none", {1, 1, 2, 3}) == "000 000");
  CHECK(picture("causal", {1, 1, 3, 3}) == "100 110 111");
  CHECK(picture("causal", {1, 1, 2, 5}) == "10000 11000");
  CHECK(picture("causal(bottom_right)", {1, 1, 2, 5}) == "11110 11111");
  CHECK(picture("causal", {1, 1, 5, 2}) == "10 11 11 11 11");
  CHECK(picture("causal(bottom_right)", {1, 1, 5, 2}) == "00 00 00 10 11");
  CHECK(picture("window(3)", {1, 1, 5, 5}) == "10000 11000 11100 01110 00111");
  CHECK(picture("window(2, bottom_right)", {1, 1, 2, 5}) == "00110 00011");
  CHECK(picture("window(1,2)", {1, 1, 5, 5}) == "11100 11110 01111 00111 00011");
  CHECK(picture("window(0,0)", {1, 1, 3, 3}) == "100 010 001");
  CHECK(picture("padding(2)", {1, 1, 2, 4}) == "1100 1100");
  CHECK(picture("padding(3,1)", {2, 1, 2, 3}, 0) == "111 111");
  CHECK(picture("padding(3,1)", {2, 1, 2, 3}, 1) == "100 100");
  CHECK(picture("padding(1,3;2,4)", {2, 1, 2, 4}, 0) == "1000 1110");
  CHECK(picture("padding(1,3;2,4)", {2, 1, 2, 4}, 1) == "1100 1111");
  CHECK(picture("padding(0,3;)", {2, 1, 2, 4}, 1) == "0000 1110");
  CHECK(picture("left_padding(2)", {1, 1, 1, 5}) == "00011");
  CHECK(picture("documents(4,2)", six) == "111100 111100 111100 111100 000011 000011");
  CHECK(picture("causal & documents(4,2)", six) == "100000 110000 111000 111100 000010 000011");
  CHECK(picture("documents(1,2;2,1)", {2, 1, 3, 3}, 1) == "110 110 001");
  CHECK(picture("documents(3,2, bottom_right)", {1, 1, 2, 5}) == "00011 00011");
  CHECK(picture("document_ids(0,1,0,2)", {1, 1, 4, 4}) == "1010 0100 1010 0001");
  CHECK(picture("prefix(2)", {1, 1, 4, 4}) == "1100 1100 1110 1111");
  CHECK(picture("chunks(2)", {1, 1, 5, 5}) == "11000 11000 00110 00110 00001");
  CHECK(picture("chunks(2, bottom_right)", {1, 1, 2, 5}) == "00110 00001");
  CHECK(picture("chunks(2, bottom_right)", {1, 1, 5, 2}) == "00 00 00 11 11");
  CHECK(picture("global(0,2)", {1, 1, 4, 4}) == "1111 1010 1111 1010");
  CHECK(picture("dilated(2,2)", {1, 1, 5, 5}) == "10000 01000 10100 01010 00101");
  CHECK(picture("rows(101,010)", {1, 1, 2, 3}) == "101 010");
  CHECK(picture("rows(10;01)", {2, 1, 2, 2}, 1) == "01 01");
  CHECK(picture("rows(0,1)", {1, 1, 2, 3}) == "000 111");
  CHECK(picture("~causal", {1, 1, 3, 3}) == "011 001 000");
  CHECK(picture("causal & ~window(1)", {1, 1, 3, 3}) == "000 100 110");
  CHECK(picture("window(1) | global(0)", {1, 1, 3, 3}) == "111 110 101");
  // The section's exercise 6.1.
  CHECK(picture("padding(3) & window(2)", six) == "100000 110000 011000 001000 000000 000000");
}

TEST_CASE("heads have rows of their own", "[mask_expr]") {
  const auto expr = parse_mask("rows(10/01) | causal").value();
  const auto mask = BoundMask::make(expr, {2, 2, 2, 2}).value();
  CHECK(picture(mask, 1, 0) == "10 11");
  CHECK(picture(mask, 1, 1) == "11 11");
  CHECK(mask.own() == MaskSizes{1, 2, 2, 2});
  CHECK(shape_of(cells_of(mask).value()) == std::array<std::size_t, 4>{1, 2, 2, 2});
}

TEST_CASE("the predicate and the row form say the same", "[mask_expr]") {
  support::Bits bits(20261130);
  RowScratch scratch;
  Intervals row;
  std::size_t cells = 0;
  for (int round = 0; round < 1500; ++round) {
    const MaskSizes sizes = support::random_sizes(bits);
    const MaskExpr expr = support::random_expression(bits, sizes, bits.below(4));
    const auto bound = BoundMask::make(expr, sizes);
    INFO(mask_text(expr));
    REQUIRE(bound.ok());
    for (std::size_t b = 0; b < sizes.batch; ++b) {
      for (std::size_t h = 0; h < sizes.heads; ++h) {
        for (std::size_t q = 0; q < sizes.queries; ++q) {
          bound.value().row(b, h, q, row, scratch);
          for (std::size_t i = 0; i < row.size(); ++i) {
            REQUIRE(row[i].begin < row[i].end);
            REQUIRE(row[i].end <= sizes.keys);
            if (i > 0) REQUIRE(row[i - 1].end < row[i].begin);  // ascending, apart, not touching
          }
          std::size_t next = 0;
          for (std::size_t k = 0; k < sizes.keys; ++k, ++cells) {
            while (next < row.size() && row[next].end <= k) ++next;
            const bool in_row = next < row.size() && row[next].begin <= k;
            if (bound.value().allows(b, h, q, k) != in_row) FAIL("query " << q << ", key " << k << " of " << sizes.queries << " x " << sizes.keys);
          }
        }
      }
    }
    REQUIRE(scratch.used == 0);
  }
  CHECK(cells > 1000000);
}

TEST_CASE("composition is AND, OR and NOT of the cells, and De Morgan holds", "[mask_expr]") {
  support::Bits bits(7);
  for (int round = 0; round < 300; ++round) {
    const MaskSizes sizes = support::random_sizes(bits);
    const MaskExpr a = support::random_expression(bits, sizes, 1);
    const MaskExpr b = support::random_expression(bits, sizes, 1);
    const auto bound = [&](const MaskExpr& expr) { return BoundMask::make(expr, sizes).value(); };
    const auto x = bound(a), y = bound(b), both = bound(a & b), either = bound(a | b), inverse = bound(~a), morgan = bound(~(~a | ~b));
    for (std::size_t q = 0; q < sizes.queries; ++q) {
      for (std::size_t k = 0; k < sizes.keys; ++k) {
        const bool p = x.allows(0, 0, q, k), r = y.allows(0, 0, q, k);
        if (both.allows(0, 0, q, k) != (p && r) || either.allows(0, 0, q, k) != (p || r) || inverse.allows(0, 0, q, k) == p) FAIL(mask_text(a) << " and " << mask_text(b));
      }
    }
    CHECK(picture(both) == picture(morgan));
  }
}

TEST_CASE("AND of expressions is the dense AND of boolean tensors", "[mask_expr]") {
  support::Bits bits(8);
  for (int round = 0; round < 100; ++round) {
    const MaskSizes sizes{1 + bits.below(3), 1, 1 + bits.below(9), 1 + bits.below(9)};
    std::vector<MaskExpr> exprs;
    std::vector<Mask> dense;
    for (std::size_t i = 0; i < 1 + bits.below(4); ++i) {
      exprs.push_back(support::random_term(bits, sizes));
      const Mask4 cells = cells_of(BoundMask::make(exprs.back(), sizes).value()).value();
      Mask mask = Mask::from_shape({cells.shape()[0], cells.shape()[2], cells.shape()[3]});
      std::copy(cells.begin(), cells.end(), mask.begin());
      dense.push_back(std::move(mask));
    }
    const Mask4 lazy = cells_of(BoundMask::make(MaskExpr::both(exprs), sizes).value()).value();
    const Mask written = compose_masks(dense).value();
    REQUIRE(lazy.size() == written.size());
    CHECK(std::equal(lazy.begin(), lazy.end(), written.begin()));
    CHECK(cells_of(BoundMask::make(MaskExpr::cells(written).value(), sizes).value()).value() == lazy);
  }
}

TEST_CASE("lengths held by ValidLens are the padding term", "[mask_expr]") {
  const std::size_t shape[] = {2, 2};
  const double values[] = {1, 3, 2, 4};
  const auto lens = ValidLens::make(values, shape).value();
  CHECK(MaskExpr::padding(lens) == parse_mask("padding(1,3;2,4)").value());
  CHECK(MaskExpr::padding(ValidLens::per_sequence({6, 3}).value()) == parse_mask("padding(6,3)").value());
}

TEST_CASE("positions beyond half precision are exact", "[mask_expr]") {
  // 2049 and 4095 are not numbers of float16; a mask built there would see one key more or less.
  const auto mask = BoundMask::make(parse_mask("padding(2049)").value(), {1, 1, 1, 4096}).value();
  Intervals row;
  mask.row(0, 0, 0, row);
  CHECK(count(row) == 2049);
  const auto last = BoundMask::make(parse_mask("left_padding(4)").value(), {1, 1, 1, 4096}).value();
  last.row(0, 0, 0, row);
  REQUIRE(row.size() == 1);
  CHECK(row.front() == Interval{4092, 4096});
}

TEST_CASE("no keys and no queries have rows too", "[mask_expr]") {
  for (const char* text : {"causal", "causal(bottom_right)", "window(2)", "chunks(3)", "~none", "dilated(2,3)", "padding(0)"}) {
    const auto mask = BoundMask::make(parse_mask(text).value(), {1, 1, 3, 0});
    REQUIRE(mask.ok());
    Intervals row;
    mask.value().row(0, 0, 2, row);
    CHECK(row.empty());
    CHECK(BoundMask::make(parse_mask(text).value(), {1, 1, 0, 4}).ok());
  }
}

TEST_CASE("what does not fit the sizes is refused by name", "[mask_expr]") {
  const auto message = [](const std::string& text, MaskSizes sizes) {
    const auto bound = BoundMask::make(parse_mask(text).value(), sizes);
    return bound ? std::string("no error") : std::string(name(bound.error().code)) + " " + bound.error().param + " " + bound.error().message;
  };
  CHECK(message("causal & padding(9)", {1, 1, 6, 6}) == "out_of_range mask mask: padding(9): the length of sequence 0 is 9; allowed are 0 to 6, the number of keys");
  CHECK(message("padding(1,9;2,2)", {2, 1, 2, 6}) == "out_of_range mask mask: padding(1,9;2,2): the length of sequence 0, query 1 is 9; allowed are 0 to 6, the number of keys");
  CHECK(message("documents(4,3)", {1, 1, 6, 6}) == "wrong_shape mask mask: documents(4,3): the lengths of sequence 0 sum to 7, but there are 6 keys; allowed are lengths that sum to the keys");
  CHECK(message("documents(4,1)", {1, 1, 6, 6}) == "wrong_shape mask mask: documents(4,1): the lengths of sequence 0 sum to 5, but there are 6 keys; allowed are lengths that sum to the keys");
  CHECK(message("document_ids(0,0,1)", {1, 1, 6, 6}) == "wrong_shape mask mask: document_ids(0,0,1) has 3 ids, but there are 6 keys; give one id a key");
  CHECK(message("padding(6,3)", {3, 1, 4, 6}) == "wrong_shape mask mask: padding(6,3) has shape (2, 1, 4, 6) and does not broadcast to (3, 1, 4, 6): axis 0 (batch) has 2, allowed are 1 and 3");
  CHECK(message("rows(101,010)", {1, 1, 3, 3}) == "wrong_shape mask mask: rows(101,010) has shape (1, 1, 2, 3) and does not broadcast to (1, 1, 3, 3): axis 2 (queries) has 2, allowed are 1 and 3");
  CHECK(message("rows(101/010)", {1, 3, 3, 3}) == "wrong_shape mask mask: rows(101/010) has shape (1, 2, 1, 3) and does not broadcast to (1, 3, 3, 3): axis 1 (heads) has 2, allowed are 1 and 3");
  CHECK(message("documents(4)", {1, 1, 6, 4}).find("may not be more queries than keys") != std::string::npos);
  CHECK(message("global(6)", {1, 1, 6, 6}).find("position 6 is beyond 6 and 6") != std::string::npos);
  CHECK(message("causal", {1, 1, std::size_t{1} << 31, 1}).find("too_large mask mask: queries is 2147483648") == 0);
  CHECK(message("causal", {1, 8, std::size_t{1} << 30, std::size_t{1} << 30}).find("too_large") == 0);
  CHECK(own_sizes(parse_mask("padding(6,3) & documents(4,2;3,3;1,5)").value()).error().message ==
        "mask: padding(6,3) and documents(4,2;3,3;1,5) do not broadcast: axis 0 (batch) has 2 and 3");
  CHECK(own_sizes(parse_mask("padding(6,3) & causal").value()).value() == MaskSizes{2, 1, 1, 1});
}

TEST_CASE("an expression nested too deep is refused, and destroyed without a stack as deep", "[mask_expr]") {
  MaskExpr deep = MaskExpr::causal();
  for (int i = 0; i < 199; ++i) deep = ~deep;
  const MaskExpr deepest = deep;
  CHECK(picture(BoundMask::make(deepest, {1, 1, 3, 3}).value()) == "011 001 000");
  CHECK(mask_text(deepest) == std::string(199, '~') + "causal");
  for (int i = 0; i < 300000; ++i) deep = ~deep;
  const MaskExpr copy = deep;
  const auto error = BoundMask::make(deep, {1, 1, 2, 2}).error();
  CHECK(error.code == ErrorCode::too_large);
  CHECK(error.message == "mask: is nested deeper than 200 levels");
  CHECK(own_sizes(deep).error().message == error.message);
  CHECK(mask_text(deep) == "too_large");
  CHECK((copy == deep && !(~deepest == ~deepest) && !(~deep == deep)));
  CHECK(BoundMask::make(deep | MaskExpr::all(), {1, 1, 2, 2}).error().message == error.message);
  deep = MaskExpr::all();
  CHECK(BoundMask::make(deep, {1, 1, 2, 2}).ok());
}

TEST_CASE("what is shared is bound once and counted wherever it stands", "[mask_expr]") {
  // ids have a table, of 8 bytes a key where neighbours differ: 16 KiB, and 64 MiB if each of 4096 had its own
  std::vector<double> alternating(2048);
  for (std::size_t key = 1; key < alternating.size(); key += 2) alternating[key] = 1;
  const MaskExpr ids = MaskExpr::term(MaskKind::document_ids, {alternating}).value();
  MaskExpr shared = ids;
  for (int i = 0; i < 12; ++i) shared = i % 2 == 0 ? shared & shared : shared | shared;
  CHECK(shared.node().parts == 8191);
  const MaskSizes sizes{1, 1, 2048, 2048};
  const std::size_t before = support::live_bytes();
  support::reset_peak();
  const BoundMask bound = BoundMask::make(shared, sizes).value();
  CHECK(support::peak_bytes() - before < 65536);
  Intervals row;
  bound.row(0, 0, 5, row);
  CHECK((count(row) == 1024 && row.front() == Interval{1, 2}));
  for (int i = 0; i < 60; ++i) shared = i % 2 == 0 ? shared & shared : MaskExpr::either({shared, ids, shared});
  CHECK(BoundMask::make(shared, sizes).error().code == ErrorCode::too_large);
  CHECK(mask_text(shared) == "too_large");
  MaskExpr wide = MaskExpr::causal();
  for (int i = 0; i < 30; ++i) wide = wide & wide;
  CHECK(BoundMask::make(wide, {1, 1, 2, 2}).error().message == "mask: has more than 10000 terms and compositions");
  CHECK(BoundMask::make(MaskExpr::either(std::vector<MaskExpr>(10000, MaskExpr::all())), {1, 1, 2, 2}).error().code == ErrorCode::too_large);
  CHECK(BoundMask::make(MaskExpr::either(std::vector<MaskExpr>(9999, MaskExpr::all())), {1, 1, 2, 2}).ok());
}

TEST_CASE("expressions and bound masks that were moved from are whole", "[mask_expr]") {
  MaskExpr expr = MaskExpr::causal();
  const MaskExpr taken = std::move(expr);
  CHECK(expr == taken);
  CHECK(mask_text(expr & ~expr) == "causal & ~causal");
  BoundMask bound = BoundMask::make(parse_mask("documents(1,2)").value(), {1, 1, 3, 3}).value();
  const BoundMask other = std::move(bound);
  CHECK(picture(bound) == "100 011 011");
  CHECK(picture(other) == "100 011 011");
  const MaskExpr& itself = expr;
  expr = itself;
  CHECK(mask_text(expr) == "causal");
}

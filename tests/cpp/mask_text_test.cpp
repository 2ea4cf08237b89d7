// Mask expressions as text: reading gives back what printing wrote, errors point at the character, and no text crashes the reader.
#include <catch2/catch_test_macros.hpp>

#include "attn/mask_expr.hpp"
#include "mask_random.hpp"
#include "support.hpp"

using namespace attn;

TEST_CASE("reading what was printed gives an equal expression", "[mask_text]") {
  support::Bits bits(41);
  for (int round = 0; round < 3000; ++round) {
    const MaskExpr expr = support::random_expression(bits, support::random_sizes(bits), bits.below(5));
    const std::string text = mask_text(expr);
    const auto read = parse_mask(text);
    INFO(text);
    REQUIRE(read.ok());
    REQUIRE(read.value() == expr);
    REQUIRE(mask_text(read.value()) == text);
  }
}

TEST_CASE("the canonical form", "[mask_text]") {
  const auto canonical = [](const char* text) {
    const auto expr = parse_mask(text);
    return expr ? mask_text(expr.value()) : expr.error().message;
  };
  CHECK(canonical("  causal&window( 3 )&documents(4, 2)&padding(6 ,3) ") == "causal & window(3) & documents(4,2) & padding(6,3)");
  CHECK(canonical("causal()") == "causal");
  CHECK(canonical("causal(top_left)") == "causal");
  CHECK(canonical("causal( bottom_right )") == "causal(bottom_right)");
  CHECK(canonical("window(4,bottom_right)") == "window(4, bottom_right)");
  CHECK(canonical("((causal))") == "causal");
  CHECK(canonical("(causal & all) & none") == "(causal & all) & none");
  CHECK(canonical("causal & all & none") == "causal & all & none");
  CHECK(canonical("causal | all & none") == "causal | all & none");
  CHECK(canonical("(causal | all) & none") == "(causal | all) & none");
  CHECK(canonical("~(causal | all)") == "~(causal | all)");
  CHECK(canonical("~~causal") == "~~causal");
  CHECK(canonical("padding(1,3;)") == "padding(1,3;)");
  CHECK(canonical("global(3,1)") == "global(1,3)");
  CHECK(canonical("padding(3.0)") == "padding(3)");
  CHECK(canonical("rows( 10 , 01 / 11, 00 ; 00,00/10,10)") == "rows(10,01/11,00;00,00/10,10)");
}

TEST_CASE("& binds tighter than |, ~ tightest", "[mask_text]") {
  CHECK(parse_mask("causal | all & ~none").value() == (MaskExpr::causal() | (MaskExpr::all() & ~MaskExpr::none())));
}

TEST_CASE("errors point at the character and say what was expected", "[mask_text]") {
  struct Wrong {
    const char* text;
    std::size_t at;
    ErrorCode code;
    const char* message;
  };
  const Wrong wrong[] = {
      {"", 0, ErrorCode::syntax, "mask: at character 1, expected a term, ~ or (, found the end"},
      {"   ", 3, ErrorCode::syntax, "mask: at character 4, expected a term, ~ or (, found the end"},
      {"causal &", 8, ErrorCode::syntax, "mask: at character 9, expected a term, ~ or (, found the end"},
      {"causal && all", 8, ErrorCode::syntax, "mask: at character 9, expected a term, ~ or (, found \"&\""},
      {"causal all", 7, ErrorCode::syntax, "mask: at character 8, expected &, | or the end, found \"all\""},
      {"(causal", 7, ErrorCode::syntax, "mask: at character 8, expected &, | or ), found the end"},
      {"causal)", 6, ErrorCode::syntax, "mask: at character 7, expected &, | or the end, found \")\""},
      {"window", 6, ErrorCode::syntax, "mask: at character 7, expected ( after window, which takes a width, or the numbers of keys before and after, found the end"},
      {"window()", 7, ErrorCode::syntax, "mask: at character 8, expected a whole number, top_left or bottom_right, found \")\""},
      {"window(0)", 7, ErrorCode::out_of_range, "mask: at character 8, window has the argument 0; allowed are whole numbers from 1 to 2147483647"},
      {"all & window(-2)", 13, ErrorCode::out_of_range, "mask: at character 14, window has the argument -2; allowed are whole numbers from 1 to 2147483647"},
      {"window(2.5)", 7, ErrorCode::not_an_integer, "mask: at character 8, window has the argument 2.5; allowed are whole numbers from 1 to 2147483647"},
      {"window(1e300)", 7, ErrorCode::out_of_range, "mask: at character 8, window has the argument 1e300; allowed are whole numbers from 1 to 2147483647"},
      {"window(2x)", 7, ErrorCode::syntax, "mask: at character 8, expected a whole number, found \"2x\""},
      {"window(1,2,3)", 0, ErrorCode::wrong_shape, "mask: at character 1, window has 3 arguments; it takes a width, or the numbers of keys before and after"},
      {"dilated(2)", 0, ErrorCode::wrong_shape, "mask: at character 1, dilated has 1 argument; it takes the number of keys and the step between them"},
      {"chunks(2;2)", 8, ErrorCode::syntax, "mask: at character 9, expected , or ), found \";\""},
      {"padding(1,2;3)", 0, ErrorCode::wrong_shape, "mask: at character 1, padding has rows of 2 and 1 arguments; give every sequence as many"},
      {"causal(3)", 7, ErrorCode::syntax, "mask: at character 8, expected nothing, or bottom_right in causal, found \"3\""},
      {"causal(left)", 7, ErrorCode::syntax, "mask: at character 8, expected a whole number, top_left or bottom_right, found \"left\""},
      {"all(1)", 4, ErrorCode::syntax, "mask: at character 5, expected ) because all takes nothing, found \"1\""},
      {"global(2,2)", 0, ErrorCode::wrong_shape, "mask: at character 1, global has position 2 twice"},
      {"casual", 0, ErrorCode::syntax, "mask: at character 1, \"casual\" is not a kind of mask; there are causal, padding, left_padding, window, documents, document_ids, prefix, chunks, global, dilated, rows, all, none"},
      {"Causal", 0, ErrorCode::syntax, "mask: at character 1, \"Causal\" is not a kind of mask; there are causal, padding, left_padding, window, documents, document_ids, prefix, chunks, global, dilated, rows, all, none"},
      {"rows(10,1)", 8, ErrorCode::wrong_shape, "mask: at character 9, a row has 1 cells and the first has 2"},
      {"rows(10,12)", 9, ErrorCode::syntax, "mask: at character 10, expected a word of 0 and 1, found \"2\""},
      {"rows(10,01;10)", 0, ErrorCode::wrong_shape, "mask: at character 1, rows has 2 and 1 rows; give every sequence and head as many"},
      {"rows(10/01;10)", 0, ErrorCode::wrong_shape, "mask: at character 1, rows has 2 and 1 heads; give every sequence as many"},
      {"causal ∧ all", 7, ErrorCode::syntax, "mask: at character 8, expected &, | or the end, found \"∧\""},
      {"∧∧ causal", 0, ErrorCode::syntax, "mask: at character 1, expected a term, ~ or (, found \"∧\""},
  };
  for (const Wrong& each : wrong) {
    INFO(each.text);
    const auto read = parse_mask(each.text);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().message == each.message);
    CHECK(read.error().code == each.code);
    CHECK(read.error().at == each.at);
    CHECK(read.error().param == "mask");
  }
  // Characters are counted, not bytes.
  CHECK(parse_mask("all & ∧").error().at == 6u);
  CHECK(parse_mask("causal &", "meant").error().message.starts_with("meant: at character 9"));
}

TEST_CASE("nesting has an end", "[mask_text]") {
  CHECK(parse_mask(std::string(100, '(') + "all" + std::string(100, ')')).ok());
  CHECK(parse_mask(std::string(100, '~') + "all").ok());
  const auto deep = parse_mask(std::string(100000, '(') + "all");
  REQUIRE_FALSE(deep.ok());
  CHECK(deep.error().code == ErrorCode::too_large);
  CHECK(deep.error().at == 100u);
  CHECK(parse_mask(std::string(100000, '~') + "all").error().code == ErrorCode::too_large);
  // an OR and an AND in each pair of parentheses
  std::string both, close;
  for (int i = 0; i < 100; ++i) both += "all | none & (", close += ')';
  const auto levels = parse_mask(both + "all" + close);
  REQUIRE_FALSE(levels.ok());
  CHECK(levels.error().message == "mask: at character 1504, is nested deeper than 200 levels");
  CHECK(levels.error().at == 1503u);
}

TEST_CASE("the number of parts has an end", "[mask_text]") {
  const auto any = [](int terms) {
    std::string text = "all";
    for (int i = 1; i < terms; ++i) text += "|all";
    return parse_mask(text);
  };
  const auto most = any(9999);
  REQUIRE(most.ok());
  CHECK(parse_mask(mask_text(most.value())).value() == most.value());
  CHECK(any(10000).error().code == ErrorCode::too_large);
  CHECK(any(10000).error().message == "mask: at character 40000, has more than 10000 terms and compositions");
}

TEST_CASE("a whole number may be spelled as any number", "[mask_text]") {
  for (const char* text : {"padding(3)", "padding(+3)", "padding(3.0)", "padding(0.3e1)", "padding(30e-1)", "padding(003)"}) {
    INFO(text);
    REQUIRE(parse_mask(text).ok());
    CHECK(mask_text(parse_mask(text).value()) == "padding(3)");
  }
  CHECK(parse_mask("padding(3e-1)").error().code == ErrorCode::not_an_integer);
}

TEST_CASE("any text is read or refused", "[mask_text]") {
  support::Bits bits(99);
  const std::string alphabet = "()&|~,;/ 0123456789.-+e_abcdlnoprstuw\t\xe2\x88\xa7\xff";
  const std::vector<std::string> words{"causal", "window(", "padding(", "rows(", "documents(", "bottom_right", "&", "|", "~", "(", ")", ",", ";", "3", "10", "01", "/", " "};
  std::size_t read = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string text;
    if (round % 3 == 0) {
      for (std::size_t i = 0; i < bits.below(24); ++i) text += alphabet[bits.below(alphabet.size())];
    } else if (round % 3 == 1) {
      for (std::size_t i = 0; i < bits.below(12); ++i) text += words[bits.below(words.size())];
    } else {  // a good text with one wound
      text = mask_text(support::random_expression(bits, {2, 1, 4, 4}, 2));
      const std::size_t at = bits.below(text.size());
      bits.below(2) == 0 ? text.erase(at, 1) : text.insert(at, 1, alphabet[bits.below(alphabet.size())]);
    }
    const auto expr = parse_mask(text);
    if (expr) {
      ++read;
      REQUIRE(parse_mask(mask_text(expr.value())).value() == expr.value());
    } else {
      REQUIRE(expr.error().at.has_value());
      REQUIRE(*expr.error().at <= text.size());
    }
  }
  CHECK(read > 1000);
}

// Reals and tables of reals as parameters: what is read, what is refused and how the refusal speaks, and what repair makes of it.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

#include "attn/study.hpp"

namespace {

using namespace attn;

Parameter table(bool non_finite = false) {
  return {.key = "points", .label = "points", .symbol = "", .help = "Points.", .kind = Kind::numbers, .initial = std::string("0,0"), .min = -5, .max = 5, .non_finite = non_finite,
          .growable = true, .row_name = "key", .column_names = {"x", "y"}};
}

Parameter real() { return {.key = "rate", .label = "rate", .symbol = "", .help = "Rate.", .kind = Kind::number, .initial = 0.5, .min = 0, .max = 0.99, .step = 0.05}; }

Study study() {
  Study made;
  made.id = "tables";
  made.title = "Tables";
  made.parameters = {table(), real()};
  made.run = [](const Params& params, Workspace&) -> Result<std::vector<Series>> {
    return std::vector<Series>{{"rate", "", {}, {params.number("rate")}}};
  };
  made.series = {{"rate", "rate", ""}};
  return made;
}

Error refused(const Parameter& parameter, std::string_view text) {
  const auto read = parse_numbers(parameter, text);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().param == parameter.key);
  return read.error();
}

}  // namespace

TEST_CASE("a table of reals reads back, blanks and all", "[numbers]") {
  const auto read = parse_numbers(table(), " 1, 0.50 ;-2e0,+3");
  REQUIRE(read.ok());
  CHECK(read.value().rows == 2);
  CHECK(read.value().columns == 2);
  CHECK(read.value().values == std::vector<double>{1, 0.5, -2, 3});
  CHECK(numbers_text(read.value()) == "1,0.5;-2,3");
  CHECK(numbers_text(parse_numbers(table(), "   1  ,  2   ;   3,   4   ").value()) == "1,2;3,4");
  CHECK(parse_numbers(table(), "").value().rows == 0);
  CHECK(parse_numbers(table(), "  ").value().values.empty());
  CHECK(numbers_text(NumbersText{}).empty());
  for (const char* form : {"0", "1,2", "1;2", "0.1,-0;3,4.5", "1e-300,5"}) CHECK(numbers_text(parse_numbers(table(), form).value()) == form);
}

TEST_CASE("NaN and infinities are entries where a table takes them", "[numbers]") {
  const auto read = parse_numbers(table(true), "NaN,inf;-Infinity,+INF");
  REQUIRE(read.ok());
  CHECK(std::isnan(read.value().values[0]));
  CHECK(read.value().values[1] == std::numeric_limits<double>::infinity());
  CHECK(read.value().values[2] == -std::numeric_limits<double>::infinity());
  CHECK(numbers_text(read.value()) == "nan,inf;-inf,inf");
  CHECK(refused(table(), "1,nan").code == ErrorCode::out_of_range);
  CHECK(refused(table(), "1,-inf").message == "points: row 1, column 2 is \"-inf\"; allowed are numbers from -5 to 5, with commas, and a semicolon between rows");
  CHECK(refused(table(true), "1,7").message == "points: row 1, column 2 is \"7\"; allowed are numbers from -5 to 5, nan, inf and -inf, with commas, and a semicolon between rows");
  CHECK(refused(table(true), "1e999").code == ErrorCode::out_of_range);  // a number too large is not the word inf
}

TEST_CASE("a table names the entry it cannot read", "[numbers]") {
  CHECK(refused(table(), "1,2;3,x").code == ErrorCode::wrong_type);
  CHECK(refused(table(), "1,2;3,x").message.starts_with("points: row 2, column 2 is \"x\", not a number; "));
  for (const char* form : {",", ";", "1,", "1;", ";1", "1,,2", "1 2", "0x1", "nane"}) CHECK(refused(table(true), form).code == ErrorCode::wrong_type);
  CHECK(refused(table(), "1,2;3").code == ErrorCode::wrong_shape);
  CHECK(refused(table(), "1,2;3").message.starts_with("points: row 2 has 1 entry and row 1 has 2; "));
  CHECK(refused(table(), "1;2,3").message.starts_with("points: row 2 has 2 entries and row 1 has 1; "));
  std::string many = "0";
  for (int i = 1; i < 1024; ++i) many += ",0";
  CHECK(parse_numbers(table(), many).ok());
  CHECK(refused(table(), many + ",0").code == ErrorCode::too_large);
}

TEST_CASE("reals and tables go through validate, from_text, repair and describe", "[numbers]") {
  const Study made = study();
  Workspace workspace;
  CHECK(run(made, {{"rate", 0.123}}, workspace).value().series[0].data[0] == 0.123);
  CHECK(validate(made, {{"points", std::string(" 1 , 2 ")}}).value().text("points") == "1,2");
  CHECK(validate(made, {{"rate", 1.0}}).error().message == "rate is 1; allowed are numbers from 0 to 0.99");
  CHECK(validate(made, {{"rate", std::numeric_limits<double>::quiet_NaN()}}).error().code == ErrorCode::out_of_range);
  CHECK(validate(made, {{"rate", std::string("a")}}).error().code == ErrorCode::wrong_type);
  CHECK(validate(made, {{"points", 3.0}}).error().code == ErrorCode::wrong_type);
  CHECK(validate(made, {{"points", std::string("9,9")}}).error().code == ErrorCode::out_of_range);

  const Repaired repaired = repair(made, {{"rate", std::string("7e-1")}, {"points", std::string("a")}});
  CHECK(repaired.params.number("rate") == 0.7);
  CHECK(repaired.params.text("points") == "0,0");
  REQUIRE(repaired.notices.size() == 1);
  CHECK(repaired.notices[0].param == "points");
  CHECK(repair(made, {{"rate", 4.0}}).params.number("rate") == 0.99);
  CHECK(repair(made, {{"rate", -4.0}}).params.number("rate") == 0);

  const Study* const list[] = {&made};
  const std::string json = describe_json(list);
  for (const char* piece : {"\"kind\":\"numbers\"", "\"kind\":\"number\"", "\"nonFinite\":false", "\"growable\":true", "\"rowName\":\"key\"", "\"columnNames\":[\"x\",\"y\"]", "\"step\":0.05"}) {
    CHECK(json.find(piece) != std::string::npos);
  }
}

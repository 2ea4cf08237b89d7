// Exercises as such: every declared one is complete, its key is right, each known mistake gets its words; tolerances at their edges,
// texts that read and texts that do not, on parts made up here.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <set>

#include "exercises.hpp"
#include "studies.hpp"
#include "support.hpp"

using namespace attn;
using namespace attn::studies;

namespace {

constexpr double pi_ish = 3.14159265358979;

constexpr Choice colours[] = {{"red", "red", "Red is warm."}, {"green", "green", "Green grows."}, {"blue", "blue"}};
constexpr Slip doubled[] = {{[] { return Answer{2 * pi_ish}; }, "That is twice the number."}};

constexpr Part decimals{.id = "1", .ask = "?", .decimals = 2, .key = [] { return Answer{pi_ish}; }, .slips = doubled, .right = "Yes."};
constexpr Part digits{.id = "2", .ask = "?", .digits = 3, .key = [] { return Answer{-65472.0}; }, .right = "Yes."};
constexpr Part small{.id = "3", .ask = "?", .digits = 2, .key = [] { return Answer{0.0009962}; }, .right = "Yes."};
constexpr Part exact{.id = "4", .ask = "?", .key = [] { return Answer{1.0 / 3}; }, .right = "Yes."};
constexpr Part whole{.id = "5", .ask = "?", .decimals = 0, .key = [] { return Answer{41.6}; }, .right = "Yes."};
constexpr Part one{.id = "6", .ask = "?", .kind = AnswerKind::choice, .choices = colours, .key = [] { return Answer{1}; }, .right = "Yes."};
constexpr Part many{.id = "7", .ask = "?", .kind = AnswerKind::several, .choices = colours, .key = [] { return Answer{1, 0, 1}; }, .right = "Yes."};
constexpr Part cells{.id = "8", .ask = "?",
                     .kind = AnswerKind::matrix,
                     .rows = 2,
                     .columns = 3,
                     .cells = true,
                     .row_name = "query",
                     .column_name = "key",
                     .one = "may see",
                     .zero = "may not see",
                     .key = [] { return Answer{1, 0, 0, 1, 1, 0}; },
                     .right = "Yes."};
constexpr Part table{.id = "9", .ask = "?", .kind = AnswerKind::matrix, .decimals = 1, .rows = 2, .columns = 2, .key = [] { return Answer{0.25, -1, 2, 1e3}; }, .right = "Yes."};

/// The outcome, or the error's code.
std::string outcome(const Part& part, const std::string& text) {
  const auto verdict = check_answer(part, text);
  if (!verdict) {
    UNSCOPED_INFO(verdict.error().message);
    CHECK(verdict.error().param == "answer");
    return std::string(name(verdict.error().code));
  }
  UNSCOPED_INFO(verdict.value().words);
  return std::string(name(verdict.value().outcome));
}

std::string words(const Part& part, const std::string& text) {
  const auto verdict = check_answer(part, text);
  return verdict ? verdict.value().words : verdict.error().message;
}

bool part_id(std::string_view id, std::string_view exercise) {
  if (!id.starts_with(exercise)) return false;
  id.remove_prefix(exercise.size());
  if (id.size() < 2 || id[0] != '.' || id[1] < '1' || id[1] > '9') return false;
  return id.size() == 2 || (id.size() == 3 && id[2] >= 'a' && id[2] <= 'z');
}

}  // namespace

TEST_CASE("every exercise is declared completely", "[exercises]") {
  std::set<std::string_view> ids;
  REQUIRE(exercises().size() >= 3);
  int before = 0;
  std::set<std::pair<int, std::string_view>> places;
  for (const Exercise* exercise : exercises()) {
    INFO(exercise->id);
    const int number = std::stoi(std::string(exercise->id));
    CHECK(number >= before);
    CHECK(places.insert({number, exercise->study}).second);
    before = number;
    CHECK(find_study(registry(), exercise->study).ok());
    CHECK_FALSE(exercise->title.empty());
    REQUIRE_FALSE(exercise->parts.empty());
    for (const Part& part : exercise->parts) {
      INFO(part.id);
      CHECK(part_id(part.id, exercise->id));
      CHECK(ids.insert(part.id).second);
      CHECK(find_part(exercises(), part.id) == &part);
      CHECK_FALSE((part.ask.empty() || part.right.empty() || part.key == nullptr));
      const bool chosen = part.kind == AnswerKind::choice || part.kind == AnswerKind::several;
      CHECK(chosen == !part.choices.empty());
      CHECK((part.kind == AnswerKind::matrix) == (part.rows * part.columns > 0));
      CHECK((part.decimals < 0 || part.digits < 0));
      CHECK(part.one.empty() == part.zero.empty());
      std::set<std::string_view> choices;
      for (const Choice& choice : part.choices) {
        CHECK(choices.insert(choice.id).second);
        CHECK_FALSE(choice.label.empty());
        CHECK(choice.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos);
        CHECK(choice.id != "none");
      }
    }
  }
}

TEST_CASE("every key is right as it is written, and every wrong choice is wrong with its reason", "[exercises]") {
  for (const Exercise* exercise : exercises()) {
    for (const Part& part : exercise->parts) {
      INFO(part.id);
      const Answer key = part.key();
      const auto verdict = check_answer(part, answer_text(part, key));
      REQUIRE(verdict.ok());
      CHECK(verdict.value().outcome == Outcome::right);
      CHECK(verdict.value().words == part.right);
      CHECK(verdict.value().entries.empty());
      Answer again;
      CHECK_FALSE(read_answer(part, answer_text(part, key), again));
      CHECK(again.size() == key.size());
      if (part.kind == AnswerKind::choice) {
        for (std::size_t i = 0; i < part.choices.size(); ++i) {
          if (static_cast<double>(i) == key.front()) continue;
          INFO(part.choices[i].id);
          CHECK_FALSE(part.choices[i].wrong.empty());
          CHECK(outcome(part, std::string(part.choices[i].id)) == "wrong");
        }
      }
      if (part.kind == AnswerKind::several) {
        for (std::size_t i = 0; i < key.size(); ++i) {
          Answer other = key;
          other[i] = 1 - key[i];
          CHECK(outcome(part, answer_text(part, other)) == "wrong");
        }
      }
      if (part.kind == AnswerKind::matrix && part.cells) {
        for (std::size_t i = 0; i < key.size(); ++i) {
          Answer other = key;
          other[i] = 1 - key[i];
          const auto found = check_answer(part, answer_text(part, other)).value();
          CHECK(found.outcome == Outcome::wrong);
          CHECK(found.entries == std::vector<std::size_t>{i});
        }
      }
    }
  }
}

TEST_CASE("every known mistake is told apart from the right answer and from the others", "[exercises]") {
  std::size_t slips = 0;
  for (const Exercise* exercise : exercises()) {
    for (const Part& part : exercise->parts) {
      for (const Slip& slip : part.slips) {
        INFO(part.id << " " << slip.words);
        const auto verdict = check_answer(part, answer_text(part, slip.answer()));
        REQUIRE(verdict.ok());
        CHECK(verdict.value().outcome == Outcome::wrong);
        CHECK(verdict.value().words == slip.words);
        CHECK((part.kind == AnswerKind::matrix) == !verdict.value().entries.empty());
        ++slips;
      }
    }
  }
  CHECK(slips >= 10);
}

TEST_CASE("no declaration gives an answer away", "[exercises]") {
  const std::string json = exercises_json(exercises());
  CHECK(json.starts_with("[{\"id\":"));
  for (const char* field : {"\"key\":", "\"right\":", "\"wrong\":", "\"slips\":", "\"answer\":"}) CHECK(json.find(field) == std::string::npos);
  for (const Exercise* exercise : exercises()) {
    for (const Part& part : exercise->parts) {
      CHECK(json.find(std::string("\"id\":\"").append(part.id).append("\"")) != std::string::npos);
      CHECK(json.find(part.right) == std::string::npos);
      for (const Slip& slip : part.slips) CHECK(json.find(slip.words) == std::string::npos);
    }
  }
  const Part* unknown = find_part(exercises(), "5.9");
  CHECK(unknown == nullptr);
  const Error error = unknown_part(exercises(), "5.9");
  CHECK(error.code == ErrorCode::unknown_choice);
  CHECK(error.param == "part");
  CHECK(error.message.find("5.1a") != std::string::npos);
}

TEST_CASE("a number is right within half of its last digit and close within one and a half", "[exercises]") {
  CHECK(exactness(decimals) == "2 decimals");
  for (const char* text : {"3.14", "3.1416", "3.141592653589793", "3.13660", "3.14659"}) CHECK(outcome(decimals, text) == "right");
  for (const char* text : {"3.15", "3.13", "3.1266", "3.1565"}) CHECK(outcome(decimals, text) == "close");
  for (const char* text : {"3.16", "3.12", "-3.14", "0", "inf", "nan"}) CHECK(outcome(decimals, text) == "wrong");
  CHECK(words(decimals, "3.15") == "The last digit asked for is off by one. Wanted is the number rounded to 2 decimals.");
  CHECK(words(decimals, "6.28") == "That is twice the number.");
  CHECK(exactness(digits) == "3 significant digits");
  for (const char* text : {"-65500", "-6.55e4", "-65472", "-6.55x10^4"}) CHECK(outcome(digits, text) == "right");
  for (const char* text : {"-65400", "-65600"}) CHECK(outcome(digits, text) == "close");
  for (const char* text : {"65500", "-65000", "-6.55e3"}) CHECK(outcome(digits, text) == "wrong");
  for (const char* text : {"0.0010", "1e-3", "0.001", "0.0009962"}) CHECK(outcome(small, text) == "right");
  for (const char* text : {"0.00099", "0.00101"}) CHECK(outcome(small, text) == "close");
  for (const char* text : {"0.00098", "0.0011"}) CHECK(outcome(small, text) == "wrong");
  // fewer digits than asked for, one at least: zeros are places and no digits
  for (const char* text : {"3", "3.1"}) CHECK(words(decimals, text).starts_with("Right as far as it goes."));
  for (const char* text : {"0", "0.0", "0.00", "0.000"}) CHECK(outcome(small, text) == "wrong");
  CHECK(exactness(exact) == "exact");
  for (const char* text : {"1/3", "2/6", "0.33333333333333333"}) CHECK(outcome(exact, text) == "right");
  CHECK(outcome(exact, "0.3333") == "wrong");
  CHECK(exactness(whole) == "a whole number");
  CHECK(outcome(whole, "42") == "right");
  CHECK(outcome(whole, "41") == "close");
  CHECK(outcome(whole, "40") == "wrong");
}

TEST_CASE("every correctly rounded number is right, and one digit further is not", "[exercises]") {
  // Three significant digits of numbers from 1e-6 to 1e6, by the C library's rounding.
  static double value;
  support::Bits bits(20261130);
  for (int i = 0; i < 2000; ++i) {
    const double size = bits.real(1, 10);
    value = (bits.below(2) == 1 ? -size : size) * std::pow(10.0, static_cast<double>(bits.below(13)) - 6);
    const Part part{.id = "1", .ask = "?", .digits = 3, .key = [] { return Answer{value}; }, .right = "Yes."};
    char text[40];
    std::snprintf(text, sizeof text, "%.2e", value);
    INFO(value << " " << text);
    REQUIRE(outcome(part, text) == "right");
    const double unit = std::pow(10.0, std::floor(std::log10(std::fabs(value))) - 2);
    std::snprintf(text, sizeof text, "%.17g", value + 0.51 * unit);
    REQUIRE(outcome(part, text) == "close");
    std::snprintf(text, sizeof text, "%.17g", value - 1.51 * unit);
    REQUIRE(outcome(part, text) == "wrong");
  }
}

TEST_CASE("numbers read as people write them", "[exercises]") {
  const auto read = [](const std::string& text) {
    Answer answer;
    const auto error = read_answer(exact, text, answer);
    INFO(text);
    REQUIRE_FALSE(error);
    REQUIRE(answer.size() == 1);
    return answer.front();
  };
  CHECK(read(" 0.25 ") == 0.25);
  CHECK(read("\u22122.5") == -2.5);
  CHECK(read("1/4") == 0.25);
  CHECK(read("3 / 8") == 0.375);
  CHECK(read("16 3/8") == 16.375);
  CHECK(read("-1  1 / 4") == -1.25);
  CHECK(read("\u22121 1\u20444") == -1.25);  // as a page prints it: minus, fraction slash
  CHECK(read("16\u00a03/8") == 16.375);     // a no-break space is a space
  CHECK(read("+ 16 3/8") == 16.375);
  CHECK(read("16 777 216") == 16777216);
  CHECK(read("16\u00a0777\u00a0216") == 16777216);
  CHECK(read("1 024/2") == 512);  // a gap between thousands, not a fraction beside a whole
  CHECK(read("25%") == 0.25);
  CHECK(read("12.5 %") == 0.125);
  CHECK(read("2.5E-1") == 0.25);
  CHECK(read("2^10") == 1024);
  CHECK(read("2^-2") == 0.25);
  CHECK(read("√2") == std::sqrt(2.0));
  CHECK(read("1/√2") == 1 / std::sqrt(2.0));
  CHECK(read("1 / sqrt(0.5)") == 1 / std::sqrt(0.5));
  CHECK(read("-√3/2") == -std::sqrt(3.0) / 2);
  CHECK(read("2√3") == 2 * std::sqrt(3.0));
  CHECK(read("√(2)^2") == std::sqrt(2.0) * std::sqrt(2.0));
  CHECK(read("-2^2") == -4);
  CHECK(read("3\u00d710^2") == 300);
  CHECK(read("3 x 10^2") == 300);
  CHECK(read("3*4*5") == 60);
  CHECK(read("1/2/2") == 0.25);
  CHECK(read("2^1023*2") == std::numeric_limits<double>::infinity());
  CHECK(read("inf") == std::numeric_limits<double>::infinity());
  CHECK(read("-Infinity") == -std::numeric_limits<double>::infinity());
  CHECK(read("\u2212\u221e") == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(read("NaN")));
  CHECK(read("12\u202f288") == 12288);
}

TEST_CASE("a text that is no number is refused with what may be given", "[exercises]") {
  for (const char* text : {"", "  ", "ten", "12px", "1/0", "1//2", "2^", "2^0.5", "2^1e9", "^2", "*3", "3*", "1.2.3", "--1", "0x10", "%", "1e", "3,66", "1 000,5", "16 8/8", "1.68 10^7", "1.68\u00a010^7", "1 2 0 0", "1 2"}) {
    INFO(text);
    CHECK(outcome(exact, text) == "wrong_type");
  }
  CHECK(words(exact, "ten") == "answer is \"ten\"; give a number such as 0.25, 1/4, 25%, 2.5e-1, 2^-2 or 1/√2");
  CHECK(words(exact, "3,66").ends_with("with a point for decimals and nothing between thousands"));
  CHECK(words(exact, "8388608 bytes").ends_with(", and leave the unit out"));
  CHECK(words(exact, "5 MiB").ends_with(", and leave the unit out"));
  CHECK(words(exact, "4 elements").ends_with(", and leave the unit out"));
  for (const char* text : {"1e", "2.5E-", "3e4.5"}) CHECK(words(exact, text).ends_with("1/√2, with a whole number behind the e"));
  for (const char* text : {"0x10", "0XFF"}) CHECK(words(exact, text).ends_with("1/√2, in decimal digits"));
  for (const char* text : {"3 x 4", "3x"}) CHECK(words(exact, text).ends_with("1/√2, with * for times"));
  CHECK(words(exact, "bytes").find("unit") == std::string::npos);
}

TEST_CASE("choices are given by their ids", "[exercises]") {
  CHECK(outcome(one, " green ") == "right");
  CHECK(words(one, "red") == "Red is warm.");
  CHECK(words(one, "blue") == "That is not it.");
  CHECK(words(one, "mauve") == "answer is \"mauve\"; allowed are red, green, blue");
  for (const char* text : {"", "Green", "red,green", "none"}) CHECK(outcome(one, text) == "unknown_choice");
  for (const char* text : {"red,blue", "blue, red", "red,red,blue"}) CHECK(outcome(many, text) == "right");
  CHECK(words(many, "none") == "2 of them are not right. Red is warm.");
  CHECK(words(many, "red") == "One of them is not right.");
  CHECK(words(many, "red,green,blue") == "One of them is not right. Green grows.");
  CHECK(words(many, "red,mauve") == "answer is \"mauve\"; allowed are red, green, blue, several with commas, or none");
  for (const char* text : {"", "red,", ",", "red;blue", "none,red"}) CHECK(outcome(many, text) == "unknown_choice");
}

TEST_CASE("matrices name the entry that is wrong or cannot be read", "[exercises]") {
  for (const char* text : {"100;110", "1,0,0;1,1,0", " 1, 0,0 ; 110 ;", "100\n110"}) CHECK(outcome(cells, text) == "right");
  CHECK(words(cells, "101;110") == "Row 1: query 1 may not see key 3.");
  CHECK(words(cells, "100;100") == "Row 2: query 2 may see key 2.");
  CHECK(words(cells, "001;110") == "Row 1: query 1 may see key 1; 1 other entry is not right.");
  CHECK(words(cells, "011;001") == "Row 1: query 1 may see key 1; 5 other entries are not right.");
  CHECK(check_answer(cells, "001;111").value().entries == std::vector<std::size_t>{0, 2, 5});
  CHECK(words(cells, "100") == "answer has 1 row; it takes 2");
  CHECK(words(cells, "100;110;111") == "answer has 3 rows; it takes 2");
  CHECK(words(cells, "100;11") == "row 2 has 2 entries; it takes 3");
  CHECK(words(cells, "1;110") == "row 1 has 1 entry; it takes 3");
  CHECK(words(cells, "100;120") == "row 2, column 2 is \"2\"; allowed are 0 and 1");
  CHECK(outcome(cells, "100;120") == "out_of_range");
  CHECK(words(cells, "1x0;110") == "row 1, column 2 is \"x\"; allowed are 0 and 1");
  CHECK(outcome(cells, "1x0;110") == "wrong_type");
  CHECK(outcome(cells, "100;;110") == "wrong_shape");
  CHECK(outcome(table, "1/4,-1;2,1e3") == "right");
  CHECK(words(table, "0.25,-1;3,1e3") == "Row 2, column 1 is not right.");
  CHECK(words(table, "0.25,-1;2,much").starts_with("row 2, column 2 is \"much\"; give a number"));
  CHECK(words(table, "0.25,-1;2") == "row 2 has 1 entry; it takes 2");
  CHECK(words(table, "0,25,-1;2,1e3") == "row 1 has 3 entries; it takes 2, with a point for decimals");
}

TEST_CASE("any text at all is judged or refused, never more", "[exercises]") {
  support::Bits bits(7);
  constexpr std::string_view likely = "0123456789.,;-+*/^%e xinfa\n";
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    for (std::size_t n = bits.below(14); n > 0; --n) text += bits.below(8) == 0 ? static_cast<char>(bits.below(256)) : likely[bits.below(likely.size())];
    for (const Part* part : {&decimals, &digits, &exact, &one, &many, &cells, &table}) {
      const auto verdict = check_answer(*part, text);
      if (verdict) {
        REQUIRE_FALSE(verdict.value().words.empty());
      } else {
        REQUIRE(verdict.error().param == "answer");
      }
    }
  }
}

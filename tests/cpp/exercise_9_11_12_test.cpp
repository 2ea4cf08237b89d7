// Exercises 9, 11 and 12: every key against numbers found by hand or by another way, and the known mistakes by their words.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <utility>

#include "cost_counts.hpp"
#include "exercises.hpp"
#include "studies.hpp"

using namespace attn;
using namespace attn::studies;

namespace {

Verdict verdict(const char* id, const char* answer) {
  const Part* part = find_part(exercises(), id);
  REQUIRE(part != nullptr);
  const auto checked = check_answer(*part, answer);
  REQUIRE(checked.ok());
  return checked.value();
}

bool right(const char* id, const char* answer) { return verdict(id, answer).outcome == Outcome::right; }

std::string words(const char* id, const char* answer) {
  const Verdict found = verdict(id, answer);
  CHECK(found.outcome == Outcome::wrong);
  return found.words;
}

/// The run's series of that name, with one parameter given.
std::vector<double> series_of(const char* name, Given given = {}) {
  Workspace workspace;
  const auto done = run(studies::additive(), given, workspace);
  REQUIRE(done.ok());
  for (const Series& series : done.value().series) {
    if (series.name == name) return series.data;
  }
  return {};
}

std::vector<double> key_of(const char* id) { return find_part(exercises(), id)->key(); }

}  // namespace

TEST_CASE("exercise 9 counts operations and parameters", "[exercises]") {
  CHECK(right("9.1a", "312"));
  CHECK(right("9.1b", "1200"));
  CHECK(words("9.1a", "156").find("multiplications") != std::string::npos);
  // Sums begun with their first product: 6 entries of 39 operations and 18 of 3; the other way 120 of 3 and 18 of 39.
  CHECK(words("9.1a", "288").find("first product") != std::string::npos);
  CHECK(words("9.1b", "1062").find("first product") != std::string::npos);
  CHECK(words("9.1b", "312").find("other order") != std::string::npos);
  CHECK(right("9.1c", "inverses"));
  CHECK(words("9.1c", "middle").find("in the middle") != std::string::npos);
  CHECK(right("9.2a", "22"));
  CHECK(right("9.2b", "1.82"));
  CHECK(right("9.2b", "20/11"));
  CHECK(words("9.2b", "0.55") == "That is the inverse.");
  CHECK(right("9.2c", "rank"));
  CHECK(right("9.3a", "8"));
  CHECK(words("9.3a", "2.83") == "That is the standard deviation.");
  CHECK(right("9.3b", "rank"));
}

TEST_CASE("exercise 11 finds the terms and the measured differences", "[exercises]") {
  CHECK(right("11.1", "amount"));
  CHECK(right("11.2a", "uut,utt"));
  CHECK(words("11.2a", "uut,utt,t3").find("every query") != std::string::npos);
  CHECK(right("11.2b", "3"));
  CHECK(words("11.2b", "2").find("no square") != std::string::npos);
  CHECK(key_of("11.3a") == series_of("asked_difference"));
  CHECK(key_of("11.3b") == series_of("asked_difference", {{"generator", std::string("torch")}}));
  CHECK(right("11.3a", "0.062,0.025,0.0025,8.2e-5"));
  CHECK(right("11.3b", "0.066,0.0076,0.0004,1.1e-5"));
  CHECK(words("11.3b", "0.062,0.025,0.0025,8.2e-5") == "Those are JAX’s draws.");
  CHECK(std::fabs(key_of("11.3c")[0] - series_of("asked_slopes")[2]) < 1e-12);
  // ln(0.0025242 / 0.000082349) / ln(10 / 3)
  CHECK(right("11.3c", "2.84"));
  const auto fitted = series_of("fitted_slope");
  CHECK(std::fabs(fitted[0] - 2.97) < 0.005);
  CHECK(words("11.3c", "2.97").starts_with("That is the slope in the figure"));
  CHECK(right("11.3d", "scale"));
  CHECK(words("11.3d", "blind").find("0.06") != std::string::npos);
}

TEST_CASE("exercise 12 counts what the rules cost", "[exercises]") {
  CHECK(right("12.1a", "184"));
  CHECK(words("12.1a", "176").find("w_v") != std::string::npos);
  CHECK(key_of("12.1b")[0] == 2.0 * 64 * (512 * 64 + 512 * 64) + 4.0 * 512 * 512 * 64);
  CHECK(right("12.1b", "75497472"));
  CHECK(right("12.1b", "7.5e7"));
  CHECK(words("12.1b", "67108864") == "The two projections are missing.");
  CHECK(words("12.1b", "41943040").find("a sum and a tanh") != std::string::npos);
  CHECK(key_of("12.1c")[0] == 2.0 * 512 * 512 * 64 + 512.0 * 512);
  CHECK(right("12.1c", "33554432"));  // without the division by the root, to two digits the same
  CHECK(right("12.1d", "16777216"));
  CHECK(words("12.1d", "67108864").find("bytes") != std::string::npos);
  CHECK(right("12.1e", "262144"));
  CHECK(right("12.2a", "rounding"));
  CHECK(right("12.2b", "268"));
  CHECK(words("12.2b", "256").find("mebibytes") != std::string::npos);
  const Given sizes{{"n", 512.0}, {"m", 512.0}, {"d_q", 64.0}, {"d_k", 64.0}, {"hidden", 64.0}, {"d", 64.0}};
  CHECK(key_of("12.1b")[0] == series_of("operations", sizes)[0]);
  CHECK(key_of("12.1e")[0] == series_of("largest_intermediate", sizes)[1]);
}

TEST_CASE("exercise 12.3 asks for more digits where fewer are right, and accuses nobody", "[exercises]") {
  for (const auto& [id, answer] : {std::pair{"12.3a", "2.2"}, {"12.3a", "2"}, {"12.3b", "3"}, {"12.3b", "3.0"}, {"12.3b", "3.0e0"}}) {
    INFO(id << " " << answer);
    CHECK(verdict(id, answer).outcome == Outcome::close);
    CHECK(verdict(id, answer).words == "Right as far as it goes. Wanted is the number rounded to 2 decimals.");
  }
  CHECK(right("12.3a", "2.2325"));
  CHECK(right("12.3b", "2.994"));
  CHECK(verdict("12.3b", "3.00").words == "The last digit asked for is off by one. Wanted is the number rounded to 2 decimals.");
  // a zero, another digit and a fraction are not the number rounded
  CHECK(words("12.3a", "0") == "That is not the number.");
  CHECK(words("12.3a", "3") == "That is not the number.");
  CHECK(words("12.3a", "2.3") == "That is not the number.");
  CHECK(words("12.3a", "11/5") == "That is not the number.");
  CHECK(words("12.3a", "2.25").find("are scaled") != std::string::npos);
}

TEST_CASE("exercise 10.2c tells a limit rounded to fewer digits from the limit without the softmax", "[exercises]") {
  for (const char* answer : {"16.4", "16.38", "1.64e1"}) {
    CHECK(verdict("10.2c", answer).outcome == Outcome::close);
    CHECK(verdict("10.2c", answer).words.find("Right as far as it goes") == 0);
  }
  CHECK(right("10.2c", "131/8"));
  CHECK(words("10.2c", "16") == "That is the limit without the softmax.");
}

TEST_CASE("what limits additive scoring on one thread is the same at any ratio such a thread may ask for", "[exercises]") {
  const auto all = cost_counts::work({512, 512, 64, 64, 64});
  CHECK(all[cost_counts::additive_direct].intensity() < 1);
  CHECK(all[cost_counts::additive_factored].intensity() > 30);
  CHECK(right("12.3d", "memory"));
  CHECK(right("12.3e", "arithmetic"));
}

TEST_CASE("exercise 12.3 counts a whole batch, whatever part of it is timed", "[exercises]") {
  // 512 queries and keys: projections, then an addition, a tanh, a product and a sum a hidden unit of each pair; over 2d and a scaling
  const double n = 512;
  for (const auto& [id, width] : {std::pair{"12.3a", 64.0}, std::pair{"12.3b", 256.0}}) {
    const double additive = 2 * width * 2 * n * width + 4 * n * n * width;
    CHECK(std::fabs(key_of(id)[0] - additive / (2 * n * n * width + n * n)) < 1e-12);
  }
}

TEST_CASE("exercises 9, 11 and 12 hold their own mistakes apart", "[exercises]") {
  std::size_t slips = 0;
  for (const Exercise* exercise : exercises()) {
    if (exercise->study != "additive") continue;
    for (const Part& part : exercise->parts) {
      INFO(part.id);
      const Answer key = part.key();
      CHECK(check_answer(part, answer_text(part, key)).value().outcome == Outcome::right);
      for (const Slip& slip : part.slips) {
        const Verdict found = check_answer(part, answer_text(part, slip.answer())).value();
        CHECK(found.outcome == Outcome::wrong);
        CHECK(found.words == slip.words);
        ++slips;
      }
      for (std::size_t i = 0; i < part.choices.size(); ++i) {
        CHECK(part.choices[i].wrong.empty() == (part.kind == AnswerKind::choice && key[0] == static_cast<double>(i)));
      }
    }
  }
  CHECK(slips >= 30);
}

// Exercises: questions on the pages whose answers the core checks. An exercise is a few parts; a part says what is asked, what kind
// of answer it takes and how exact, and names the function that computes the answer when somebody asks. Known mistakes are computed
// too, each with a sentence that says what the reader has found instead. The questions at length, their hints and the way to the live
// experiment stand in web/pages; a solution stands nowhere. One file an exercise, exercise_<number>.cpp, listed in
// exercise_registry.cpp. All are in one WebAssembly module, which should hold what the keys need and no whole study.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attn/error.hpp"

namespace attn::studies {

enum class AnswerKind {
  number,   ///< one number: "0.25", "2.5e-1", "1/4", "25%", "2^-2", "√2/2"; infinities and NaN as "-inf", "nan"
  choice,   ///< the id of one choice
  several,  ///< ids of choices with commas, "none" for none of them
  matrix,   ///< rows with ';', entries with ','; cells may also stand without commas, as in "100;110;111"
};

/// An answer as numbers: {value}; {index of the choice}; 1 or 0 a choice; row-major entries.
using Answer = std::vector<double>;

struct Choice {
  std::string_view id;
  std::string_view label;
  std::string_view wrong = {};  ///< said to readers who have this one wrong, by taking it or by leaving it out
};

/// A mistake that is known: what it leads to, and what to tell the reader.
struct Slip {
  Answer (*answer)();
  std::string_view words;
};

struct Part {
  std::string_view id;   ///< "6.1" or, where a point asks several things, "6.1b"
  std::string_view ask;  ///< the question in one sentence that stands alone
  AnswerKind kind = AnswerKind::number;
  // number, and matrices that are no cells
  std::string_view unit = {};
  int decimals = -1;  ///< decimals asked for, or
  int digits = -1;    ///< significant digits asked for; neither: the exact number
  // choice and several
  std::span<const Choice> choices = {};
  // matrix
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool cells = false;      ///< entries are 0 or 1
  std::size_t first = 1;   ///< number of the first row and column
  std::string_view row_name = "row";
  std::string_view column_name = "column";
  std::string_view one = {};   ///< of cells, in words: query 2 "may see" key 1
  std::string_view zero = {};

  Answer (*key)() = nullptr;
  std::span<const Slip> slips = {};
  std::string_view right;  ///< what to tell a reader who has it right
};

struct Exercise {
  std::string_view id;  ///< "6"
  std::string_view title;
  std::string_view study;  ///< whose page asks it; points of one exercise may stand on several pages, an entry each
  std::span<const Part> parts;
};

/// `close`: a number whose last asked digit is off by one, as when it was cut instead of rounded, or one that is rounded rightly to
/// fewer digits than asked for.
enum class Outcome { right, close, wrong };
[[nodiscard]] std::string_view name(Outcome outcome) noexcept;

struct Verdict {
  Outcome outcome = Outcome::wrong;
  std::string words;
  std::vector<std::size_t> entries = {};  ///< of a matrix: wrong entries, row-major
};

/// All exercises in their order.
[[nodiscard]] std::span<const Exercise* const> exercises();

/// The part of that id, or nullptr.
[[nodiscard]] const Part* find_part(std::span<const Exercise* const> exercises, std::string_view id);
/// unknown_choice on `param` "part", naming the parts there are.
[[nodiscard]] Error unknown_part(std::span<const Exercise* const> exercises, std::string_view id);

/// Reads an answer into `answer`. Errors, on `param` "answer": wrong_type (no number, naming the entry), unknown_choice, wrong_shape
/// (rows, columns), out_of_range (a cell that is neither 0 nor 1). Not a Result: pages download this, and every type of Result weighs.
[[nodiscard]] std::optional<Error> read_answer(const Part& part, std::string_view text, Answer& answer);
/// The text that read_answer reads back.
[[nodiscard]] std::string answer_text(const Part& part, const Answer& answer);

/// Errors: those of read_answer.
[[nodiscard]] Result<Verdict> check_answer(const Part& part, std::string_view text);

/// The unit of the last digit of a decimal as written, 0.1 of "2.2", 1 of "3", 1e6 of "8.4e7", and in `digits` how many it has from the
/// first that is not zero; 0 of anything else, such as a fraction.
[[nodiscard]] double last_digit(std::string_view text, int& digits);

/// How exact a number is to be, in words: "to 2 decimals".
[[nodiscard]] std::string exactness(const Part& part);

/// The declarations as JSON, without any key: [{id,title,study,parts:[{id,ask,kind,exact,unit,choices,rows,columns,...}]}].
[[nodiscard]] std::string exercises_json(std::span<const Exercise* const> exercises);

/// A sentence put together; smaller in WebAssembly than chains of std::string.
class Sentence {
 public:
  Sentence& operator<<(std::string_view words);
  Sentence& operator<<(std::size_t number);
  [[nodiscard]] std::string& text() noexcept { return text_; }

 private:
  std::string text_;
};

// ---- the exercises -------------------------------------------------------------------------------------------------------

const Exercise& exercise_1();
const Exercise& exercise_2();
const Exercise& exercise_3();
const Exercise& exercise_4();
const Exercise& exercise_5();
const Exercise& exercise_6();
const Exercise& exercise_7();
const Exercise& exercise_8();
const Exercise& exercise_9();
const Exercise& exercise_10();
const Exercise& exercise_11();
const Exercise& exercise_12();
const Exercise& exercise_12_timing();

}  // namespace attn::studies

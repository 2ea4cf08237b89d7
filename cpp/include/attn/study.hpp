// Studies: what a plate computes, declared once. A study names its parameters (range, step, scale, default), the series it
// returns, its presets, and its claims (a sentence and the property that proves it). Controls, URL keys, validation, types,
// documentation and tests are derived from that declaration; nothing else repeats a range or a default.
// `run` is a pure function of the parameters: the same parameters give the same bits, natively and as WebAssembly.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "attn/attention.hpp"
#include "attn/error.hpp"

namespace attn {

enum class Kind {
  integer,  ///< a whole number in [min, max], a multiple of step above min
  number,   ///< a real in [min, max]; step is only how far a control moves
  choice,   ///< one of the named choices
  flag,     ///< true or false
  lengths,  ///< valid lengths as text: "2,3" one a sequence, "1,3;2,4" one a query with ';' between sequences, "" none
  mask,     ///< a mask expression (mask_expr.hpp); "" where the default is ""
  list,     ///< ascending whole numbers from 1 as text: "2,3", "" none
  numbers,  ///< a table of reals in [min, max] as text: "1,0.5;2,-1" with a semicolon between rows, "" none
};

enum class Scale { linear, log2, log10 };

/// A parameter's value: a number for integers and reals, a bool for flags, text for everything else.
using Value = std::variant<double, bool, std::string>;

/// The value as users type it in a URL or on a command line.
[[nodiscard]] std::string value_text(const Value& value);

/// What one column of a table allows, where that is narrower than the table's own min to max. That entries are whole is for the study to check.
struct ColumnRange {
  std::size_t column = 0;  ///< from 0
  double min = 0, max = 0;
  bool whole = false;  ///< said of what is allowed
};

struct Parameter {
  std::string key;     ///< URL key and option name
  std::string label;   ///< words for a control
  std::string symbol;  ///< letter in formulas, may be empty
  std::string help;    ///< one sentence
  Kind kind = Kind::integer;
  Value initial = 0.0;  ///< the default
  double min = 0;
  double max = 0;
  double step = 1;
  Scale scale = Scale::linear;
  std::vector<std::string> choices = {};
  bool non_finite = false;                     ///< of a table: nan, inf and -inf are entries too
  bool growable = false;                       ///< of a table: a reader may add and remove rows
  std::string row_name = {};                   ///< of a table: what a row is, "key"
  std::vector<std::string> column_names = {};  ///< of a table: "x", "y"; numbered where there is none
  std::vector<ColumnRange> column_ranges = {};  ///< of a table: the columns that allow less than min to max
};

/// A series a study returns: row-major values over named axes.
struct SeriesInfo {
  std::string name;
  std::string label;
  std::string unit;  ///< "nats or bits" when a parameter chooses it
  std::vector<std::string> axes = {};  ///< empty for a single value
  bool words = false;                  ///< its values are text, not numbers
};

struct Series {
  std::string name;
  std::string unit;
  std::vector<std::size_t> shape;
  std::vector<double> data;
  std::vector<std::string> words = {};  ///< in place of `data` where the declaration says so
};

/// Every parameter of a study with a valid value.
class Params {
 public:
  [[nodiscard]] const std::vector<std::pair<std::string, Value>>& entries() const noexcept { return entries_; }
  [[nodiscard]] const Value& at(std::string_view key) const;
  [[nodiscard]] std::size_t integer(std::string_view key) const;
  [[nodiscard]] double number(std::string_view key) const;
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] const std::string& text(std::string_view key) const;
  void set(std::string_view key, Value value);

 private:
  std::vector<std::pair<std::string, Value>> entries_;
};

/// Values by key as they arrive from outside: any key, any type.
using Given = std::vector<std::pair<std::string, Value>>;

struct Preset {
  std::string id;
  std::string label;
  Given params;
  std::string note = {};  ///< of a mistake: what goes wrong, in words
};

/// What a claim's property found: whether it holds, and the figures it rests on.
struct Finding {
  bool holds = false;
  std::string evidence;
};

struct Claim {
  std::string id;
  std::string sentence;
  Finding (*prove)();  ///< nullptr only in the modules that pages download
};

/// Memory a caller lends to runs so that the next one is faster, and the caller's ear for progress. It never changes a result.
struct Workspace {
  DrawCache draws;
  struct Curve {
    std::string generator;
    std::size_t keys = 0, queries = 0;
    std::uint64_t seed = 0;
    std::vector<std::array<AttentionStats, 2>> points;
  };
  std::optional<Curve> curve;
  std::function<bool(double)> progress;  ///< told the share done, 0 to 1, by runs that take long; says whether to go on; may be empty

  [[nodiscard]] bool tell(double share) const { return !progress || progress(share); }
};

/// What a run comes to whose `progress` said not to go on.
[[nodiscard]] inline Error stopped() { return Error{ErrorCode::cancelled, "", "The run was stopped before its end."}; }

/// What `repair` changed, in words a reader understands.
struct Notice {
  std::string param;
  std::string message;
};

struct Study {
  std::string id;
  std::string title;
  std::string summary;
  std::vector<Parameter> parameters;
  std::vector<SeriesInfo> series;
  std::vector<Preset> presets;
  std::vector<Claim> claims;
  /// Rules between parameters (each alone is already valid): an Error naming the parameter at fault, or nothing.
  std::optional<Error> (*check)(const Params&) = nullptr;
  /// Brings parameters that fail `check` to the nearest valid state, telling what changed.
  void (*mend)(Params&, std::vector<Notice>&) = nullptr;
  Result<std::vector<Series>> (*run)(const Params&, Workspace&) = nullptr;
  /// The few lines of PyTorch or JAX, by the parameter "generator", that make the same numbers.
  std::string (*code)(const Params&) = nullptr;
  /// The axis whose series also make one record an index in JSON ("slots"), or empty.
  std::string records;

  [[nodiscard]] const Parameter* find(std::string_view key) const;
};

/// Strict: every key known, every value of its kind and in range; missing keys take their defaults, and a default that does
/// not fit what was given follows it by the study's `mend`. Lengths come out in their canonical text.
/// Errors: unknown_parameter, wrong_type, not_an_integer, out_of_range, unknown_choice, and the study's own `check`.
[[nodiscard]] Result<Params> validate(const Study& study, const Given& given);

/// Text values (a URL, a command line) to typed ones by the declaration; text that cannot be read stays text, so that
/// `validate` refuses it by name.
[[nodiscard]] Given from_text(const Study& study, const Given& given);

struct Repaired {
  Params params;
  std::vector<Notice> notices;
};

/// Lenient: the nearest valid parameters to what was given (text or typed), with a notice for everything that had to change.
[[nodiscard]] Repaired repair(const Study& study, const Given& given);

struct Run {
  Params params;
  std::vector<Series> series;
  std::string code;  ///< framework code that makes the same numbers
};

/// Validates, then runs. Errors: those of `validate`; cancelled, where the workspace's `progress` says so.
[[nodiscard]] Result<Run> run(const Study& study, const Given& given, Workspace& workspace);

/// The study of that id among `studies`, or unknown_study listing the known ones.
[[nodiscard]] Result<const Study*> find_study(std::span<const Study* const> studies, std::string_view id);

/// The declarations as JSON: {"version":…,"studies":[{id,title,summary,parameters,series,presets,claims}]}.
[[nodiscard]] std::string describe_json(std::span<const Study* const> studies);

/// A run as JSON: {"study":…,"params":{…},"series":{name:{unit,shape,data}}}; numbers read back to the same double,
/// NaN and infinities as strings.
[[nodiscard]] std::string run_json(const Study& study, const Run& run);

/// A run as CSV, one value a line: series,unit,index,value with the index as i or i;j;k counted from 0.
[[nodiscard]] std::string run_csv(const Run& run);

/// A table of reals as text, read. Rows have the same number of entries; an empty text has none.
struct NumbersText {
  std::vector<double> values;  ///< row-major
  std::size_t rows = 0;
  std::size_t columns = 0;
};
/// "1,0.5;2,-1" as a table, by the parameter's range and whether it takes NaN and infinities. Errors name row and column,
/// counted from 1: wrong_type (not a number), out_of_range, wrong_shape (rows of different length), too_large.
[[nodiscard]] Result<NumbersText> parse_numbers(const Parameter& parameter, std::string_view text);
/// The one text of a table: shortest digits, no blanks.
[[nodiscard]] std::string numbers_text(const NumbersText& table);

/// Valid lengths as text, read: row r has the lengths of sequence r; a single row without ';' is one length a sequence.
/// Errors: wrong_type (not numbers), wrong_shape (rows of different length).
struct LengthsText {
  std::vector<double> values;
  std::vector<std::size_t> shape;  ///< (), (batch) or (batch, queries)
};
/// "2,3" as numbers. Errors: wrong_type (not whole numbers from 1), wrong_shape (not ascending).
[[nodiscard]] Result<std::vector<std::size_t>> parse_list(std::string_view param, std::string_view text);
[[nodiscard]] std::string list_text(std::span<const std::size_t> numbers);

[[nodiscard]] Result<LengthsText> parse_lengths(std::string_view param, std::string_view text);
[[nodiscard]] std::string lengths_text(const LengthsText& lengths);

}  // namespace attn

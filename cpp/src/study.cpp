// Validation and repair of a study's parameters from its declaration alone. See study.hpp.
#include "attn/study.hpp"

#include <algorithm>
#include <cmath>

#include "attn/mask_expr.hpp"
#include "attn/text.hpp"

namespace attn {
namespace {

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& each : names) text += (text.empty() ? "" : ", ") + each;
  return text;
}

constexpr const char* list_allowed = "allowed are ascending integers from 1 with commas, or nothing";

/// What a parameter accepts, in words that end an error message.
std::string allowed_text(const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::integer: {
      std::string text = "allowed are integers from " + number_text(parameter.min) + " to " + number_text(parameter.max);
      if (parameter.step != 1) text += " in steps of " + number_text(parameter.step);
      return text;
    }
    case Kind::number: return std::string("allowed are numbers from ").append(number_text(parameter.min)).append(" to ").append(number_text(parameter.max));
    case Kind::numbers: return "allowed are numbers with commas, and a semicolon between rows";
    case Kind::choice: return "allowed are " + names_text(parameter.choices);
    case Kind::flag: return "allowed are true and false";
    case Kind::lengths:
      return "allowed are integers with commas, one a sequence (\"2,3\") or one a query with a semicolon after each "
             "sequence (\"1,3;2,4\"), or nothing";
    case Kind::mask: return "allowed are mask expressions such as \"causal & padding(3)\"";
    case Kind::list: return list_allowed;
  }
  return {};
}

Error refusal(const Parameter& parameter, ErrorCode code, const std::string& what) {
  return Error{code, parameter.key, parameter.key + " is " + what + "; " + allowed_text(parameter)};
}

/// A mask that is nothing by default may be nothing.
bool may_be_empty(const Parameter& parameter) { return value_text(parameter.initial).empty(); }

/// An Error when `value` is not one that `parameter` takes.
std::optional<Error> check_value(const Parameter& parameter, const Value& value) {
  switch (parameter.kind) {
    case Kind::integer: {
      const double* number = std::get_if<double>(&value);
      if (number == nullptr) return refusal(parameter, ErrorCode::wrong_type, quoted(value_text(value)) + ", not a number");
      if (std::isnan(*number) || *number != std::floor(*number)) {
        return refusal(parameter, ErrorCode::not_an_integer, number_text(*number));
      }
      if (*number < parameter.min || *number > parameter.max ||
          std::fmod(*number - parameter.min, parameter.step) != 0) {
        return refusal(parameter, ErrorCode::out_of_range, number_text(*number));
      }
      return std::nullopt;
    }
    case Kind::number: {
      const double* number = std::get_if<double>(&value);
      if (number == nullptr) return refusal(parameter, ErrorCode::wrong_type, quoted(value_text(value)) + ", not a number");
      if (!(*number >= parameter.min && *number <= parameter.max)) return refusal(parameter, ErrorCode::out_of_range, number_text(*number));
      return std::nullopt;
    }
    case Kind::choice: {
      const std::string* text = std::get_if<std::string>(&value);
      if (text == nullptr) return refusal(parameter, ErrorCode::wrong_type, value_text(value) + ", not text");
      if (std::find(parameter.choices.begin(), parameter.choices.end(), *text) == parameter.choices.end()) {
        return refusal(parameter, ErrorCode::unknown_choice, quoted(value_text(value)));
      }
      return std::nullopt;
    }
    case Kind::flag:
      if (!std::holds_alternative<bool>(value)) {
        return refusal(parameter, ErrorCode::wrong_type, quoted(value_text(value)) + ", not true or false");
      }
      return std::nullopt;
    case Kind::lengths: {
      const std::string* text = std::get_if<std::string>(&value);
      if (text == nullptr) return refusal(parameter, ErrorCode::wrong_type, value_text(value) + ", not text");
      if (const auto lengths = parse_lengths(parameter.key, *text); !lengths) return lengths.error();
      return std::nullopt;
    }
    case Kind::mask:
    case Kind::numbers:
    case Kind::list: {
      const std::string* text = std::get_if<std::string>(&value);
      if (text == nullptr) return refusal(parameter, ErrorCode::wrong_type, value_text(value) + ", not text");
      if (parameter.kind == Kind::list) {
        const auto list = parse_list(parameter.key, *text);
        return list ? std::nullopt : std::optional<Error>{list.error()};
      }
      if (parameter.kind == Kind::numbers) {
        const auto table = parse_numbers(parameter, *text);
        return table ? std::nullopt : std::optional<Error>{table.error()};
      }
      if (may_be_empty(parameter) && text->empty()) return std::nullopt;
      const auto mask = parse_mask(*text, parameter.key);
      return mask ? std::nullopt : std::optional<Error>{mask.error()};
    }
  }
  return std::nullopt;
}

/// The valid value nearest to a refused one; the default where nothing is near.
Value nearest(const Parameter& parameter, const Value& value) {
  const double* number = std::get_if<double>(&value);
  const bool counts = parameter.kind == Kind::integer || parameter.kind == Kind::number;
  if (!counts || number == nullptr || std::isnan(*number)) return parameter.initial;
  const double clamped = std::clamp(*number, parameter.min, parameter.max);
  if (parameter.kind == Kind::number) return clamped;
  const double steps = std::floor((clamped - parameter.min) / parameter.step + 0.5);
  const double rounded = parameter.min + steps * parameter.step;
  return rounded > parameter.max ? rounded - parameter.step : rounded;
}

Params defaults(const Study& study) {
  Params params;
  for (const Parameter& parameter : study.parameters) params.set(parameter.key, parameter.initial);
  return params;
}

/// A valid value in the one form that results and addresses show.
Value canonical(const Parameter& parameter, const Value& value) {
  if (parameter.kind == Kind::mask && !value_text(value).empty()) return mask_text(parse_mask(value_text(value)).value());
  if (parameter.kind == Kind::numbers) return numbers_text(parse_numbers(parameter, value_text(value)).value());
  if (parameter.kind != Kind::lengths) return value;
  return lengths_text(parse_lengths(parameter.key, value_text(value)).value());
}

bool is_given(const Given& given, const std::string& key) {
  return std::any_of(given.begin(), given.end(), [&](const auto& entry) { return entry.first == key; });
}

std::string known_keys(const Study& study) {
  std::vector<std::string> keys;
  for (const Parameter& parameter : study.parameters) keys.push_back(parameter.key);
  return names_text(keys);
}

}  // namespace

std::string value_text(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return number_text(*number);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return *std::get_if<std::string>(&value);
}

const Value& Params::at(std::string_view key) const {
  return std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; })->second;
}

std::size_t Params::integer(std::string_view key) const { return static_cast<std::size_t>(*std::get_if<double>(&at(key))); }
double Params::number(std::string_view key) const { return *std::get_if<double>(&at(key)); }
bool Params::flag(std::string_view key) const { return *std::get_if<bool>(&at(key)); }
const std::string& Params::text(std::string_view key) const { return *std::get_if<std::string>(&at(key)); }

void Params::set(std::string_view key, Value value) {
  for (auto& entry : entries_) {
    if (entry.first == key) {
      entry.second = std::move(value);
      return;
    }
  }
  entries_.emplace_back(key, std::move(value));
}

const Parameter* Study::find(std::string_view key) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.key == key) return &parameter;
  }
  return nullptr;
}

Result<Params> validate(const Study& study, const Given& given) {
  Params params = defaults(study);
  for (const auto& [key, value] : given) {
    const Parameter* parameter = study.find(key);
    if (parameter == nullptr) {
      return Error{ErrorCode::unknown_parameter, key,
                   quoted(key) + " is not a parameter of " + study.id + "; it has " + known_keys(study)};
    }
    if (auto error = check_value(*parameter, value)) return *std::move(error);
    params.set(key, canonical(*parameter, value));
  }
  if (study.check != nullptr) {
    auto error = study.check(params);
    if (error && !is_given(given, error->param) && study.mend != nullptr) {
      // A default that does not fit what was given follows it: the default lengths of three sequences are three.
      std::vector<Notice> unsaid;
      study.mend(params, unsaid);
      error = study.check(params);
    }
    if (error) return *std::move(error);
  }
  return params;
}

Given from_text(const Study& study, const Given& given) {
  Given typed;
  for (const auto& [key, value] : given) {
    const Parameter* parameter = study.find(key);
    const std::string* text = std::get_if<std::string>(&value);
    Value read = value;
    if (parameter != nullptr && text != nullptr) {
      if (parameter->kind == Kind::integer || parameter->kind == Kind::number) {
        if (const auto number = parse_number(*text)) read = *number;
      } else if (parameter->kind == Kind::flag) {
        if (*text == "true" || *text == "1") read = true;
        if (*text == "false" || *text == "0") read = false;
      }
    }
    typed.emplace_back(key, std::move(read));
  }
  return typed;
}

Repaired repair(const Study& study, const Given& given) {
  Repaired repaired{defaults(study), {}};
  for (const auto& [key, value] : from_text(study, given)) {
    const Parameter* parameter = study.find(key);
    if (parameter == nullptr) {
      repaired.notices.push_back({key, quoted(key) + " is not a parameter here and was left out; there are " + known_keys(study)});
    } else if (const auto error = check_value(*parameter, value)) {
      const Value used = nearest(*parameter, value);
      repaired.params.set(key, used);
      const std::string shown = value_text(used);
      // what is wrong with a mask is told by its place, so that the mask itself is to be said, too
      const std::string instead = parameter->kind == Kind::mask ? "in place of " + quoted(value_text(value)) + ", " : std::string();
      repaired.notices.push_back({key, error->message + "; " + instead + (shown.empty() ? "none" : shown) + " is used"});
    } else {
      repaired.params.set(key, canonical(*parameter, value));
    }
  }
  if (study.mend != nullptr) {
    std::vector<Notice> mended;
    study.mend(repaired.params, mended);
    for (Notice& notice : mended) {
      if (is_given(given, notice.param)) repaired.notices.push_back(std::move(notice));  // a default follows without a word
    }
  }
  return repaired;
}

Result<Run> run(const Study& study, const Given& given, Workspace& workspace) {
  auto params = validate(study, given);
  if (!params) return params.error();
  auto series = study.run(params.value(), workspace);
  if (!series) return series.error();
  std::string code = study.code == nullptr ? std::string() : study.code(params.value());
  return Run{std::move(params).value(), std::move(series).value(), std::move(code)};
}

Result<const Study*> find_study(std::span<const Study* const> studies, std::string_view id) {
  std::vector<std::string> known;
  for (const Study* study : studies) {
    if (study->id == id) return study;
    known.push_back(study->id);
  }
  return Error{ErrorCode::unknown_study, "study",
               quoted(id) + " is not a study; there are " + names_text(known)};
}

Result<LengthsText> parse_lengths(std::string_view param, std::string_view text) {
  LengthsText lengths;
  if (text.empty()) return lengths;
  const bool per_query = text.find(';') != std::string_view::npos;
  // A last semicolon closes the last sequence: "1,2,3;" is one sequence with a length a query.
  if (text.back() == ';') text.remove_suffix(1);
  std::size_t sequences = 0;
  std::size_t columns = 0;
  while (true) {
    const std::size_t row_end = std::min(text.find(';'), text.size());
    std::string_view row = text.substr(0, row_end);
    std::size_t column = 0;
    while (true) {
      const std::size_t end = std::min(row.find(','), row.size());
      const auto number = parse_number(row.substr(0, end));
      if (!number) {
        return Error{ErrorCode::wrong_type, std::string(param),
                     std::string(param) + ": entry " + std::to_string(lengths.values.size()) + " is " +
                         quoted(row.substr(0, end)) +
                         ", not a number; allowed are integers with commas, one a sequence (\"2,3\") or one a query "
                         "with a semicolon after each sequence (\"1,3;2,4\"), or nothing"};
      }
      lengths.values.push_back(*number);
      ++column;
      if (end == row.size()) break;
      row.remove_prefix(end + 1);
    }
    if (sequences > 0 && column != columns) {
      return Error{ErrorCode::wrong_shape, std::string(param),
                   std::string(param) + ": sequence " + std::to_string(sequences) + " has " + std::to_string(column) +
                       " lengths and sequence 0 has " + std::to_string(columns) + "; every sequence needs one a query"};
    }
    columns = column;
    ++sequences;
    if (row_end == text.size()) break;
    text.remove_prefix(row_end + 1);
  }
  if (per_query) {
    lengths.shape = {sequences, columns};
  } else {
    lengths.shape = {columns};
  }
  return lengths;
}

Result<std::vector<std::size_t>> parse_list(std::string_view param, std::string_view text) {
  std::vector<std::size_t> numbers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto number = parse_number(text.substr(0, end));
    const auto refuse = [&](ErrorCode code, std::string_view what) {
      return Error{code, std::string(param), std::string(param).append(": entry ").append(std::to_string(numbers.size())).append(" is ")
                       .append(quoted(text.substr(0, end))).append(what).append("; ").append(list_allowed)};
    };
    if (!number || *number < 1 || *number > 4294967295.0 || *number != std::floor(*number)) return refuse(ErrorCode::wrong_type, ", not an integer from 1");
    const auto value = static_cast<std::size_t>(*number);
    if (!numbers.empty() && value <= numbers.back()) return refuse(ErrorCode::wrong_shape, ", not above the one before");
    numbers.push_back(value);
    if (end + 1 == text.size()) return refuse(ErrorCode::wrong_type, " and a comma without a number");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers;
}

std::string list_text(std::span<const std::size_t> numbers) {
  std::string text;
  for (const std::size_t number : numbers) text.append(text.empty() ? "" : ",").append(std::to_string(number));
  return text;
}

std::string lengths_text(const LengthsText& lengths) {
  std::string text;
  const std::size_t columns = lengths.shape.size() == 2 ? lengths.shape[1] : lengths.values.size();
  for (std::size_t i = 0; i < lengths.values.size(); ++i) {
    if (i > 0) text += i % columns == 0 ? ";" : ",";
    text += number_text(lengths.values[i]);
  }
  if (lengths.shape.size() == 2 && lengths.shape[0] == 1) text += ";";
  return text;
}

}  // namespace attn

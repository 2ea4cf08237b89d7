// Tables of reals as text, "1,0.5;2,-1": entries with commas, rows with semicolons. The one place that reads and writes them.
// Blanks around an entry are let through, so that a table can be typed as it is read; the canonical text has none.
#include <algorithm>
#include <cmath>
#include <limits>

#include "attn/study.hpp"
#include "attn/text.hpp"

namespace attn {
namespace {

constexpr std::size_t most_entries = 1024;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// "nan", "inf", "-inf" and their long forms, in any case.
std::optional<double> parse_non_finite(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (lower == "inf" || lower == "+inf" || lower == "infinity" || lower == "+infinity") return std::numeric_limits<double>::infinity();
  if (lower == "-inf" || lower == "-infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::string entry_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return number_text(value);
}

}  // namespace

Result<NumbersText> parse_numbers(const Parameter& parameter, std::string_view text) {
  NumbersText table;
  if (trimmed(text).empty()) return table;
  const auto refuse = [&](ErrorCode code, std::string what, const ColumnRange* own = nullptr) {
    std::string message = parameter.key;
    message.append(": ").append(what).append(own == nullptr ? "; allowed are " : "; allowed there are ").append(own != nullptr && own->whole ? "whole numbers from " : "numbers from ")
        .append(number_text(own == nullptr ? parameter.min : own->min)).append(" to ").append(number_text(own == nullptr ? parameter.max : own->max));
    if (parameter.non_finite) message.append(", nan, inf and -inf");
    message.append(", with commas, and a semicolon between rows");
    return Error{code, parameter.key, std::move(message)};
  };
  std::size_t column = 0;
  std::size_t row = 0;
  while (true) {
    const std::size_t end = std::min(text.find_first_of(",;"), text.size());
    const std::string_view entry = trimmed(text.substr(0, end));
    const auto place = [&] {
      return std::string("row ").append(std::to_string(row + 1)).append(", column ").append(std::to_string(column + 1)).append(" is ").append(quoted(entry));
    };
    const auto range = std::find_if(parameter.column_ranges.begin(), parameter.column_ranges.end(), [column](const ColumnRange& each) { return each.column == column; });
    const ColumnRange* own = range == parameter.column_ranges.end() ? nullptr : &*range;
    auto number = parse_number(entry);
    if (!number) {
      number = parse_non_finite(entry);
      if (!number) return refuse(ErrorCode::wrong_type, place().append(", not a number"), own);
      if (!parameter.non_finite) return refuse(ErrorCode::out_of_range, place(), own);
    } else if (!(*number >= (own == nullptr ? parameter.min : own->min) && *number <= (own == nullptr ? parameter.max : own->max))) {
      return refuse(ErrorCode::out_of_range, place(), own);
    }
    if (table.values.size() == most_entries) return refuse(ErrorCode::too_large, "the table has more than " + std::to_string(most_entries) + " entries");
    table.values.push_back(*number);
    ++column;
    const bool row_ends = end == text.size() || text[end] == ';';
    if (row_ends) {
      if (row == 0) table.columns = column;
      if (column != table.columns) {
        return refuse(ErrorCode::wrong_shape, std::string("row ").append(std::to_string(row + 1)).append(" has ").append(std::to_string(column))
                                                  .append(column == 1 ? " entry and row 1 has " : " entries and row 1 has ").append(std::to_string(table.columns)));
      }
      table.rows = ++row;
      column = 0;
    }
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  return table;
}

std::string numbers_text(const NumbersText& table) {
  std::string text;
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (i > 0) text += i % table.columns == 0 ? ';' : ',';
    text += entry_text(table.values[i]);
  }
  return text;
}

}  // namespace attn

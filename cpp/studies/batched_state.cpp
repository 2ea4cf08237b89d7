// Rules between parameters, each refusal naming the parameter and what would fit. See batched_state.hpp.
#include "batched_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "attn/text.hpp"
#include "batched_layer.hpp"
#include "masked_softmax_lens.hpp"

namespace attn::studies::batched_state {
namespace {

using namespace batched_layer;

/// Which choice of the reader stands beyond which size; one of nothing is 1.
struct Choice {
  const char* param;
  const char* size;
};
constexpr std::array choices{Choice{"sequence", "batch"}, Choice{"row", "queries"}};

std::string counted(std::size_t count, const char* one) {
  return std::to_string(count).append(" ").append(one).append(count == 1 ? "" : "s");
}

std::optional<Error> check_choice(const Params& params, const Choice& choice) {
  const std::size_t largest = std::max<std::size_t>(1, params.integer(choice.size));
  if (params.integer(choice.param) <= largest) return std::nullopt;
  return Error{ErrorCode::out_of_range, choice.param,
               std::string(choice.param).append(" is ").append(std::to_string(params.integer(choice.param))).append("; with ").append(choice.size)
                   .append(" ").append(std::to_string(params.integer(choice.size))).append(" allowed are integers from 1 to ").append(std::to_string(largest))};
}

std::optional<Error> check_table(const Params& params, const Table& table) {
  const NumbersText entries = entries_of(params, table.param);
  if (!table.used || entries.values.empty() || (entries.rows == table.rows && entries.columns == table.columns)) return std::nullopt;
  return Error{ErrorCode::wrong_shape, table.param,
               std::string(table.param).append(": ").append(counted(entries.rows, "row")).append(" of ").append(std::to_string(entries.columns))
                   .append("; allowed are ").append(counted(table.rows, "row")).append(" of ").append(std::to_string(table.columns)).append(", or nothing for the draw")};
}

std::optional<Error> check_shape(const Params& params, const char* param) {
  const NumbersText sizes = entries_of(params, param);
  bool whole = sizes.rows == 1 && sizes.columns == 3;
  for (const double size : sizes.values) whole = whole && size == std::floor(size);
  if (whole) return std::nullopt;
  return Error{ErrorCode::wrong_shape, param,
               std::string(param).append(" is ").append(quoted(params.text(param))).append("; allowed are three integers from 0 to ").append(number_text(largest_size)).append(" with commas")};
}

}  // namespace

std::optional<Error> check(const Params& params) {
  for (const Choice& choice : choices) {
    if (auto error = check_choice(params, choice)) return error;
  }
  if (auto error = check_lens(params)) return error;
  for (const Table& table : tables_of(sizes_of(params), params.flag("identity"))) {
    if (auto error = check_table(params, table)) return error;
  }
  for (const char* param : {"left", "right"}) {
    if (auto error = check_shape(params, param)) return error;
  }
  return std::nullopt;
}

namespace {

/// The rows and columns that still fit stay, the others are those of the draw.
void mend_table(Params& params, const Table& table, const Tensor<double, 3>& drawn, std::vector<Notice>& notices) {
  const auto error = check_table(params, table);
  if (!error) return;
  const NumbersText given = entries_of(params, table.param);
  NumbersText fitted{{}, table.rows, table.columns};
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) {
      const bool known = r < given.rows && c < given.columns;
      fitted.values.push_back(known ? given.values[r * given.columns + c] : drawn.data()[r * table.columns + c]);
    }
  }
  const std::string text = fitted.values.empty() ? std::string() : numbers_text(fitted);
  notices.push_back({table.param, std::string(error->message).append("; ").append(text.empty() ? "the draw is used" : "what fits is kept and the rest drawn")});
  params.set(table.param, text);
}

}  // namespace

void mend(Params& params, std::vector<Notice>& notices) {
  for (const Choice& choice : choices) {
    const auto error = check_choice(params, choice);
    if (!error) continue;
    const double largest = static_cast<double>(std::max<std::size_t>(1, params.integer(choice.size)));
    notices.push_back({choice.param, std::string(error->message).append("; ").append(number_text(largest)).append(" is used")});
    params.set(choice.param, largest);
  }
  mend_lens(params, notices);
  const auto setting = setting_of(params);
  if (!setting) return;
  const Inputs drawn = drawn_inputs(setting.value());
  const std::vector<Table> tables = tables_of(setting.value().sizes, setting.value().identity);
  mend_table(params, tables[0], drawn.queries, notices);
  mend_table(params, tables[1], drawn.keys, notices);
  mend_table(params, tables[2], drawn.values, notices);
  for (const auto& [param, initial] : {std::pair{"left", "2,3,4"}, std::pair{"right", "2,4,6"}}) {
    const auto error = check_shape(params, param);
    if (!error) continue;
    notices.push_back({param, std::string(error->message).append("; ").append(initial).append(" is used")});
    params.set(param, std::string(initial));
  }
}

}  // namespace attn::studies::batched_state

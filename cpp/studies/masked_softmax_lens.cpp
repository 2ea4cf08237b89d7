// Lengths against the sizes of the batch, told by parameter. See lens.hpp.
#include "masked_softmax_lens.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "attn/text.hpp"

namespace attn::studies {
namespace {

struct Sizes {
  std::size_t batch, queries, keys;
};

Sizes sizes_of(const Params& params) { return {params.integer("batch"), params.integer("queries"), params.integer("keys")}; }

}  // namespace

Result<std::optional<ValidLens>> lens_of(const Params& params) {
  const auto text = parse_lengths("lens", params.text("lens"));
  if (!text) return text.error();
  if (text.value().shape.empty()) return std::optional<ValidLens>{};
  const auto [batch, queries, keys] = sizes_of(params);
  auto lens = ValidLens::make(text.value().values, text.value().shape, {"lens", keys});
  if (!lens) return lens.error();
  if (auto error = lens.value().check(batch, queries, keys)) return *std::move(error);
  return std::optional<ValidLens>{std::move(lens).value()};
}

std::optional<Error> check_lens(const Params& params) {
  const auto lens = lens_of(params);
  return lens ? std::nullopt : std::optional<Error>{lens.error()};
}

void mend_lens(Params& params, std::vector<Notice>& notices) {
  const auto wrong = check_lens(params);
  if (!wrong) return;
  const auto [batch, queries, keys] = sizes_of(params);
  const auto given = parse_lengths("lens", params.text("lens"));
  LengthsText fitted;
  const bool per_query = given && given.value().shape.size() == 2;
  fitted.shape = per_query ? std::vector<std::size_t>{batch, queries} : std::vector<std::size_t>{batch};
  const std::size_t columns = per_query ? queries : 1;
  const std::size_t given_columns = per_query ? given.value().shape[1] : 1;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t q = 0; q < columns; ++q) {
      const std::size_t index = b * given_columns + q;
      const bool known = given && q < given_columns && index < given.value().values.size();
      const double value = known ? given.value().values[index] : static_cast<double>(keys);
      fitted.values.push_back(std::floor(std::clamp(value, 0.0, static_cast<double>(keys)) + 0.5));
    }
  }
  if (fitted.values.empty()) fitted.shape = {0};  // nothing to fit: no lengths
  const std::string text = lengths_text(fitted);
  notices.push_back({"lens", wrong->message + "; " + (text.empty() ? "none" : text) + " is used"});
  params.set("lens", text);
}

}  // namespace attn::studies

// Valid lengths as a parameter: the text "lens" of a study that has "batch", "queries" and "keys", as a value of the core, and
// what becomes of it when those sizes change. Not the grammar (parse_lengths) and not the mask (attn/mask.hpp).
#pragma once

#include <optional>
#include <vector>

#include "attn/mask.hpp"
#include "attn/study.hpp"

namespace attn::studies {

/// The lengths, or nothing when none are given. Errors speak of the parameter "lens".
[[nodiscard]] Result<std::optional<ValidLens>> lens_of(const Params& params);

/// The error of lens_of, or nothing.
[[nodiscard]] std::optional<Error> check_lens(const Params& params);

/// Fits the lengths to batch, queries and keys: rows and entries that are missing see every key, those too many are dropped,
/// and each entry becomes the nearest whole number of keys.
void mend_lens(Params& params, std::vector<Notice>& notices);

}  // namespace attn::studies

// The kinds of mask terms in one table: how they are spelled, how many arguments they take and from which value on. The parser,
// the printer, the checks and the messages all read it. Private to the core.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "attn/mask_expr.hpp"

namespace attn::masks {

struct TermKind {
  MaskKind kind;
  std::string_view name;
  std::size_t least;         ///< arguments a row
  std::size_t most;          ///< arguments a row; `any_number` for no limit
  bool sequences;            ///< ';' separates sequences
  bool aligned;              ///< takes top_left or bottom_right
  std::uint32_t smallest;    ///< least value of an argument
  std::string_view takes;    ///< for messages: what stands between the parentheses
};

inline constexpr std::size_t any_number = static_cast<std::size_t>(-1);
inline constexpr double largest_argument = 2147483647.0;
inline constexpr std::size_t deepest = 200;
inline constexpr std::size_t most_parts = 10000;

/// The kinds that are spelled with a name, in the order they are listed to users.
[[nodiscard]] std::span<const TermKind> term_kinds() noexcept;
[[nodiscard]] const TermKind* find_kind(std::string_view name) noexcept;
[[nodiscard]] const TermKind* find_kind(MaskKind kind) noexcept;

/// An error on `param`: "mask: " and the sentence.
[[nodiscard]] Error mask_error(ErrorCode code, std::string_view sentence);

/// An Error where the expression is of kind too_large.
[[nodiscard]] std::optional<Error> check_size(const MaskExpr& expr);

/// A term as messages show it: its text, cut when it is long.
[[nodiscard]] std::string shown(const MaskExpr& expr);

/// The least value that an argument of a kind may have when there are so many of them: window(w) from 1, window(before, after) from 0.
[[nodiscard]] std::uint32_t smallest_of(const TermKind& kind, std::size_t arguments) noexcept;

/// What one bound term needs beside its arguments: where documents start, or runs of keys of one id, sorted by id.
struct TermTable {
  const MaskNode* node;
  std::vector<std::vector<std::uint32_t>> starts;  ///< a row a sequence: documents + 1 values, from 0 to keys
  std::vector<Intervals> runs;                     ///< a row a sequence
};

}  // namespace attn::masks

namespace attn {
struct MaskTables {
  std::vector<masks::TermTable> terms;
};
}  // namespace attn

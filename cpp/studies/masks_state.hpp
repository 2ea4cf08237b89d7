// The state of Sheets of masks, read from its parameters once: the sheets, those that are laid on each other, and what they are
// bound to. Shared by the study's run, its checks and its mending.
#pragma once

#include <optional>
#include <vector>

#include "attn/mask_expr.hpp"
#include "attn/study.hpp"

namespace attn::studies {

struct MasksState {
  MaskSizes sizes;
  std::vector<MaskExpr> sheets;      ///< operands of the top-level AND, all of them
  std::vector<bool> on;              ///< which of them are laid on each other
  BoundMask laid;                    ///< the AND of those
  std::optional<BoundMask> meant;    ///< the mask to compare with
  std::size_t sequence, head;        ///< shown, counted from 0
};

inline constexpr std::size_t most_sheets = 16;
inline constexpr std::size_t most_sequences = 64;
inline constexpr std::size_t most_heads = 16;

/// The sheets of an expression.
[[nodiscard]] std::vector<MaskExpr> sheets_of(const MaskExpr& expr);

/// Errors name the parameter at fault: mask, meant, off, sequence or head.
[[nodiscard]] Result<MasksState> masks_state(const Params& params);

/// Makes terms fit other numbers of queries and keys: lengths are cut, the last document takes what is missing, cells are cut or
/// left open, the chosen sequence and the list of sheets laid aside are kept within what there is.
void mend_masks(Params& params, std::vector<Notice>& notices);

}  // namespace attn::studies

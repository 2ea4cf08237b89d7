// The way into the modules for speed, attn-fast and attn-fast-relaxed: plain exported functions of numbers and addresses, so that tensors
// stay where they are, in the module's memory, and nothing is copied. No Embind and no glue: web/engine/fast-memory.js is the other side.
// A function takes addresses of floats and, for everything else, the words that JavaScript wrote into `words()`; it returns 0, or the
// address of an error as JSON that lives until the next call. What does not fit in a float or an address is left in `numbers()`.
// Words of an operand of four axes: its sizes. Words of a mask: kind (0 none, 1 expression, 2 lengths), address, count, axes, two sizes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "attn/fused.hpp"
#include "attn/mask_expr.hpp"
#include "attn/pooling.hpp"
#include "attn/view.hpp"

#define ATTN_FAST(name) extern "C" __attribute__((export_name(#name)))

namespace attn::bindings {

inline constexpr std::size_t word_count = 64;
[[nodiscard]] std::uint32_t* words();
[[nodiscard]] double* numbers();

/// An error as text, for a function to return.
[[nodiscard]] const char* refused(const Error& error);

/// What a function returns: null, or its error.
[[nodiscard]] const char* answered(const std::optional<Error>& error);

/// The same, and the tiles as three numbers: full, mixed, empty.
[[nodiscard]] const char* answered(const Result<FusedTiles>& tiles);

/// Lets the text go without freeing it, which a broken-off call may have done.
void forget_error();

/// A tensor whose sizes are the words from `word` on.
template <class T, std::size_t N>
[[nodiscard]] View<T, N> tensor_at(T* data, std::size_t word) {
  View<T, N> view{data, {}};
  for (std::size_t axis = 0; axis < N; ++axis) view.shape[axis] = words()[word + axis];
  return view;
}

/// A mask whose words start at `word`, bound to these sizes. What `view()` gives lives as long as this.
class FastMask {
 public:
  static constexpr std::size_t word_count = 6;
  static Result<FastMask> read(std::size_t word, MaskSizes sizes);
  [[nodiscard]] MaskView view() const;

 private:
  std::optional<BoundMask> expression_;
  std::optional<ValidLens> lens_;
};

}  // namespace attn::bindings

// What the calls of the modules for speed share: tensors where they stand, tiles as numbers, and the mask, whose rows the host knows.
// Words of an operand of four axes: its sizes. Words of a mask: 1 where there is one, then whether its rows are the same for all the batch, all heads and all queries.
#pragma once

#include <vector>

#include "attn/fused.hpp"
#include "attn/key_spans.hpp"
#include "attn/mask_view.hpp"
#include "attn/view.hpp"
#include "bridge.hpp"

namespace attn::bindings {

/// Null and the tiles as three numbers, full, mixed, empty; or the error.
[[nodiscard]] const char* answered(const Result<FusedTiles>& tiles);

/// A tensor whose sizes are the words from `word` on.
template <class T, std::size_t N>
[[nodiscard]] View<T, N> tensor_at(T* data, std::size_t word) {
  View<T, N> view{data, {}};
  for (std::size_t axis = 0; axis < N; ++axis) view.shape[axis] = words()[word + axis];
  return view;
}

/// The mask of a call. The host has it bound to the sizes that the call has, and gives its rows a block at a time.
class HostMask final : public KeySpans {
 public:
  static constexpr std::size_t word_count = 4;
  /// Its words begin at `word`.
  explicit HostMask(std::size_t word) : words_(words() + word) {}
  [[nodiscard]] MaskView view() const { return words_[0] == 0 ? MaskView() : MaskView(*this); }

  [[nodiscard]] std::optional<Error> check(const MaskSizes&) const override { return std::nullopt; }
  [[nodiscard]] SameRows same() const override { return {words_[1] != 0, words_[2] != 0, words_[3] != 0}; }
  void rows(std::size_t batch, std::size_t head, std::size_t first, std::size_t queries, SpanRows& out) const override;

 private:
  const std::uint32_t* words_;
  mutable std::vector<std::uint32_t> block_;  ///< one thread, one call
};

}  // namespace attn::bindings

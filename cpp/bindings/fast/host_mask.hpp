// The mask of a call, whose rows the host knows: the modules for speed read no mask themselves.
// Words of a mask, from 40 on: 1 where there is one, then whether its rows are the same for all the batch, all heads and all queries.
#pragma once

#include "attn/key_spans.hpp"
#include "attn/mask_view.hpp"
#include "../plain/bridge.hpp"
#include "room.hpp"

namespace attn::bindings {

/// The host has it bound to the sizes that the call has, and gives its rows a block at a time.
class HostMask final : public KeySpans {
 public:
  [[nodiscard]] MaskView view() const { return words()[40] == 0 ? MaskView() : MaskView(*this); }

  [[nodiscard]] std::optional<Error> check(const MaskSizes&) const override { return std::nullopt; }
  [[nodiscard]] SameRows same() const override { return {words()[41] != 0, words()[42] != 0, words()[43] != 0}; }
  void rows(std::size_t batch, std::size_t head, std::size_t first, std::size_t queries, SpanRows& out) const override;

 private:
  mutable Room<std::uint32_t> block_;  ///< one thread, one call
};

}  // namespace attn::bindings

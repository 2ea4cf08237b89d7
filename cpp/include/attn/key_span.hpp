// Keys [begin, end) that a query may attend to: what rows of masks are made of. Nothing else, so that kernels can include it.
#pragma once

#include <cstdint>

namespace attn {

struct KeySpan {
  std::uint32_t begin;
  std::uint32_t end;
  bool operator==(const KeySpan&) const = default;
};

}  // namespace attn

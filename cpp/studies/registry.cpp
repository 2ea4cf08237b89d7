// The registry: an explicit array. Nothing registers itself, so nothing is lost when a linker drops an unused object.
#include <array>

#include "studies.hpp"

namespace attn::studies {

std::span<const Study* const> registry() {
  static const std::array studies{
      &saturation(),
      &masked_softmax(),
      &ledger(),
      &seeds(),
  };
  return studies;
}

}  // namespace attn::studies

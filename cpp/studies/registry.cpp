// The registry: an explicit array. Nothing registers itself, so nothing is lost when a linker drops an unused object. Beside
// each study stands its group: the studies that pages download in one WebAssembly module, attn-<group>.wasm. This file is
// compiled into the library, where the registry holds all studies, and once more a group, with ATTN_GROUP naming it; a module
// then holds the studies of its group and no others. build-scripts/cmake/wasm_module.cmake reads the groups' names from here.
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "studies.hpp"

namespace attn::studies {
namespace {

struct Entry {
  std::string_view group;
  const Study& (*study)();
};

/// In the order of the plates.
constexpr std::array entries{
    Entry{"plane", kernels},
    Entry{"first", saturation},
    Entry{"first", jacobian},
    Entry{"first", masked_softmax},
    Entry{"print", ledger},
    Entry{"print", seeds},
    Entry{"masks", masks},
    Entry{"masks", precision},
    Entry{"batched", batched},
    Entry{"additive", additive},
    Entry{"cost", cost},
};

constexpr bool belongs([[maybe_unused]] std::string_view group) {
#ifdef ATTN_GROUP
  return group == ATTN_GROUP;
#else
  return true;
#endif
}

/// Decided while compiling: the studies of other groups are not even named.
template <std::size_t at>
void add(std::vector<const Study*>& chosen) {
  if constexpr (belongs(entries[at].group)) chosen.push_back(&entries[at].study());
}

template <std::size_t... at>
std::vector<const Study*> choose(std::index_sequence<at...>) {
  std::vector<const Study*> chosen;
  (add<at>(chosen), ...);
  return chosen;
}

}  // namespace

std::span<const Study* const> registry() {
  static const std::vector<const Study*> studies = choose(std::make_index_sequence<entries.size()>());
  return studies;
}

}  // namespace attn::studies

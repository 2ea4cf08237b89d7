// The exercises in their order, each with the group of the study whose page asks it. Compiled like registry.cpp: into the library
// with all of them, and once more a group with ATTN_GROUP naming it.
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "exercises.hpp"

namespace attn::studies {
namespace {

struct Listed {
  std::string_view group;
  const Exercise& (*exercise)();
};

constexpr std::array listed{
    Listed{"masks", exercise_5},
};

constexpr bool belongs([[maybe_unused]] std::string_view group) {
#ifdef ATTN_GROUP
  return group == ATTN_GROUP;
#else
  return true;
#endif
}

/// Decided while compiling, as in registry.cpp.
template <std::size_t at>
void add(std::vector<const Exercise*>& chosen) {
  if constexpr (belongs(listed[at].group)) chosen.push_back(&listed[at].exercise());
}

template <std::size_t... at>
std::vector<const Exercise*> choose(std::index_sequence<at...>) {
  std::vector<const Exercise*> chosen;
  (add<at>(chosen), ...);
  return chosen;
}

}  // namespace

std::span<const Exercise* const> exercises() {
  static const std::vector<const Exercise*> chosen = choose(std::make_index_sequence<listed.size()>());
  return chosen;
}

}  // namespace attn::studies

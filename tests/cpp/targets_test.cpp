// The choice among instruction sets: one for all kernels, from what every build has to the widest.
#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

#include "attn/fused.hpp"
#include "every_target.hpp"
#include "kernels/fast.hpp"
#include "kernels/targets.hpp"

using namespace attn::kernels;

TEST_CASE("every instruction set has a name and a panel of its own, and the widest runs unless another is chosen", "[fused][fast]") {
  const std::size_t widest = target_count() - 1;
  CHECK(current_target() == widest);
  std::set<std::string> names;
  std::set<std::size_t> panels;
  support::on_every_target([&] {
    CHECK(attn::fused_instructions() == target_name());
    names.insert(target_name());
    panels.insert(fast_kernels().panel);
  });
  CHECK(names.size() == target_count());
  CHECK(panels.size() == target_count());
  CHECK(*panels.begin() == base_panel);
  choose_target(target_count());
  CHECK(current_target() == widest);
}

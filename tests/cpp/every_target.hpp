// The kernels for speed on every instruction set of this machine.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <cstddef>

#include "kernels/targets.hpp"

namespace support {

template <class Check>
void on_every_target(Check check) {
  using namespace attn::kernels;
  const std::size_t before = current_target();
  for (std::size_t target = 0; target < target_count(); ++target) {
    choose_target(target);
    INFO("instructions " << target_name());
    check();
  }
  choose_target(before);
}

}  // namespace support

// The kernels for speed on every instruction set of this machine.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

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

/// One instruction set until the end of a test's run.
class OneTarget {
 public:
  explicit OneTarget(std::size_t target) : before_(attn::kernels::current_target()) { attn::kernels::choose_target(target); }
  ~OneTarget() { attn::kernels::choose_target(before_); }
  OneTarget(const OneTarget&) = delete;
  OneTarget& operator=(const OneTarget&) = delete;

 private:
  std::size_t before_;
};

}  // namespace support

/// At the beginning of a test: it runs once on each instruction set.
#define ATTN_ON_EVERY_TARGET()                                                                                            \
  const support::OneTarget target_of_this_run(GENERATE(Catch::Generators::range(std::size_t{0}, attn::kernels::target_count()))); \
  INFO("instructions " << attn::kernels::target_name())

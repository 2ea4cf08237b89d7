// The choice among instruction sets: one for all kernels, from what every build has to the widest; that each processor's are told by their
// names, and that a multiply-add rounds as the instructions of that name do. Not what the kernels compute: each has tests of its own.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

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

TEST_CASE("instruction sets are told by the names of this processor's", "[fused][fast][targets]") {
#if defined(ATTN_SCALAR)
  const std::set<std::string> narrowest = {"scalar"};
#elif defined(__wasm__)
  const std::set<std::string> narrowest = {"simd128", "relaxed"};  // the tests of relaxed SIMD are compiled without it
#elif defined(__aarch64__)
  const std::set<std::string> narrowest = {"neon"};
#elif defined(__x86_64__)
  const std::set<std::string> narrowest = {"sse2"};
#else
  const std::set<std::string> narrowest = {"scalar"};
#endif
  std::vector<std::string> names;
  support::on_every_target([&] { names.emplace_back(target_name()); });
  REQUIRE(!names.empty());
  INFO(names.front());
  CHECK(narrowest.count(names.front()) == 1);
  const std::vector<std::string> wider = {"avx2", "avx512"};
  REQUIRE(names.size() <= (names.front() == "sse2" ? 3U : 1U));
  CHECK(std::equal(names.begin() + 1, names.end(), wider.begin()));
}

TEST_CASE("a multiply-add rounds as the instructions that are told do", "[fast][targets]") {
  support::on_every_target([] {
    // x^2 - (1 + 2^-11) with x = 1 + 2^-12: 2^-24 where the product is not rounded, 0 where it is
    const float x = 1 + 0x1p-12f;
    const std::string name = target_name();
    const std::size_t panel = fast_kernels().panel;
    const float a[] = {-1.0f, x};
    std::vector<float> b(2 * panel, 1 + 0x1p-11f);
    std::fill(b.begin() + static_cast<std::ptrdiff_t>(panel), b.end(), x);
    std::vector<float> out(panel, 3.0f);
    fast_kernels().product(a, 2, 1, b.data(), panel, 2, out.data(), panel, false);
    for (const float found : out) {
      if (name == "neon" || name == "avx2" || name == "avx512") CHECK(found == 0x1p-24f);
      if (name == "sse2" || name == "simd128") CHECK(found == 0.0f);
      CHECK((found == 0.0f || found == 0x1p-24f));
    }
  });
}

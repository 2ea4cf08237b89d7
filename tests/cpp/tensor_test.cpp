// Shapes as text and the size check before allocation.
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <limits>
#include <vector>

#include "attn/tensor.hpp"

using namespace attn;

TEST_CASE("shapes print as tuples", "[tensor]") {
  CHECK(shape_text(std::array<std::size_t, 3>{2, 3, 4}) == "(2, 3, 4)");
  CHECK(shape_text(std::array<std::size_t, 1>{5}) == "(5,)");
  CHECK(shape_text(std::array<std::size_t, 0>{}) == "()");
  CHECK(shape_text(std::vector<std::size_t>(8, 1)) == "(1, 1, 1, 1, 1, 1, 1, 1)");
  CHECK(shape_text(std::vector<std::size_t>(1000000, 1)) == "(1, 1, 1, 1, 1, 1, 1, 1, and 999992 more)");
}

TEST_CASE("elements are counted, and refused when they overflow or do not fit", "[tensor][errors]") {
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
  CHECK(checked_elements("scores", std::array<std::size_t, 3>{2, 3, 4}, 8).value() == 24);
  CHECK(checked_elements("scores", std::array<std::size_t, 3>{huge, 0, huge}, 8).value() == 0);
  for (const auto& shape : {std::array<std::size_t, 3>{huge, 2, 1}, std::array<std::size_t, 3>{huge, huge, huge},
                            std::array<std::size_t, 3>{std::size_t{1} << 16, std::size_t{1} << 16, std::size_t{1} << 15}}) {
    const auto refused = checked_elements("scores", shape, 8);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::too_large);
    CHECK(refused.error().param == "scores");
    CHECK(refused.error().message.find(shape_text(shape)) != std::string::npos);
  }
  const std::size_t most = max_tensor_bytes / 8;
  CHECK(checked_elements("scores", std::array<std::size_t, 1>{most}, 8).ok());
  CHECK_FALSE(checked_elements("scores", std::array<std::size_t, 1>{most + 1}, 8).ok());
}

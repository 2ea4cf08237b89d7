// The hidden layer of additive scoring against tanh in double: odd widths with guard words around the output, arguments of every size, NaN and infinities,
// blocks of queries, shapes that do not fit.
#include "attn/fast_hidden.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "attn/math.hpp"
#include "support.hpp"

using namespace attn;

TEST_CASE("the hidden layer is tanh of the sums, and nothing beside it is written", "[fast][fast_hidden]") {
  support::Bits bits(91);
  constexpr float guard = 12345.0f;
  double worst = 0;
  for (const std::size_t h : {0U, 1U, 2U, 3U, 4U, 5U, 7U, 37U, 64U, 65U}) {
    for (const double size : {1e-6, 1.0, 30.0}) {
      constexpr std::size_t n = 5, m = 3;
      std::vector<float> q(n * h + 1, std::numeric_limits<float>::quiet_NaN());
      std::vector<float> k(m * h + 1, std::numeric_limits<float>::quiet_NaN());
      for (std::size_t c = 0; c < n * h; ++c) q[c] = static_cast<float>(bits.real(-size, size));
      for (std::size_t c = 0; c < m * h; ++c) k[c] = static_cast<float>(bits.real(-size, size));
      for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 5}, {2, 2}, {4, 1}, {5, 0}}) {
        std::vector<float> out(count * m * h + 8, guard);
        REQUIRE_FALSE(fast_additive_hidden_into({q.data(), {n, h}}, {k.data(), {m, h}}, first, {out.data() + 4, {count, m, h}}));
        for (std::size_t g = 0; g < 4; ++g) REQUIRE((out[g] == guard && out[out.size() - 1 - g] == guard));
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t j = 0; j < m; ++j) {
            for (std::size_t c = 0; c < h; ++c) {
              const double want = math::tanh(static_cast<double>(q[(first + i) * h + c]) + static_cast<double>(k[j * h + c]));
              worst = std::max(worst, std::fabs(want - static_cast<double>(out[4 + (i * m + j) * h + c])));
            }
          }
        }
      }
    }
  }
  // four units in the last place of 1: of the sum, the exponential, the division and its operands
  CHECK(worst < 4e-7);
}

TEST_CASE("what is not finite in the hidden layer means what tanh means", "[fast][fast_hidden]") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> q{inf, -inf, std::numeric_limits<float>::quiet_NaN(), inf, -0.0f};
  const std::vector<float> k{1, 1, 1, -inf, -0.0f};
  std::vector<float> out(5);
  REQUIRE_FALSE(fast_additive_hidden_into({q.data(), {1, 5}}, {k.data(), {1, 5}}, 0, {out.data(), {1, 1, 5}}));
  CHECK(out[0] == 1);
  CHECK(out[1] == -1);
  CHECK(std::isnan(out[2]));
  CHECK(std::isnan(out[3]));
  CHECK((out[4] == 0 && std::signbit(out[4])));
}

TEST_CASE("hidden layers that do not fit are refused by name", "[fast][fast_hidden]") {
  std::vector<float> room(60);
  const auto refused = [&](std::array<std::size_t, 2> keys, std::size_t first, std::array<std::size_t, 3> output) {
    return fast_additive_hidden_into({room.data(), {4, 3}}, {room.data(), keys}, first, {room.data(), output}).value();
  };
  CHECK(refused({2, 4}, 0, {1, 2, 4}).param == "keys");
  CHECK(refused({2, 3}, 0, {1, 3, 3}).message == "output: shape (1, 3, 3); allowed is (1, 2, 3)");
  const Error beyond = refused({2, 3}, 3, {2, 2, 3});
  CHECK(beyond.code == ErrorCode::out_of_range);
  CHECK(beyond.message == "first: 2 queries from 3 on; there are 4");
  CHECK(refused({2, 3}, 5, {0, 2, 3}).param == "first");
}

// Attention of 32,768 queries on as many keys, whose matrix of scores would take 4 GiB: tiles counted by formula, memory that grows
// with queries plus keys, and the last 64 queries really computed, forward and compared with double.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "attn/fused_count.hpp"
#include "attn/fused_gradient.hpp"
#include "every_target.hpp"
#include "kernels/fused.hpp"
#include "mask_random.hpp"
#include "support.hpp"

using namespace attn;

namespace {

constexpr std::size_t large = 32768;

Tensor<float, 4> random_tensor(support::Bits& bits, std::size_t rows, std::size_t width) {
  auto made = Tensor<float, 4>::from_shape({1, 1, rows, width});
  for (float& entry : made) entry = static_cast<float>(bits.real(-2, 2));
  return made;
}

}  // namespace

TEST_CASE("the tiles of 32768 x 32768 under a causal mask, by formula", "[fused][large]") {
  const auto mask = BoundMask::make(parse_mask("causal").value(), {1, 1, large, large}).value();
  const auto counted = count_fused_tiles({1, 1, large}, large, mask).value();
  constexpr std::size_t height = kernels::tile_queries, width = kernels::tile_keys;
  FusedTiles expected;
  for (std::size_t first = 0; first < large; first += height) {
    const std::size_t full = (first + 1) / width;                       // all of a tile's keys are no later than its first query
    const std::size_t visited = (first + height + width - 1) / width;   // some are no later than its last
    expected.full += full;
    expected.mixed += visited - full;
    expected.empty += (large + width - 1) / width - visited;
  }
  CHECK((counted.full == expected.full && counted.mixed == expected.mixed && counted.empty == expected.empty));
  // half of the square, and the diagonal: one tile in each row of tiles, now and then two
  const double share = static_cast<double>(counted.full + counted.mixed) / static_cast<double>(counted.full + counted.mixed + counted.empty);
  CHECK(share > 0.5);
  CHECK(share < 0.503);
  const auto window = BoundMask::make(parse_mask("causal & window(1024)").value(), {1, 1, large, large}).value();
  const auto narrow = count_fused_tiles({1, 1, large}, large, window).value();
  CHECK(narrow.full + narrow.mixed <= large / height * (1024 / width + 3));
}

TEST_CASE("counted tiles are the tiles that the forward pass visits", "[fused][large]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(51);
  for (int trial = 0; trial < 100; ++trial) {
    const MaskSizes sizes{1 + bits.below(2), 1 + bits.below(2), 1 + bits.below(150), 1 + bits.below(300)};
    const auto mask = BoundMask::make(support::random_expression(bits, sizes, 3), sizes);
    if (!mask) continue;
    const auto zeros = [&](std::size_t rows) {
      auto made = Tensor<float, 4>::from_shape({sizes.batch, sizes.heads, rows, 1});
      made.fill(0);
      return made;
    };
    const auto visited = fused_attention(zeros(sizes.queries), zeros(sizes.keys), zeros(sizes.keys), mask.value()).value().tiles;
    const auto counted = count_fused_tiles({sizes.batch, sizes.heads, sizes.queries}, sizes.keys, mask.value()).value();
    INFO(mask_text(mask.value().expr()) << " " << sizes.queries << "x" << sizes.keys);
    CHECK((visited.full == counted.full && visited.mixed == counted.mixed && visited.empty == counted.empty));
  }
  CHECK(count_fused_tiles({1, 1, 64}, 200).value().full == 2 * ((200 + kernels::tile_keys - 1) / kernels::tile_keys));
  const auto wrong = BoundMask::make(MaskExpr::all(), {1, 1, 5, 5}).value();
  CHECK(count_fused_tiles({1, 1, 5}, 6, wrong).error().param == "mask");
}

TEST_CASE("memory beside operands and results grows with queries plus keys", "[fused][large]") {
  // beside 4 GiB of scores
  const std::uint64_t forward = fused_forward_bytes(large, large, 64, 64), gradient = fused_gradient_bytes(large, large, 64, 64);
  CHECK(forward < std::uint64_t{1} << 20);
  CHECK(gradient < std::uint64_t{1} << 21);
  for (const auto bytes : {fused_forward_bytes, fused_gradient_bytes}) {
    const std::uint64_t once = bytes(large, large, 64, 64), twice = bytes(2 * large, 2 * large, 64, 64), tile = bytes(0, 0, 64, 64);
    CHECK(twice - tile == 2 * (once - tile));
  }
}

TEST_CASE("what a pass takes beside operands and results is at most what is stated, and no less than half of it", "[fused][large]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(53);
  const std::size_t shapes[][5] = {{1, 33, 9000, 8, 5}, {2, 5000, 40, 4, 3}, {3, 700, 900, 64, 64}, {1, 40, 97, 256, 256}, {2, 1, 1, 1, 1}};
  for (const auto& [heads, n, m, d, v] : shapes) {
    const auto random = [&bits, count = heads](std::size_t rows, std::size_t width) {
      auto made = Tensor<float, 4>::from_shape({1, count, rows, width});
      for (float& entry : made) entry = static_cast<float>(bits.real(-2, 2));
      return made;
    };
    const auto q = random(n, d), k = random(m, d), values = random(m, v), upstream = random(n, v);
    auto output = random(n, v), dq = random(n, d), dk = random(m, d), dv = random(m, v);
    auto normalizer = Tensor<float, 3>::from_shape({1, heads, n});
    const auto causal = BoundMask::make(parse_mask("causal").value(), {1, heads, n, m}).value();
    const auto lens = ValidLens::per_sequence({static_cast<double>(m / 2)}).value();
    for (const MaskView& mask : {MaskView(), MaskView(causal), MaskView(lens)}) {
      const auto taken = [](const auto& pass) {
        const std::size_t before = support::live_bytes();
        support::reset_peak();
        REQUIRE(pass().ok());
        return static_cast<double>(support::peak_bytes() - before);
      };
      const double forward = taken([&] { return fused_attention_into(view_of(q), view_of(k), view_of(values), mask, {}, view_of(output), normalizer.data()); });
      const double gradient = taken([&] { return fused_gradient_into({view_of(q), view_of(k), view_of(values)}, {view_of(std::as_const(output)), view_of(std::as_const(normalizer))}, view_of(upstream), mask, {view_of(dq), view_of(dk), view_of(dv)}); });
      INFO(heads << " heads, " << n << " by " << m << ", widths " << d << " and " << v << ": " << forward << " and " << gradient);
      const auto stated = static_cast<double>(fused_forward_bytes(n, m, d, v)), of_gradient = static_cast<double>(fused_gradient_bytes(n, m, d, v));
      CHECK(forward <= stated);
      CHECK(forward > stated / 2);
      CHECK(gradient <= of_gradient);
      CHECK(gradient > of_gradient / 2);
    }
  }
}

TEST_CASE("the last queries of 32768 under a causal mask", "[fused][large]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(52);
  constexpr std::size_t d = 16, last = 64;
  const auto q = random_tensor(bits, last, d), k = random_tensor(bits, large, d), v = random_tensor(bits, large, d);
  const auto mask = BoundMask::make(parse_mask("causal").value(), {1, 1, large, large}).value();
  const auto fused = fused_attention(q, k, v, mask, {.first = large - last, .total = large}).value();
  const auto counted = count_fused_tiles({1, 1, last}, large, mask, {.first = large - last, .total = large}).value();
  CHECK((fused.tiles.full == counted.full && fused.tiles.mixed == counted.mixed && fused.tiles.empty == counted.empty));
  std::vector<double> weights(large);
  for (const std::size_t i : {std::size_t{0}, std::size_t{31}, last - 1}) {
    double sum = 0;
    std::vector<double> pooled(d);
    for (std::size_t j = 0; j <= large - last + i; ++j) {
      double score = 0;
      for (std::size_t c = 0; c < d; ++c) score += static_cast<double>(q(0, 0, i, c)) * static_cast<double>(k(0, 0, j, c));
      const double weight = std::exp(score / 4);
      sum += weight;
      for (std::size_t c = 0; c < d; ++c) pooled[c] += weight * static_cast<double>(v(0, 0, j, c));
    }
    CHECK(std::fabs(static_cast<double>(fused.log_normalizer(0, 0, i)) - std::log(sum)) < 2e-6);
    // sums of 342 tiles into running ones: their roundings go in either direction
    for (std::size_t c = 0; c < d; ++c) CHECK(std::fabs(static_cast<double>(fused.output(0, 0, i, c)) - pooled[c] / sum) < 5e-7);
  }
}

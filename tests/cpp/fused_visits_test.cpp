// The tiles that fused attention will visit, counted beforehand, against those that it has visited; and heads taken out of a whole attention, as workers
// do, against the whole: the same bits.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "attn/fused.hpp"
#include "attn/fused_count.hpp"
#include "attn/fused_gradient.hpp"
#include "attn/fused_weights.hpp"
#include "attn/mask_expr.hpp"
#include "fused_support.hpp"
#include "support.hpp"

using namespace attn;

namespace {

using support::Four, support::random_four;

/// Rows [first, first + rows) of slices [slice, slice + count), as (1, count, rows, width).
Four part(const Four& whole, std::size_t slice, std::size_t count, std::size_t first, std::size_t rows) {
  const auto shape = shape_of(whole);
  Four made = Four::from_shape({1, count, rows, shape[3]});
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t c = 0; c < shape[3]; ++c) made(0, s, i, c) = whole((slice + s) / shape[1], (slice + s) % shape[1], first + i, c);
    }
  }
  return made;
}

BoundMask bound(std::string_view text, const std::array<std::size_t, 4>& sizes) {
  return BoundMask::make(parse_mask(text).value(), {sizes[0], sizes[1], sizes[2], sizes[3]}).value();
}

}  // namespace

TEST_CASE("the tiles of a mask counted beforehand are those visited", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(71);
  for (const std::size_t n : {1U, 31U, 32U, 65U, 150U}) {
    for (const std::size_t m : {1U, 63U, 64U, 200U}) {
      const std::array<std::size_t, 4> sizes{2, 3, n, m};
      const Four q = random_four(bits, {2, 3, n, 3});
      const Four k = random_four(bits, {2, 3, m, 3});
      for (const char* text : {"", "causal", "window(9)", "none", "causal & window(40) | global(0)"}) {
        std::optional<BoundMask> mask;
        if (text[0] != 0) mask = bound(text, sizes);
        const MaskView view = mask ? MaskView(*mask) : MaskView();
        const auto visits = fused_visits(sizes, view);
        REQUIRE(visits);
        const std::size_t blocks = (n + fused_tile_queries - 1) / fused_tile_queries;
        REQUIRE(visits.value().size() == 6 * blocks);
        for (std::size_t slice = 0; slice < 6; ++slice) {
          for (std::size_t block = 0; block < blocks; ++block) {
            const std::size_t first = block * fused_tile_queries;
            const std::size_t rows = std::min(fused_tile_queries, n - first);
            const auto run = fused_attention(part(q, slice, 1, first, rows), part(k, slice, 1, 0, m), part(k, slice, 1, 0, m), view,
                                             {.first = first, .total = n, .slice = slice, .batch = 2, .heads = 3});
            REQUIRE(run);
            INFO(text << ", " << n << " by " << m << ", slice " << slice << ", block " << block);
            CHECK(run.value().tiles.full + run.value().tiles.mixed == visits.value()[slice * blocks + block]);
          }
        }
      }
    }
  }
}

TEST_CASE("tiles between the keys that queries see far apart are not visited", "[fused]") {
  support::on_every_target([] {
    constexpr std::size_t n = 32, m = 9600;
    const Four q = xt::ones<float>({std::size_t{1}, std::size_t{1}, n, std::size_t{2}}), k = xt::ones<float>({std::size_t{1}, std::size_t{1}, m, std::size_t{2}});
    Mask cells = xt::zeros<bool>({std::size_t{1}, n, m});
    for (std::size_t i = 0; i < n; ++i) cells(0, i, i % 2 == 0 ? 0 : m - 1) = true;
    for (const FusedTiles tiles : {fused_attention(q, k, k, cells).value().tiles, fused_weights(q, k, k, cells).value().tiles, count_fused_tiles({1, 1, n}, m, cells).value()}) {
      CHECK(tiles.full == 0);
      CHECK(tiles.mixed == 2);
      CHECK(tiles.empty == 98);
    }
  });
}

TEST_CASE("a causal mask visits half of the tiles and its diagonal, a window as many as it is wide", "[fused]") {
  const auto total = [](const char* text) {
    const std::array<std::size_t, 4> sizes{1, 1, 8192, 8192};
    const BoundMask mask = bound(text, sizes);
    const auto visits = fused_visits(sizes, mask).value();
    return std::accumulate(visits.begin(), visits.end(), std::uint64_t{0});
  };
  CHECK(total("all") == 256 * 86);
  // three rows of tiles see one column more than the three before: 3 (1 + 2 + ... + 85) + 86
  CHECK(total("causal") == 11051);
  // a window of 64 keys reaches into two tiles from two blocks of three, but for the first two
  CHECK(total("window(64)") == 5 * 85 + 2 - 2);
}

TEST_CASE("slices of an attention under the mask of the whole have the bits of the whole", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(73);
  const std::array<std::size_t, 4> sizes{3, 2, 90, 75};
  Four q = random_four(bits, {3, 2, 90, 5});
  Four k = random_four(bits, {3, 2, 75, 5});
  const Four v = random_four(bits, {3, 2, 75, 4});
  q(1, 0, 7, 2) = std::numeric_limits<float>::quiet_NaN();
  k(2, 1, 70, 0) = std::numeric_limits<float>::infinity();
  const BoundMask expression = bound("causal & padding(75, 20, 0)", sizes);
  const ValidLens lens = ValidLens::make(std::vector<double>{75, 20, 0}, std::vector<std::size_t>{3}).value();
  for (const MaskView& view : {MaskView(expression), MaskView(lens), MaskView()}) {
    const auto whole = fused_attention(q, k, v, view).value();
    for (std::size_t slice = 0; slice < 6; ++slice) {
      for (std::size_t count = 1; count <= 6 - slice; ++count) {
        for (const auto& [first, rows] : {std::pair<std::size_t, std::size_t>{0, 90}, {32, 58}, {64, 26}, {0, 32}}) {
          const auto run = fused_attention(part(q, slice, count, first, rows), part(k, slice, count, 0, 75), part(v, slice, count, 0, 75), view,
                                           {.first = first, .total = 90, .slice = slice, .batch = 3, .heads = 2});
          REQUIRE(run);
          const Four expected = part(whole.output, slice, count, first, rows);
          CHECK(std::memcmp(run.value().output.data(), expected.data(), expected.size() * sizeof(float)) == 0);
          for (std::size_t s = 0; s < count; ++s) {
            CHECK(std::memcmp(&run.value().log_normalizer(0, s, 0), &whole.log_normalizer((slice + s) / 2, (slice + s) % 2, first), rows * sizeof(float)) == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("queries of a part meet what they see, wherever it stands, and nothing else", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(74);
  const std::array<std::size_t, 4> sizes{1, 1, 400, 400};
  const Four q = random_four(bits, {1, 1, 400, 3}), k = random_four(bits, {1, 1, 400, 3}), v = random_four(bits, {1, 1, 400, 2});
  const BoundMask mask = bound("window(70,40)", sizes);
  for (const std::size_t first : {std::size_t{0}, std::size_t{96}, std::size_t{320}}) {
    const FusedRows rows{.first = first, .total = 400};
    const Four block = part(q, 0, 1, first, 64);
    const auto clean = fused_attention(block, k, v, mask, rows).value();
    for (std::size_t key = 0; key < 400; key += 7) {
      for (const float entry : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        Four spoilt = v;
        spoilt(0, 0, key, 1) = entry;
        const auto found = fused_attention(block, k, spoilt, mask, rows).value();
        for (std::size_t i = 0; i < 64; ++i) {
          const bool sees = mask.allows(0, 0, first + i, key);
          CHECK(std::isfinite(found.output(0, 0, i, 1)) != sees);
          // rows that do not see it have the bits that they had
          if (!sees) CHECK((found.output(0, 0, i, 0) == clean.output(0, 0, i, 0) && found.output(0, 0, i, 1) == clean.output(0, 0, i, 1)));
        }
      }
    }
  }
}

TEST_CASE("slices beyond the mask are refused, and masks of other sizes", "[fused]") {
  const std::array<std::size_t, 4> sizes{2, 3, 4, 4};
  const BoundMask mask = bound("causal", sizes);
  const Four two = Four::from_shape({1, 2, 4, 3});
  const auto refused = [&](FusedRows rows, const MaskView& view) { return fused_attention(two, two, two, view, rows).error(); };
  const Error beyond = refused({.slice = 5, .batch = 2, .heads = 3}, mask);
  CHECK(beyond.code == ErrorCode::out_of_range);
  CHECK(beyond.param == "rows");
  CHECK(beyond.message == "rows: 2 slices from 5 on; there are 6");
  CHECK(refused({.slice = 7, .batch = 2, .heads = 3}, {}).code == ErrorCode::out_of_range);
  CHECK(refused({.slice = 0, .batch = 3, .heads = 2}, mask).code == ErrorCode::wrong_shape);
  const Error headless = refused({.batch = 7}, {});
  CHECK(headless.code == ErrorCode::out_of_range);
  CHECK(headless.param == "rows");
  CHECK(headless.message == "rows: batch is 7 and heads is 0; give both, or neither");
  CHECK(fused_visits({2, 3, 4, 5}, mask).error().code == ErrorCode::wrong_shape);
}

TEST_CASE("sizes without elements: nothing to do takes no time, and what cannot be held is refused", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  // nothing is read or written where a tensor has no elements
  float nothing[1] = {};
  constexpr std::size_t most = 0xFFFFFFFF;
  const auto attend = [&](std::size_t batch, std::size_t n, std::size_t m, std::size_t d, std::size_t v, float* normalizer = nullptr) {
    return fused_attention_into({nothing, {batch, 1, n, d}}, {nothing, {batch, 1, m, d}}, {nothing, {batch, 1, m, v}}, {}, {}, {nothing, {batch, 1, n, v}}, normalizer);
  };
  const auto gradient = [&](std::size_t batch, std::size_t n, std::size_t m) {
    return fused_gradient_into({{nothing, {batch, 1, n, 0}}, {nothing, {batch, 1, m, 0}}, {nothing, {batch, 1, m, 0}}}, {{nothing, {batch, 1, n, 0}}, {nothing, {batch, 1, n}}},
                               {nothing, {batch, 1, n, 0}}, {}, {{nothing, {batch, 1, n, 0}}, {nothing, {batch, 1, m, 0}}, {nothing, {batch, 1, m, 0}}});
  };
  const auto refused = [](const auto& result, std::string_view param) { return !result.ok() && result.error().code == ErrorCode::too_large && result.error().param == param; };
  // huge batches
  CHECK(attend(most, 0, 0, 0, 0, nothing).value().full == 0);
  CHECK(attend(most, 0, 7, 0, 5, nothing).value().full == 0);
  CHECK(attend(most, 7, 0, 0, 0).value().full == 0);
  CHECK(attend(most, 1, 97, 0, 0).value().full == 2 * std::uint64_t{most});
  CHECK(gradient(most, 0, 0).value().full == 0);
  CHECK(gradient(most, 0, 3).value().full == 0);
  CHECK(fused_visits({most, 1, 0, 5}, {}).value().empty());
  CHECK(count_fused_tiles({most, 1, 0}, 5).value().full == 0);
  CHECK(count_fused_tiles({most, 1, 33}, 97).value().full == 4 * std::uint64_t{most});
  // huge numbers of keys and queries
  const std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
  for (const std::size_t m : {most, huge}) {
    CHECK(refused(attend(1, 1, m, 0, 0, nothing), "keys"));
    CHECK(refused(attend(1, m, 1, 0, 0), "queries"));
    CHECK(refused(gradient(1, 1, m), "keys"));
    CHECK(refused(count_fused_tiles({1, 1, 1}, m), "keys"));
    CHECK(refused(count_fused_tiles({1, 1, m}, 1), "queries"));
    CHECK(refused(fused_visits({1, 1, 1, m}, {}), "keys"));
  }
  if (sizeof(std::size_t) == 8) {
    const auto wide = Tensor<float, 4>::from_shape({std::size_t{1} << 20, std::size_t{1} << 20, 1, 0}), none = Tensor<float, 4>::from_shape({std::size_t{1} << 20, std::size_t{1} << 20, 0, 0});
    CHECK(refused(fused_attention(wide, none, none), "log_normalizer"));
    CHECK(refused(fused_weights(wide, none, none), "log_normalizer"));
    const auto long_one = Tensor<float, 4>::from_shape({1, 1, std::size_t{1} << 40, 0}), short_one = Tensor<float, 4>::from_shape({1, 1, 0, 0});
    CHECK(fused_attention(long_one, short_one, short_one).error().message == "queries: 1099511627776 queries; allowed are at most 2147483648");
  }
  CHECK(refused(count_fused_tiles({huge, 3, 1}, 1), "queries"));
  CHECK(refused(fused_visits({huge, 3, 1, 1}, {}), "queries"));
  // one query without keys has its zeros and its normaliser
  float out[2] = {1, 1}, normalizer[1] = {};
  REQUIRE(fused_attention_into({nothing, {1, 1, 1, 0}}, {nothing, {1, 1, 0, 0}}, {nothing, {1, 1, 0, 2}}, {}, {}, {out, {1, 1, 1, 2}}, normalizer).ok());
  CHECK((out[0] == 0 && out[1] == 0 && normalizer[0] == -std::numeric_limits<float>::infinity()));
}

// Fused attention against the double attention of pooling.hpp: odd shapes in every dimension, every kind of mask, rows with NaN,
// infinities and giants; guard words around the kernel's buffers; and the tiles that a mask saves, counted exactly.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attn/fused.hpp"
#include "fused_support.hpp"
#include "kernels/fused.hpp"
#include "mask_random.hpp"
#include "support.hpp"

using namespace attn;

namespace {

using support::Four, support::random_four, support::head_of;

/// The largest difference from the double attention of each head under the mask's own cells; NaN must meet NaN.
double difference(const Four& q, const Four& k, const Four& v, const FusedAttention& fused, const BoundMask* mask) {
  double worst = 0;
  const auto shape = shape_of(q);
  for (std::size_t b = 0; b < shape[0]; ++b) {
    for (std::size_t h = 0; h < shape[1]; ++h) {
      Mask cells = Mask::from_shape({1, shape[2], shape_of(k)[2]});
      for (std::size_t i = 0; i < shape[2]; ++i) {
        for (std::size_t j = 0; j < shape_of(k)[2]; ++j) cells(0, i, j) = mask == nullptr || mask->allows(b, h, i, j);
      }
      const auto expected = dot_product_attention<double>(head_of(q, b, h), head_of(k, b, h), head_of(v, b, h), cells).value();
      for (std::size_t i = 0; i < shape[2]; ++i) {
        for (std::size_t c = 0; c < shape_of(v)[3]; ++c) {
          const double have = static_cast<double>(fused.output(b, h, i, c));
          const double want = expected.output(0, i, c);
          if (std::isnan(want) || std::isinf(want)) {
            REQUIRE((std::isnan(want) ? std::isnan(have) : have == want));
          } else {
            worst = std::max(worst, std::fabs(have - want));
          }
        }
      }
    }
  }
  return worst;
}

/// Values lie in -2 to 2: eight units in the last place of the largest, which is what sums of up to 200 floats by tiles leave.
constexpr double bound = 8 * 0x1p-23;

constexpr std::size_t odd_sizes[] = {1, 2, 3, 5, 7, 37, 53, 63, 65};

}  // namespace

TEST_CASE("fused attention is attention, at odd sizes in every dimension", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(21);
  double worst = 0;
  for (const std::size_t size : odd_sizes) {
    const std::size_t shapes[][4] = {{size, 37, 8, 8}, {37, size, 8, 8}, {9, 70, size, 5}, {9, 70, 5, size}, {size, size, size, size}};
    for (const auto& [n, m, d, width] : shapes) {
      const Four q = random_four(bits, {1, 2, n, d}), k = random_four(bits, {1, 2, m, d}), v = random_four(bits, {1, 2, m, width});
      const auto fused = fused_attention(q, k, v);
      REQUIRE(fused.ok());
      worst = std::max(worst, difference(q, k, v, fused.value(), nullptr));
      CHECK(fused.value().tiles.full == 2 * ((n + 31) / 32) * ((m + 95) / 96));
    }
  }
  UNSCOPED_INFO("instructions " << fused_instructions() << ", worst " << worst);
  CHECK(worst < bound);
}

TEST_CASE("any mask expression, with exact zeros for empty rows", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(22);
  std::size_t empty = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const std::size_t n = 1 + bits.below(100), m = 1 + bits.below(200), d = 1 + bits.below(20), width = 1 + bits.below(10);
    const MaskSizes sizes{1 + bits.below(2), 1 + bits.below(2), n, m};
    const MaskExpr expr = support::random_expression(bits, sizes, 3);
    const auto mask = BoundMask::make(expr, sizes);
    if (!mask) continue;
    const Four q = random_four(bits, {sizes.batch, sizes.heads, n, d}), k = random_four(bits, {sizes.batch, sizes.heads, m, d}), v = random_four(bits, {sizes.batch, sizes.heads, m, width});
    const auto fused = fused_attention(q, k, v, mask.value());
    REQUIRE(fused.ok());
    INFO(mask_text(expr) << " " << n << "x" << m);
    CHECK(difference(q, k, v, fused.value(), &mask.value()) < bound);
    Intervals row;
    for (std::size_t i = 0; i < n; ++i) {
      mask.value().row(0, 0, i, row);
      if (!row.empty()) continue;
      ++empty;
      for (std::size_t c = 0; c < width; ++c) CHECK((fused.value().output(0, 0, i, c) == 0 && !std::signbit(fused.value().output(0, 0, i, c))));
      CHECK(fused.value().log_normalizer(0, 0, i) == -std::numeric_limits<float>::infinity());
    }
  }
  CHECK(empty > 100);
}

TEST_CASE("sums over thousands of keys are kept whatever the mask leaves of them", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(29);
  for (const char* text : {"all", "causal", "window(2000)", "~window(700)", "padding(3300,6500)", "documents(100,3400,3500) | global(0,5000)", "dilated(2500,2)", "~padding(3400,10)"}) {
    const MaskSizes sizes{2, 1, 37, 7000};
    const auto mask = BoundMask::make(parse_mask(text).value(), sizes).value();
    const Four q = random_four(bits, {2, 1, 37, 5}), k = random_four(bits, {2, 1, 7000, 5}), v = random_four(bits, {2, 1, 7000, 3});
    INFO(text);
    CHECK(difference(q, k, v, fused_attention(q, k, v, mask).value(), &mask) < bound);
  }
}

TEST_CASE("a mask saves tiles, counted exactly", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  struct Count {
    std::uint64_t full, mixed, empty;
    bool operator==(const Count&) const = default;
  };
  const auto tiles = [](const char* text, std::size_t n, std::size_t m, std::size_t heads = 1) {
    const Four q = Four::from_shape({1, heads, n, 1}), k = Four::from_shape({1, heads, m, 1}), v = Four::from_shape({1, heads, m, 1});
    const auto mask = BoundMask::make(parse_mask(text).value(), {1, heads, n, m}).value();
    const FusedTiles have = fused_attention(xt::zeros_like(q), xt::zeros_like(k), xt::zeros_like(v), mask).value().tiles;
    // by the cells: what every query of a tile sees, what none sees
    Count count{};
    for (std::size_t i = 0; i < n; i += kernels::tile_queries) {
      for (std::size_t j = 0; j < m; j += kernels::tile_keys) {
        std::size_t open = 0, cells = 0;
        for (std::size_t row = i; row < std::min(n, i + kernels::tile_queries); ++row) {
          for (std::size_t key = j; key < std::min(m, j + kernels::tile_keys); ++key, ++cells) open += mask.allows(0, 0, row, key);
        }
        (open == 0 ? count.empty : open == cells ? count.full : count.mixed) += heads;
      }
    }
    INFO(text << ": " << have.full << " full, " << have.mixed << " mixed, " << have.empty << " empty");
    CHECK(Count{have.full, have.mixed, have.empty} == count);
    return count;
  };
  // 32 rows of tiles of 32 queries, 11 columns of 96 keys: causal crosses one column in each row, and row r has r / 3 full ones
  CHECK(tiles("all", 1024, 1024) == Count{352, 0, 0});
  CHECK(tiles("causal", 1024, 1024) == Count{155, 32, 165});
  CHECK(tiles("none", 1024, 1024) == Count{0, 0, 352});
  CHECK(tiles("causal", 1024, 1024, 3) == Count{3 * 155, 3 * 32, 3 * 165});
  CHECK(tiles("causal", 1, 1) == Count{1, 0, 0});
  // doubling queries and keys doubles what a window visits: two columns in each row of tiles, three in some
  const Count small = tiles("window(96)", 768, 768);
  const Count large = tiles("window(96)", 1536, 1536);
  CHECK(small.full + small.mixed == 45);
  CHECK(large.full + large.mixed == 93);
  // packed documents cost the sum of their squares: four of 192, each 6 rows of 2 tiles
  CHECK(tiles("documents(192,192,192,192)", 768, 768) == Count{4 * 6 * 2, 0, 24 * 8 - 48});
  tiles("padding(100)", 64, 256);
  tiles("causal & documents(100,156)", 256, 256);
  tiles("(window(5) | global(3,100,131)) & ~padding(2)", 150, 300);
}

TEST_CASE("NaN, infinities and giants mean what they mean everywhere", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(23);
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const float strange[] = {nan, inf, -inf, 3e38f, -3e38f, 0x1p41f, 0x1p89f, -0x1p91f};
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 1 + bits.below(70), m = 1 + bits.below(130);
    const MaskSizes sizes{1, 1, n, m};
    const auto mask = BoundMask::make(support::random_expression(bits, sizes, 2), sizes);
    if (!mask) continue;
    Four q = random_four(bits, {1, 1, n, 3}), k = random_four(bits, {1, 1, m, 3}), v = random_four(bits, {1, 1, m, 2});
    // each at most once: two keys of the same giant differ by what even double loses beside it
    std::size_t next = bits.below(8);
    for (std::size_t i = 1 + bits.below(3); i > 0; --i) {
      Four* const which[] = {&q, &k, &v};
      Four& chosen = *which[bits.below(3)];
      chosen.data()[bits.below(chosen.size())] = strange[next++ % 8];
    }
    const auto fused = fused_attention(q, k, v, mask.value());
    REQUIRE(fused.ok());
    INFO(mask_text(mask.value().expr()));
    const double worst = difference(q, k, v, fused.value(), &mask.value());
    double size = 2;
    for (const float entry : v) size = std::isfinite(entry) ? std::max(size, std::fabs(static_cast<double>(entry))) : size;
    CHECK(worst <= size * 4 * 0x1p-23);
  }
  // values of ordinary size do not overflow their sums, whatever their number
  const Four alike = xt::ones<float>({std::size_t{1}, std::size_t{1}, std::size_t{4000}, std::size_t{1}}), one = xt::ones<float>({std::size_t{1}, std::size_t{1}, std::size_t{1}, std::size_t{1}});
  const Four large = alike * kernels::ordinary_value;
  CHECK(std::fabs(fused_attention(one, alike, large).value().output(0, 0, 0, 0) / kernels::ordinary_value - 1) < 1e-5f);
  // a masked NaN in key and value reaches nothing
  Four q = random_four(bits, {1, 1, 40, 4}), k = random_four(bits, {1, 1, 90, 4}), v = random_four(bits, {1, 1, 90, 4});
  const auto padding = BoundMask::make(parse_mask("padding(80)").value(), {1, 1, 40, 90}).value();
  const auto clean = fused_attention(q, k, v, padding).value();
  for (std::size_t j = 80; j < 90; ++j) {
    for (std::size_t i = 0; i < 4; ++i) k(0, 0, j, i) = v(0, 0, j, i) = j % 2 == 0 ? nan : inf;
  }
  const auto spoilt = fused_attention(q, k, v, padding).value();
  CHECK(clean.output == spoilt.output);
}

TEST_CASE("lengths, a boolean mask and an expression are one", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(24);
  const Four q = random_four(bits, {2, 2, 33, 5}), k = random_four(bits, {2, 2, 70, 5}), v = random_four(bits, {2, 2, 70, 5});
  const auto lens = ValidLens::per_sequence({65, 0}).value();
  const auto cells = padding_mask(lens, 70).value();
  const auto mask = BoundMask::make(parse_mask("padding(65,0)").value(), {2, 2, 33, 70}).value();
  const auto by_lens = fused_attention(q, k, v, lens).value();
  CHECK(by_lens.output == fused_attention(q, k, v, cells).value().output);
  CHECK(by_lens.output == fused_attention(q, k, v, mask).value().output);
  CHECK((by_lens.tiles.full == 0 && by_lens.tiles.mixed == 4 && by_lens.tiles.empty == 4));
  for (std::size_t i = 0; i < 33; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 65; ++j) {
      double score = 0;
      for (std::size_t c = 0; c < 5; ++c) score += static_cast<double>(q(0, 1, i, c)) * static_cast<double>(k(0, 1, j, c));
      sum += std::exp(score / std::sqrt(5.0));
    }
    CHECK(std::fabs(static_cast<double>(by_lens.log_normalizer(0, 1, i)) - std::log(sum)) < 2e-6);
  }
}

TEST_CASE("attention shared by blocks of queries is the whole", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(28);
  constexpr std::size_t n = 83, m = 90, d = 6, width = 4;
  const Four q = random_four(bits, {1, 1, n, d}), k = random_four(bits, {1, 1, m, d}), v = random_four(bits, {1, 1, m, width});
  const auto mask = BoundMask::make(parse_mask("causal & window(40)").value(), {1, 1, n, m}).value();
  const auto whole = fused_attention(q, k, v, mask).value();
  // blocks of whole tiles give the very bits
  for (const std::size_t first : {0u, 32u, 64u}) {
    const std::size_t count = std::min<std::size_t>(32, n - first);
    Four part = Four::from_shape({1, 1, count, d});
    std::copy_n(q.data() + first * d, count * d, part.data());
    const auto block = fused_attention(part, k, v, mask, FusedRows{first, n}).value();
    CHECK(std::equal(block.output.data(), block.output.data() + count * width, whole.output.data() + first * width));
    CHECK(std::equal(block.log_normalizer.data(), block.log_normalizer.data() + count, whole.log_normalizer.data() + first));
  }
  const auto beyond = fused_attention(q, k, v, mask, FusedRows{1, n});
  CHECK((beyond.error().code == ErrorCode::out_of_range && beyond.error().message == "rows: 83 queries from 1 on; there are 83"));
  CHECK(fused_attention(q, k, v, {}, FusedRows{90, 85}).error().param == "rows");
  // into memory of the caller's, with its shape checked
  Four output = Four::from_shape({1, 1, n, width});
  REQUIRE(fused_attention_into(view_of(q), view_of(k), view_of(v), mask, {}, view_of(output), nullptr).ok());
  CHECK(output == whole.output);
  CHECK(fused_attention_into(view_of(q), view_of(k), view_of(v), mask, {}, View<float, 4>{output.data(), {1, 1, n, 5}}, nullptr).error().message == "output: shape (1, 1, 83, 5); allowed is (1, 1, 83, 4)");
}

TEST_CASE("nothing to attend to, nothing to attend with, and shapes that do not fit", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(25);
  const auto tensor = [&](std::size_t b, std::size_t h, std::size_t n, std::size_t d) { return random_four(bits, {b, h, n, d}); };
  const auto nobody = fused_attention(tensor(1, 1, 3, 4), tensor(1, 1, 0, 4), tensor(1, 1, 0, 2)).value();
  for (const float entry : nobody.output) CHECK(entry == 0);
  CHECK(nobody.output.size() == 6);
  CHECK(fused_attention(tensor(0, 1, 3, 4), tensor(0, 1, 5, 4), tensor(0, 1, 5, 2)).value().output.size() == 0);
  CHECK(fused_attention(tensor(1, 1, 0, 4), tensor(1, 1, 5, 4), tensor(1, 1, 5, 2)).value().output.size() == 0);
  CHECK(fused_attention(tensor(1, 1, 2, 4), tensor(1, 1, 5, 4), tensor(1, 1, 5, 0)).value().output.size() == 0);
  const Four values = tensor(1, 1, 4, 1);
  const auto even = fused_attention(tensor(1, 1, 1, 0), tensor(1, 1, 4, 0), values).value();  // no width: scores of 0
  const float mean = (values(0, 0, 0, 0) + values(0, 0, 1, 0) + values(0, 0, 2, 0) + values(0, 0, 3, 0)) / 4;
  CHECK(std::fabs(even.output(0, 0, 0, 0) - mean) < 1e-6f);

  const auto refused = [&](const Four& q, const Four& k, const Four& v) { return fused_attention(q, k, v).error(); };
  CHECK(refused(tensor(1, 2, 3, 4), tensor(1, 2, 5, 6), tensor(1, 2, 5, 2)).message == "keys: shape (1, 2, 5, 6) does not fit queries of shape (1, 2, 3, 4); axis 3 (width) is 6, allowed is 4");
  CHECK(refused(tensor(1, 2, 3, 4), tensor(1, 3, 5, 4), tensor(1, 3, 5, 2)).param == "keys");
  CHECK(refused(tensor(1, 2, 3, 4), tensor(1, 2, 5, 4), tensor(1, 2, 6, 2)).param == "values");
  const auto mask = BoundMask::make(MaskExpr::all(), {1, 2, 3, 6}).value();
  CHECK(fused_attention(tensor(1, 2, 3, 4), tensor(1, 2, 5, 4), tensor(1, 2, 5, 2), mask).error().param == "mask");
}

TEST_CASE("the kernel writes its output and nothing else", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(26);
  constexpr float guard = 12345.5f;
  for (const std::size_t n : {1u, 31u, 33u}) {
    for (const std::size_t v : {1u, 3u, 7u, 64u}) {
      constexpr std::size_t m = 107, d = 5, gap = 2;
      std::vector<float> q(n * (d + gap), guard), k(m * (d + gap), guard), values(m * (v + gap), guard), out((n + 2) * (v + gap), guard), sums(n + 2, guard), bests(n + 2, guard);
      const auto fill = [&](std::vector<float>& to, std::size_t rows, std::size_t width) {
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t c = 0; c < width; ++c) to[i * (width + gap) + c] = static_cast<float>(bits.real(-1, 1));
        }
      };
      fill(q, n, d);
      fill(k, m, d);
      fill(values, m, v);
      std::vector<float> scratch(kernels::fused_scratch(d, v) + 1, guard);
      const kernels::Head head{.queries = q.data(), .keys = k.data(), .values = values.data(), .output = out.data() + v + gap, .best = bests.data() + 1, .sum = sums.data() + 1,
                               .n = n, .m = m, .d = d, .v = v, .query_stride = d + gap, .key_stride = d + gap, .value_stride = v + gap, .output_stride = v + gap, .scale = 1};
      kernels::TileCounts counts;
      for (std::size_t first = 0; first < n; first += kernels::tile_queries) kernels::fused_tile(head, first, std::min(kernels::tile_queries, n - first), nullptr, scratch.data(), counts);
      CHECK(scratch.back() == guard);
      CHECK((sums.front() == guard && sums.back() == guard && bests.front() == guard && bests.back() == guard));
      for (std::size_t i = 0; i < n + 2; ++i) {
        for (std::size_t c = 0; c < v + gap; ++c) CHECK((out[i * (v + gap) + c] == guard) == (i == 0 || i == n + 1 || c >= v));
      }
    }
  }
}

TEST_CASE("without any width there is nothing to compute but how many keys a query sees", "[fused]") {
  ATTN_ON_EVERY_TARGET();
  const std::size_t many = 40'000'000;
  const auto of = [](std::size_t n, std::size_t m, const MaskView& mask) {
    return fused_attention(Four::from_shape({1, 2, n, 0}), Four::from_shape({1, 2, m, 0}), Four::from_shape({1, 2, m, 0}), mask).value();
  };
  const auto all = of(3, many, MaskView{});
  CHECK(all.tiles.full == 2 * ((many + 95) / 96));
  for (const float each : all.log_normalizer) CHECK(each == static_cast<float>(std::log(4e7)));
  const auto expr = parse_mask("causal & padding(3)").value();
  const auto mask = BoundMask::make(expr, {1, 2, 5, 7}).value();
  const auto some = of(5, 7, mask);
  CHECK(some.tiles.mixed == 2);
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t i = 0; i < 5; ++i) CHECK(some.log_normalizer(0, h, i) == static_cast<float>(std::log(static_cast<double>(std::min<std::size_t>(i + 1, 3)))));
  }
  const auto lens = ValidLens::per_sequence({0}).value();
  const auto none = of(2, 4, lens);
  for (const float each : none.log_normalizer) CHECK(each == -std::numeric_limits<float>::infinity());
}

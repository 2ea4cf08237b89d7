// The form of fused attention that returns the weights, against the double attention of pooling.hpp: odd shapes, every kind of mask with
// exact zeros behind it, strange rows, guard words, every set of instructions of this machine; and beside the form without weights.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "attn/fused_weights.hpp"
#include "fused_support.hpp"
#include "kernels/fused.hpp"
#include "mask_random.hpp"
#include "support.hpp"

using namespace attn;

namespace {

using support::Four, support::random_four, support::head_of;
using Batch = Tensor<double, 3>;

void nearer(double& worst, double have, double want) {
  if (std::isnan(want) || std::isinf(want)) {
    REQUIRE((std::isnan(want) ? std::isnan(have) : have == want));
  } else {
    const double difference = std::fabs(have - want);
    worst = difference <= worst ? worst : std::isnan(difference) ? HUGE_VAL : difference;
  }
}

struct Worst {
  double output = 0, weights = 0;
};

/// The largest differences from the double attention of each head. Closed places must be +0.
Worst difference(const Four& q, const Four& k, const Four& v, const FusedWeights& fused, const BoundMask* mask) {
  Worst worst;
  const auto [batch, heads, n, m] = shape_of(fused.weights);
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      Mask cells = Mask::from_shape({1, n, m});
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) cells(0, i, j) = mask == nullptr || mask->allows(b, h, i, j);
      }
      const auto expected = dot_product_attention<double>(head_of(q, b, h), head_of(k, b, h), head_of(v, b, h), cells).value();
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < shape_of(v)[3]; ++c) nearer(worst.output, static_cast<double>(fused.output(b, h, i, c)), expected.output(0, i, c));
        for (std::size_t j = 0; j < m; ++j) {
          const double have = static_cast<double>(fused.weights(b, h, i, j));
          nearer(worst.weights, have, expected.weights(0, i, j));
          if (!cells(0, i, j)) REQUIRE(support::plus_zero(have));
        }
      }
    }
  }
  return worst;
}

constexpr double bound = 8 * 0x1p-23;        // of the output, as in fused_test.cpp
constexpr double weight_bound = 4 * 0x1p-23;  // weights are at most 1, and scores of about one are off by some 5e-7

}  // namespace

TEST_CASE("fused weights are the weights, at odd sizes in every dimension", "[fused][weights]") {
  support::on_every_target([&] {
    support::Bits bits(41);
    Worst worst;
    for (const std::size_t size : {1u, 2u, 3u, 5u, 7u, 37u, 53u, 63u, 65u}) {
      const std::size_t shapes[][4] = {{size, 37, 8, 8}, {37, size, 8, 8}, {9, 70, size, 5}, {9, 70, 5, size}, {size, size, size, size}};
      for (const auto& [n, m, d, width] : shapes) {
        const Four q = random_four(bits, {1, 2, n, d}), k = random_four(bits, {1, 2, m, d}), v = random_four(bits, {1, 2, m, width});
        const auto fused = fused_weights(q, k, v).value();
        const Worst here = difference(q, k, v, fused, nullptr);
        worst = {std::max(worst.output, here.output), std::max(worst.weights, here.weights)};
        const auto without = fused_attention(q, k, v).value();
        CHECK(fused.tiles.full == without.tiles.full);
        for (std::size_t i = 0; i < without.log_normalizer.size(); ++i) CHECK(std::fabs(fused.log_normalizer.data()[i] - without.log_normalizer.data()[i]) < 2e-6f);
      }
    }
    INFO("instructions " << fused_instructions() << ", worst " << worst.output << " and " << worst.weights);
    CHECK(worst.output < bound);
    CHECK(worst.weights < weight_bound);
  });
}

TEST_CASE("fused weights under any mask expression, strange rows among them", "[fused][weights]") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float strange[] = {std::numeric_limits<float>::quiet_NaN(), inf, -inf, 0x1p41f};
  support::on_every_target([&] {
    support::Bits bits(42);
    std::size_t empty = 0;
    for (int trial = 0; trial < 60; ++trial) {
      const MaskSizes sizes{1 + bits.below(2), 1 + bits.below(2), 1 + bits.below(100), 1 + bits.below(200)};
      const MaskExpr expr = support::random_expression(bits, sizes, 3);
      const auto mask = BoundMask::make(expr, sizes);
      if (!mask) continue;
      Four q = random_four(bits, {sizes.batch, sizes.heads, sizes.queries, 6}), k = random_four(bits, {sizes.batch, sizes.heads, sizes.keys, 6});
      const Four v = random_four(bits, {sizes.batch, sizes.heads, sizes.keys, 3});
      if (trial % 3 == 0) q.data()[bits.below(q.size())] = strange[bits.below(4)];
      if (trial % 3 == 1) k.data()[bits.below(k.size())] = strange[bits.below(4)];
      const auto fused = fused_weights(q, k, v, mask.value()).value();
      INFO(fused_instructions() << " " << mask_text(expr) << " " << sizes.queries << "x" << sizes.keys);
      const Worst worst = difference(q, k, v, fused, &mask.value());
      CHECK((worst.output < bound && worst.weights < weight_bound));
      const FusedTiles tiles = fused_attention(q, k, v, mask.value()).value().tiles;
      CHECK((fused.tiles.full == tiles.full && fused.tiles.mixed == tiles.mixed && fused.tiles.empty == tiles.empty));
      for (const float normalizer : fused.log_normalizer) empty += normalizer == -inf ? 1 : 0;
    }
    CHECK(empty > 100);
  });
}

TEST_CASE("a share of the rows, no rows or keys at all, and sizes that are refused", "[fused][weights]") {
  support::Bits bits(43);
  const Four q = random_four(bits, {1, 1, 70, 4}), k = random_four(bits, {1, 1, 90, 4}), v = random_four(bits, {1, 1, 90, 4});
  const auto mask = BoundMask::make(parse_mask("causal & window(30)").value(), {1, 1, 70, 90}).value();
  const auto whole = fused_weights(q, k, v, mask).value();
  Four later = Four::from_shape({1, 1, 38, 4});
  std::copy_n(q.data() + 32 * 4, later.size(), later.data());
  const auto part = fused_weights(later, k, v, mask, {.first = 32, .total = 70}).value();
  for (std::size_t i = 0; i < 38; ++i) {
    for (std::size_t j = 0; j < 90; ++j) CHECK(part.weights(0, 0, i, j) == whole.weights(0, 0, 32 + i, j));
  }
  CHECK(fused_weights(q, random_four(bits, {1, 1, 0, 4}), random_four(bits, {1, 1, 0, 4})).value().weights.size() == 0);
  CHECK(fused_weights(random_four(bits, {1, 1, 0, 4}), k, v).value().output.size() == 0);
  const auto even = fused_weights(random_four(bits, {1, 1, 1, 0}), random_four(bits, {1, 1, 4, 0}), random_four(bits, {1, 1, 4, 1})).value();
  for (const float weight : even.weights) CHECK(weight == 0.25f);
  CHECK(fused_weights(q, k, q).error().param == "values");
  const Four many = Four::from_shape({1, 1, 65536, 0}), values = Four::from_shape({1, 1, 65536, 0});
  CHECK(fused_weights(many, many, values).error().message.starts_with("weights"));
  Four output = Four::from_shape({1, 1, 70, 4}), weights = Four::from_shape({1, 1, 70, 89});
  CHECK(fused_weights_into(view_of(q), view_of(k), view_of(v), {}, {}, view_of(output), view_of(weights), nullptr).error().message ==
        "weights: shape (1, 1, 70, 89); allowed is (1, 1, 70, 90)");
}

TEST_CASE("the weights' kernel writes its rows and nothing else", "[fused][weights]") {
  constexpr float guard = 12345.5f;
  constexpr std::size_t d = 5, width = 3, gap = 2;
  support::on_every_target([&] {
    support::Bits bits(44);
    for (const std::size_t n : {1u, 31u, 33u}) {
      for (const std::size_t m : {1u, 63u, 67u, 128u}) {
        std::vector<float> q(n * d), k(m * d), v(m * width), out((n + 2) * width, guard), weights((n + 2) * (m + gap), guard), scratch(kernels::weights_scratch(m, d, width) + 1, guard);
        for (auto* part : {&q, &k, &v}) {
          for (float& entry : *part) entry = static_cast<float>(bits.real(-1, 1));
        }
        const kernels::Head head{.queries = q.data(), .keys = k.data(), .values = v.data(), .output = out.data() + width, .best = nullptr, .sum = nullptr,
                                 .n = n, .m = m, .d = d, .v = width, .query_stride = d, .key_stride = d, .value_stride = width, .output_stride = width, .scale = 1};
        kernels::TileCounts counts;
        for (std::size_t first = 0; first < n; first += kernels::tile_queries) {
          kernels::weights_tile(head, first, std::min(kernels::tile_queries, n - first), nullptr, weights.data() + (first + 1) * (m + gap), m + gap, scratch.data(), counts);
        }
        CHECK(scratch.back() == guard);
        for (std::size_t i = 0; i < n + 2; ++i) {
          for (std::size_t c = 0; c < width; ++c) CHECK((out[i * width + c] == guard) == (i == 0 || i == n + 1));
          for (std::size_t j = 0; j < m + gap; ++j) CHECK((weights[i * (m + gap) + j] == guard) == (i == 0 || i == n + 1 || j >= m));
        }
      }
    }
  });
}

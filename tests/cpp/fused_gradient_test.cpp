// The backward pass that makes its weights again, against the double one that keeps them and against central differences of the double
// attention: odd shapes in every dimension, every kind of mask, large scores, rows with NaN, infinities and giants; exact zeros behind
// masks; tiles counted as the forward pass counts them; guard words around the kernel's memory; every set of instructions of this machine.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "attn/fused_gradient.hpp"
#include "attn/gradient.hpp"
#include "fused_support.hpp"
#include "kernels/fused_gradient.hpp"
#include "mask_random.hpp"
#include "support.hpp"

using namespace attn;

namespace {

using support::Four, support::random_four, support::head_of;
using Batch = Tensor<double, 3>;

constexpr float nan_ = std::numeric_limits<float>::quiet_NaN();
constexpr float inf_ = std::numeric_limits<float>::infinity();

struct Case {
  Four q, k, v, upstream;

  Case(support::Bits& bits, MaskSizes sizes, std::size_t d, std::size_t width, double size = 2)
      : q(random_four(bits, {sizes.batch, sizes.heads, sizes.queries, d}, size)),
        k(random_four(bits, {sizes.batch, sizes.heads, sizes.keys, d}, size)),
        v(random_four(bits, {sizes.batch, sizes.heads, sizes.keys, width})),
        upstream(random_four(bits, {sizes.batch, sizes.heads, sizes.queries, width})) {}

  [[nodiscard]] FusedGradient gradient(const MaskView& mask = {}) const {
    const auto forward = fused_attention(q, k, v, mask).value();
    return fused_gradient(q, k, v, forward.output, forward.log_normalizer, upstream, mask).value();
  }
};

Mask cells_of(const BoundMask* mask, const MaskSizes& sizes, std::size_t b, std::size_t h) {
  Mask cells = Mask::from_shape({1, sizes.queries, sizes.keys});
  for (std::size_t i = 0; i < sizes.queries; ++i) {
    for (std::size_t j = 0; j < sizes.keys; ++j) cells(0, i, j) = mask == nullptr || mask->allows(b, h, i, j);
  }
  return cells;
}

/// The largest difference of one head's part from the double gradient, in units of the latter's largest entry; NaN and infinities must
/// meet their like.
double apart(const Four& have, const Batch& want, std::size_t b, std::size_t h) {
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < want.shape()[1]; ++i) {
    for (std::size_t c = 0; c < want.shape()[2]; ++c) {
      const double x = static_cast<double>(have(b, h, i, c));
      const double y = want(0, i, c);
      if (!std::isfinite(y) || std::fabs(y) > 3.4e38) {
        REQUIRE((std::isnan(y) ? std::isnan(x) : !std::isfinite(x)));
        continue;
      }
      largest = std::max(largest, std::fabs(y));
      const double difference = std::fabs(x - y);
      worst = difference <= worst ? worst : std::isnan(difference) ? HUGE_VAL : difference;
    }
  }
  // where everything cancels (one key: the softmax has no slope) what is left are roundings of entries of about ten
  return worst / std::max(largest, 0.5);
}

double difference(const Case& one, const FusedGradient& fused, const BoundMask* mask) {
  double worst = 0;
  const auto shape = shape_of(one.q);
  const MaskSizes sizes{shape[0], shape[1], shape[2], shape_of(one.k)[2]};
  for (std::size_t b = 0; b < sizes.batch; ++b) {
    for (std::size_t h = 0; h < sizes.heads; ++h) {
      const Batch q = head_of(one.q, b, h), k = head_of(one.k, b, h), v = head_of(one.v, b, h);
      const Mask cells = cells_of(mask, sizes, b, h);
      const auto forward = dot_product_attention<double>(q, k, v, cells).value();
      const auto exact = attention_vjp(ScaledDot{}, q, k, v, forward, head_of(one.upstream, b, h)).value();
      worst = std::max({worst, apart(fused.queries, exact.queries, b, h), apart(fused.keys, exact.keys, b, h), apart(fused.values, exact.values, b, h)});
    }
  }
  return worst;
}

/// Of the largest entry. A score of about one, of up to 65 terms, is off by some 5e-7, and so in proportion is its weight; the two
/// products summed into a slope cancel by a factor of a few.
constexpr double bound = 5e-6;

constexpr std::size_t odd_sizes[] = {1, 2, 3, 5, 7, 37, 53, 63, 65};

}  // namespace

TEST_CASE("the fused gradient is the gradient, at odd sizes in every dimension", "[fused][gradient]") {
  support::on_every_target([] {
    support::Bits bits(31);
    double worst = 0;
    for (const std::size_t size : odd_sizes) {
      const std::size_t shapes[][4] = {{size, 37, 8, 8}, {37, size, 8, 8}, {9, 70, size, 5}, {9, 70, 5, size}, {size, size, size, size}};
      for (const auto& [n, m, d, width] : shapes) {
        const Case one(bits, {1, 2, n, m}, d, width);
        const auto fused = one.gradient();
        worst = std::max(worst, difference(one, fused, nullptr));
        CHECK(fused.tiles.full == 2 * ((n + 31) / 32) * ((m + 95) / 96));
      }
    }
    INFO("worst " << worst);
    CHECK(worst < bound);
  });
}

TEST_CASE("the fused gradient agrees with central differences of the double attention", "[fused][gradient]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(32);
  const MaskSizes sizes{1, 1, 6, 9};
  const auto mask = BoundMask::make(parse_mask("causal(bottom_right) & window(5,1)").value(), sizes).value();
  const Case one(bits, sizes, 4, 3);
  const auto fused = one.gradient(mask);
  const Mask cells = cells_of(&mask, sizes, 0, 0);
  Batch operands[] = {head_of(one.q, 0, 0), head_of(one.k, 0, 0), head_of(one.v, 0, 0)};
  const Batch upstream = head_of(one.upstream, 0, 0);
  const auto loss = [&] {
    const auto output = dot_product_attention<double>(operands[0], operands[1], operands[2], cells).value().output;
    double sum = 0;
    for (std::size_t i = 0; i < output.size(); ++i) sum += output.data()[i] * upstream.data()[i];
    return sum;
  };
  const Four* gradients[] = {&fused.queries, &fused.keys, &fused.values};
  for (std::size_t which = 0; which < 3; ++which) {
    for (std::size_t i = 0; i < operands[which].size(); ++i) {
      constexpr double step = 0x1p-17;  // truncation and rounding are 1e-10
      double& entry = operands[which].data()[i];
      const double kept = entry;
      entry = kept + step;
      const double above = loss();
      entry = kept - step;
      const double below = loss();
      entry = kept;
      CHECK(std::fabs((above - below) / (2 * step) - static_cast<double>(gradients[which]->data()[i])) < 2 * bound);
    }
  }
}

TEST_CASE("under any mask expression: exact zeros behind it, and the tiles of the forward pass", "[fused][gradient]") {
  std::vector<FusedTiles> counts;  // the same on every target
  support::on_every_target([&] {
    std::size_t counted = 0;
    support::Bits bits(33);
    std::size_t closed = 0;
    std::size_t empty = 0;
    for (int trial = 0; trial < 60; ++trial) {
      const MaskSizes sizes{1 + bits.below(2), 1 + bits.below(2), 1 + bits.below(100), 1 + bits.below(200)};
      const MaskExpr expr = support::random_expression(bits, sizes, 3);
      const auto bound_mask = BoundMask::make(expr, sizes);
      const std::size_t d = 1 + bits.below(20), width = 1 + bits.below(10);
      if (!bound_mask) continue;
      const BoundMask& mask = bound_mask.value();
      Case one(bits, sizes, d, width);
      INFO(mask_text(expr) << " " << sizes.queries << "x" << sizes.keys);
      const auto fused = one.gradient(mask);
      CHECK(difference(one, fused, &mask) < bound);
      const FusedTiles forward = fused_attention(one.q, one.k, one.v, mask).value().tiles;
      CHECK((fused.tiles.full == forward.full && fused.tiles.mixed == forward.mixed && fused.tiles.empty == forward.empty));
      if (counted == counts.size()) counts.push_back(forward);
      const FusedTiles& best = counts[counted++];
      CHECK((best.full == forward.full && best.mixed == forward.mixed && best.empty == forward.empty));

      const Mask cells = cells_of(&mask, sizes, 0, 0);
      bool nothing = false;
      for (std::size_t j = 0; j < sizes.keys; ++j) {
        bool seen = false;
        for (std::size_t i = 0; i < sizes.queries; ++i) seen = seen || cells(0, i, j);
        if (seen) continue;
        ++closed;
        for (std::size_t c = 0; c < d; ++c) CHECK(support::plus_zero(static_cast<double>(fused.keys(0, 0, j, c))));
        for (std::size_t c = 0; c < width; ++c) CHECK(support::plus_zero(static_cast<double>(fused.values(0, 0, j, c))));
        // whatever stands there
        for (std::size_t c = 0; c < d; ++c) one.k(0, 0, j, c) = nan_;
        for (std::size_t c = 0; c < width; ++c) one.v(0, 0, j, c) = inf_;
        nothing = true;
      }
      for (std::size_t i = 0; i < sizes.queries; ++i) {
        bool sees = false;
        for (std::size_t j = 0; j < sizes.keys; ++j) sees = sees || cells(0, i, j);
        if (sees) continue;
        ++empty;
        for (std::size_t c = 0; c < d; ++c) CHECK(fused.queries(0, 0, i, c) == 0);
      }
      if (!nothing) continue;
      const auto spoilt = one.gradient(mask);
      CHECK((spoilt.queries == fused.queries && spoilt.keys == fused.keys && spoilt.values == fused.values));
    }
    CHECK(closed > 100);
    CHECK(empty > 100);
  });
}

TEST_CASE("large scores keep their weights: a log normaliser that a float would blur is made again", "[fused][gradient]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(34);
  for (const double size : {4.0, 10.0, 1e3, 1e9}) {
    const Case one(bits, {1, 1, 40, 90}, 16, 4, size);
    const auto forward = fused_attention(one.q, one.k, one.v).value();
    float largest = 0;
    for (const float entry : forward.log_normalizer) largest = std::max(largest, std::fabs(entry));
    const auto mask = BoundMask::make(parse_mask("causal(bottom_right)").value(), {1, 1, 40, 90}).value();
    INFO("entries up to " << size << ", log normaliser up to " << largest);
    if (size < 1e3) {
      // a score of s is off by some s 2^-22, and so in proportion is its weight
      const double allowed = bound * std::max(1.0, static_cast<double>(largest) / 4);
      CHECK(difference(one, one.gradient(), nullptr) < allowed);
      CHECK(difference(one, one.gradient(mask), &mask) < allowed);
    } else {
      // one-hot: every value's gradient is a sum of whole rows of the upstream gradient
      const auto fused = one.gradient();
      std::vector<double> of_values(4), of_upstream(4);
      for (std::size_t c = 0; c < 4; ++c) {
        for (std::size_t j = 0; j < 90; ++j) of_values[c] += static_cast<double>(fused.values(0, 0, j, c));
        for (std::size_t i = 0; i < 40; ++i) of_upstream[c] += static_cast<double>(one.upstream(0, 0, i, c));
        CHECK(std::fabs(of_values[c] - of_upstream[c]) < 2e-5);
      }
    }
  }
}

TEST_CASE("NaN, infinities and giants reach what they reach in the double gradient", "[fused][gradient]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(35);
  const float strange[] = {nan_, inf_, -inf_, 3e38f, -3e38f, 0x1p31f};
  for (int trial = 0; trial < 150; ++trial) {
    const MaskSizes sizes{1, 1, 1 + bits.below(70), 1 + bits.below(130)};
    const auto mask = BoundMask::make(support::random_expression(bits, sizes, 2), sizes);
    if (!mask) continue;
    Case one(bits, sizes, 3, 2);
    for (std::size_t i = 1 + bits.below(3); i > 0; --i) {
      Four* const which[] = {&one.q, &one.k, &one.v, &one.upstream};
      Four& chosen = *which[bits.below(4)];
      chosen.data()[bits.below(chosen.size())] = strange[bits.below(6)];
    }
    INFO(mask_text(mask.value().expr()) << " trial " << trial);
    CHECK(difference(one, one.gradient(mask.value()), &mask.value()) < bound);
  }
}

TEST_CASE("sums beyond a float on the way to one that is a float", "[fused][gradient]") {
  ATTN_ON_EVERY_TARGET();
  support::Bits bits(38);
  constexpr float giants[] = {3e38f, 3e38f, -3e38f};
  // one key, which weighs 1
  Case values(bits, {1, 1, 3, 1}, 1, 1);
  std::copy_n(giants, 3, values.upstream.data());
  CHECK(values.gradient().values(0, 0, 0, 0) == 3e38f);
  // two keys that weigh 1/2, values of 1 and -1: slopes of 1 and -1. An ordinary query, of the kernel, adds its 1 and is lost in the rounding
  Case keys(bits, {1, 1, 4, 2}, 1, 1);
  std::copy_n(giants, 3, keys.q.data());
  keys.q(0, 0, 3, 0) = 1;
  keys.k.fill(0);
  keys.v(0, 0, 0, 0) = 1;
  keys.v(0, 0, 1, 0) = -1;
  keys.upstream.fill(2);
  const auto gradient = keys.gradient();
  CHECK(gradient.keys(0, 0, 0, 0) == 3e38f);
  CHECK(gradient.keys(0, 0, 1, 0) == -3e38f);
}

TEST_CASE("nothing to attend to, nothing upstream, lengths, and shapes that do not fit", "[fused][gradient]") {
  support::Bits bits(36);
  for (const auto& [n, m, d, width] : {std::array<std::size_t, 4>{3, 0, 4, 2}, {0, 5, 4, 2}, {2, 5, 4, 0}, {0, 0, 0, 0}}) {
    const auto fused = Case(bits, {1, 1, n, m}, d, width).gradient();
    for (const Four* part : {&fused.queries, &fused.keys, &fused.values}) {
      for (const float entry : *part) CHECK(entry == 0);
    }
  }
  const Case flat(bits, {1, 1, 2, 4}, 0, 1);  // no width: scores of 0, a weight of 1/4 each
  const auto even = flat.gradient();
  for (const float entry : even.values) CHECK(std::fabs(entry - (flat.upstream(0, 0, 0, 0) + flat.upstream(0, 0, 1, 0)) / 4) < 1e-6f);

  const Case one(bits, {2, 2, 33, 70}, 5, 4);
  const auto lens = ValidLens::per_sequence({65, 0}).value();
  const auto mask = BoundMask::make(parse_mask("padding(65,0)").value(), {2, 2, 33, 70}).value();
  CHECK(one.gradient(lens).keys == one.gradient(mask).keys);
  const Mask cells = padding_mask(lens, 70).value();
  CHECK(one.gradient(lens).keys == one.gradient(cells).keys);

  const auto forward = fused_attention(one.q, one.k, one.v).value();
  const auto refused = [&](const Four& output, const Tensor<float, 3>& normalizer, const Four& upstream) {
    return fused_gradient(one.q, one.k, one.v, output, normalizer, upstream).error();
  };
  const Four narrow = random_four(bits, {2, 2, 33, 3});
  CHECK(refused(narrow, forward.log_normalizer, one.upstream).message == "output: shape (2, 2, 33, 3); allowed is (2, 2, 33, 4)");
  CHECK(refused(forward.output, Tensor<float, 3>::from_shape({2, 2, 3}), one.upstream).param == "log_normalizer");
  CHECK(refused(forward.output, forward.log_normalizer, narrow).param == "upstream");
  CHECK(fused_gradient(one.q, one.v, one.v, forward.output, forward.log_normalizer, one.upstream).error().param == "keys");
  const auto too_few = ValidLens::per_sequence({1}).value();
  CHECK_FALSE(fused_gradient(one.q, one.k, one.v, forward.output, forward.log_normalizer, one.upstream, too_few).ok());
}

TEST_CASE("the gradient's kernel writes its gradients and nothing else", "[fused][gradient]") {
  support::on_every_target([] {
    support::Bits bits(37);
    constexpr float guard = 12345.5f;
    const auto filled = [&](std::size_t entries) {
      std::vector<float> made(entries + 64, nan_);  // who reads beyond the end makes NaN
      for (std::size_t i = 32; i < entries + 32; ++i) made[i] = static_cast<float>(bits.real(-1, 1));
      return made;
    };
    for (const std::size_t n : {1u, 31u, 33u}) {
      for (const std::size_t width : {1u, 3u, 37u, 64u}) {
        constexpr std::size_t m = 67, d = 5;
        const auto q = filled(n * d), k = filled(m * d), v = filled(m * width), upstream = filled(n * width), base = filled(n), share = filled(n), along = filled(n);
        std::vector<float> dq(n * d + 64, guard), dk(m * d + 64, guard), dv(m * width + 64, guard), scratch(kernels::gradient_scratch(d, width) + 1, guard);
        const kernels::GradientHead head{.queries = q.data() + 32, .keys = k.data() + 32, .values = v.data() + 32, .upstream = upstream.data() + 32,
                                         .base = base.data() + 32, .share = share.data() + 32, .along = along.data() + 32,
                                         .query_gradient = dq.data() + 32, .key_gradient = dk.data() + 32, .value_gradient = dv.data() + 32,
                                         .n = n, .m = m, .d = d, .v = width, .scale = 1};
        std::fill_n(dk.begin() + 32, m * d, 0.0f);  // added to
        std::fill_n(dv.begin() + 32, m * width, 0.0f);
        kernels::TileCounts counts;
        for (std::size_t first = 0; first < n; first += kernels::tile_queries) {
          kernels::gradient_tile(head, first, std::min(kernels::tile_queries, n - first), nullptr, scratch.data(), counts);
        }
        CHECK(scratch.back() == guard);
        for (const auto* part : {&dq, &dk, &dv}) {
          for (std::size_t i = 0; i < part->size(); ++i) {
            const bool inside = i >= 32 && i < part->size() - 32;
            CHECK(((*part)[i] == guard) == !inside);
            if (inside) CHECK(std::isfinite((*part)[i]));
          }
        }
      }
    }
  });
}

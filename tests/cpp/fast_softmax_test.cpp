// Fast softmax against the double softmax of softmax.hpp: odd lengths, every kind of mask, strange scores, in place and not, and guard
// words around a row.
#include "attn/fast_softmax.hpp"

#include <cmath>
#include <vector>

#include "attn/softmax.hpp"
#include "fast_support.hpp"
#include "mask_random.hpp"

using namespace attn;
using support::infinity;
using support::not_a_number;

namespace {

/// Weights are at most one: three units in the last place of it, for exponent, sum and quotient.
constexpr double bound = 3 * 0x1p-23;

double difference(const Tensor<float, 3>& have, const Tensor<float, 3>& want) {
  REQUIRE(shape_of(have) == shape_of(want));
  double worst = 0;
  for (std::size_t i = 0; i < have.size(); ++i) {
    const double a = static_cast<double>(have.data()[i]), b = static_cast<double>(want.data()[i]);
    if (std::isnan(b) || b == 0) {
      // what weighs nothing is +0, unless it only underflows
      INFO(i << ": " << a << " for " << b);
      REQUIRE((std::isnan(b) ? std::isnan(a) : a >= 0 && a < 1e-37 && !std::signbit(a)));
    } else {
      worst = std::max(worst, std::fabs(a - b));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("fast softmax is softmax at odd lengths and sizes", "[fast][fast_softmax]") {
  support::on_every_target([] {
    support::Bits bits(31);
    for (const std::size_t m : support::odd_sizes) {
      for (const double size : {1e-3, 3.0, 80.0, 1e30}) {
        const auto scores = support::random_floats<3>(bits, {2, 3, m}, size);
        CHECK(difference(fast_masked_softmax(scores).value(), masked_softmax(scores).value()) < bound);
      }
    }
    const auto scores = support::random_floats<3>(bits, {1, 2, 5000}, 4);
    CHECK(difference(fast_masked_softmax(scores).value(), masked_softmax(scores).value()) < bound);
  });
}

TEST_CASE("fast softmax keeps its precision over many keys: one sink, and one key beside many small ones", "[fast][fast_softmax]") {
  support::on_every_target([] {
    support::Bits bits(35);
    for (const std::size_t m : {37U, 1000U, 20011U, 300000U}) {
      for (const double low : {-3.0, -12.0, -16.7, -18.0}) {
        for (const double jitter : {0.0, 1.0}) {
          Tensor<float, 3> scores = Tensor<float, 3>::from_shape({1, 1, m});
          for (float& score : scores) score = static_cast<float>(low + bits.real(-jitter, jitter));
          scores(0, 0, m / 3) = 0;
          const auto have = fast_masked_softmax(scores).value();
          const auto want = masked_softmax(scores).value();
          double worst = 0, sum = 0;
          for (std::size_t j = 0; j < m; ++j) {
            const double weight = static_cast<double>(want(0, 0, j));
            sum += static_cast<double>(have(0, 0, j));
            worst = std::max(worst, std::fabs(static_cast<double>(have(0, 0, j)) - weight) / weight / (2 - static_cast<double>(scores(0, 0, j))));
          }
          CAPTURE(m, low, jitter, worst);
          CHECK(worst < 0x1p-22);  // the header's bound
          CHECK(std::fabs(sum - 1) < 1e-6);
        }
      }
    }
  });
}

TEST_CASE("fast softmax under lengths, cells and expressions, with NaN and infinities anywhere", "[fast][fast_softmax]") {
  support::on_every_target([] {
    support::Bits bits(32);
    std::size_t strange = 0;
    for (int trial = 0; trial < 80; ++trial) {
      const std::size_t n = 1 + bits.below(12), m = 1 + bits.below(90);
      auto scores = support::random_floats<3>(bits, {2, n, m}, 5);
      constexpr float odd[] = {not_a_number, infinity, -infinity, 3.4e38f, -3.4e38f};
      for (std::size_t i = bits.below(4); i > 0; --i, ++strange) scores.data()[bits.below(scores.size())] = odd[bits.below(5)];
      const MaskSizes sizes{2, 1, n, m};
      const MaskExpr expr = support::random_expression(bits, sizes, 3);
      const auto mask = BoundMask::make(expr, sizes);
      if (!mask) continue;
      INFO(mask_text(expr) << " on " << n << "x" << m);
      const auto want = masked_softmax(scores, mask.value()).value();
      CHECK(difference(fast_masked_softmax(scores, mask.value()).value(), want) < bound);
      auto in_place = scores;
      const std::array<std::size_t, 4> shape{2, 1, n, m};
      CHECK_FALSE(fast_masked_softmax_into({in_place.data(), shape}, mask.value(), {in_place.data(), shape}));
      CHECK(difference(in_place, want) < bound);
      Mask cells = Mask::from_shape({2, n, m});
      for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < m; ++j) cells(b, i, j) = mask.value().allows(b, 0, i, j);
        }
      }
      CHECK(difference(fast_masked_softmax(scores, cells).value(), want) < bound);
      const auto lens = ValidLens::per_sequence({static_cast<double>(bits.below(m + 1)), static_cast<double>(bits.below(m + 1))}).value();
      CHECK(difference(fast_masked_softmax(scores, lens).value(), masked_softmax(scores, lens).value()) < bound);
    }
    CHECK(strange > 50);
  });
}

TEST_CASE("fast softmax of nothing, and what does not fit", "[fast][fast_softmax]") {
  support::Bits bits(33);
  CHECK(fast_masked_softmax(support::random_floats<3>(bits, {2, 3, 0}, 1)).value().size() == 0);
  CHECK(fast_masked_softmax(support::random_floats<3>(bits, {0, 3, 4}, 1)).value().size() == 0);
  const auto scores = support::random_floats<3>(bits, {2, 3, 4}, 1);
  const auto lens = ValidLens::per_sequence({1, 2, 3}).value();
  CHECK(fast_masked_softmax(scores, lens).error().code == ErrorCode::wrong_shape);
  const auto mask = BoundMask::make(MaskExpr::all(), {2, 1, 3, 5}).value();
  CHECK(fast_masked_softmax(scores, mask).error().param == "mask");
  std::vector<float> room(24);
  CHECK(fast_masked_softmax_into({scores.data(), {2, 1, 3, 4}}, {}, {room.data(), {2, 1, 4, 3}})->message == "output: shape (2, 1, 4, 3); allowed is (2, 1, 3, 4)");
}

TEST_CASE("the softmax kernel writes its row and reads nothing else", "[fast][fast_softmax]") {
  support::on_every_target([] {
    support::Bits bits(34);
    for (std::size_t m = 0; m < 70; ++m) {
      const std::size_t total = m + m % 11;
      std::vector<float> in(m + 2, not_a_number), out(total + 2, 12345.5f);
      for (std::size_t j = 1; j <= m; ++j) in[j] = static_cast<float>(bits.real(-3, 3));
      REQUIRE(kernels::fast_kernels().softmax(in.data() + 1, out.data() + 1, m, total));
      REQUIRE((out.front() == 12345.5f && out.back() == 12345.5f));
      double sum = 0;
      for (std::size_t j = m + 1; j <= total; ++j) REQUIRE(out[j] == 0);
      for (std::size_t j = 1; j <= m; ++j) sum += static_cast<double>(out[j]);
      REQUIRE((m == 0 || std::fabs(sum - 1) < 1e-6));
    }
  });
}

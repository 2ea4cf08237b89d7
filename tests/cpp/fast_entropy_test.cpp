// Fast entropies against the double ones of entropy.hpp: odd shapes, the study's widths, queries with keys of their own, rows that are
// nearly one-hot, and rows with NaN, infinities and giants.
#include "attn/fast_entropy.hpp"

#include <cmath>
#include <vector>

#include "attn/entropy.hpp"
#include "attn/score.hpp"
#include "attn/softmax.hpp"
#include "fast_support.hpp"

using namespace attn;
using support::infinity;
using support::not_a_number;

namespace {

struct Errors {
  double scaled = 0;
  double unscaled = 0;
  double mean = 0;  ///< of the mean over all rows, the larger of both forms
};

Errors errors(const Tensor<float, 3>& q, const Tensor<float, 3>& k) {
  const auto fast = fast_entropies(q, k);
  REQUIRE(fast.ok());
  double mean = 0;
  const auto worst = [&](const ScoreRule& rule, const Tensor<double, 2>& have) {
    const auto want = entropy(masked_softmax(scores(rule, support::widened(q), support::widened(k)).value()).value());
    REQUIRE(shape_of(have) == shape_of(want));
    double largest = 0, sum = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      const double a = have.data()[i], b = want.data()[i];
      if (std::isnan(b)) {
        REQUIRE(std::isnan(a));
      } else {
        largest = std::max(largest, std::fabs(a - b));
        sum += a - b;
      }
    }
    mean = std::max(mean, std::fabs(sum) / static_cast<double>(want.size()));
    return largest;
  };
  const double scaled = worst(ScaledDot{}, fast.value().scaled), unscaled = worst(Dot{}, fast.value().unscaled);
  return {scaled, unscaled, mean};
}

Tensor<float, 3> normals(support::Bits& bits, const std::array<std::size_t, 3>& shape) {
  Tensor<float, 3> made = Tensor<float, 3>::from_shape(shape);
  for (float& entry : made) {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += bits.real(-0.5, 0.5);  // of variance one
    entry = static_cast<float>(sum);
  }
  return made;
}

}  // namespace

TEST_CASE("fast entropies at odd shapes", "[fast][fast_entropy]") {
  support::on_every_target([] {
    support::Bits bits(61);
    Errors worst;
    for (const std::size_t size : support::odd_sizes) {
      const std::size_t shapes[][3] = {{size, 9, 6}, {5, size, 7}, {6, 11, size}, {size, size, size}};
      for (const auto& [n, m, d] : shapes) {
        const Errors here = errors(support::random_floats<3>(bits, {2, n, d}, 1), support::random_floats<3>(bits, {2, m, d}, 1));
        worst = {std::max(worst.scaled, here.scaled), std::max(worst.unscaled, here.unscaled), 0};
      }
    }
    UNSCOPED_INFO("worst " << worst.scaled << ", " << worst.unscaled);
    CHECK((worst.scaled < 1e-6 && worst.unscaled < 2e-6));
  });
}

TEST_CASE("fast entropies of the study: 256 queries, 64 keys, every width", "[fast][fast_entropy]") {
  support::on_every_target([] {
    support::Bits bits(62);
    for (std::size_t d = 4; d <= 512; d *= 2) {
      const auto q = normals(bits, {1, 256, d}), k = normals(bits, {1, 64, d});
      const Errors here = errors(q, k);
      INFO("d " << d << ": scaled " << here.scaled << ", unscaled " << here.unscaled);
      // over 2048 rows an error is 1e-7 in the root mean square and 1e-6 at most, that of scores of about 20 in float being 1e-6
      CHECK(here.scaled < 1.5e-6);
      CHECK(here.unscaled < 1.5e-6);
      CHECK(here.mean < 2e-7);
    }
    CHECK(errors(normals(bits, {40, 1, 32}), normals(bits, {40, 64, 32})).unscaled < 2e-6);  // each query with keys of its own
  });
}

TEST_CASE("two giants share a row whatever the number of queries", "[fast][fast_entropy]") {
  support::on_every_target([] {
    for (const std::size_t n : {1U, 2U, 3U, 4U, 16U}) {
      for (const float giant : {1e3f, 1e9f, 1e15f, 1.4e19f, 1e20f, 1e30f}) {
        Tensor<float, 3> q = Tensor<float, 3>::from_shape({1, n, 1}), k = Tensor<float, 3>::from_shape({1, 3, 1});
        q.fill(giant);
        k(0, 0, 0) = k(0, 1, 0) = giant;
        k(0, 2, 0) = -giant;
        const auto found = fast_entropies(q, k).value();
        CAPTURE(n, giant);
        for (std::size_t i = 0; i < n; ++i) {
          CHECK(std::fabs(found.scaled(0, i) - std::log(2.0)) < 1e-7);
          CHECK(std::fabs(found.unscaled(0, i) - std::log(2.0)) < 1e-7);
        }
      }
    }
  });
}

TEST_CASE("fast entropies of rows that are nearly one-hot, and of strange ones", "[fast][fast_entropy]") {
  support::on_every_target([] {
    // one score of t above 20 of zero: H = ln(1 + 20 e^-t) + 20 t e^-t / (1 + 20 e^-t), which float sums would lose from t = 17 on
    for (const double t : {1.0, 5.0, 10.0, 20.0, 30.0}) {
      Tensor<float, 3> q = xt::ones<float>({1, 1, 1}), k = xt::zeros<float>({1, 21, 1});
      k(0, 4, 0) = static_cast<float>(t);
      const double rest = 20 * std::exp(-t);
      const double want = std::log1p(rest) + t * rest / (1 + rest);
      CHECK(std::fabs(fast_entropies(q, k).value().unscaled(0, 0) - want) < 1e-6 * want + 4e-15);  // the one of the sum leaves 2^-52 of what stands beside it, t of it in the second term
    }
    support::Bits bits(63);
    constexpr float odd[] = {not_a_number, infinity, -infinity, 3.4e38f, -3.4e38f};
    for (int trial = 0; trial < 30; ++trial) {
      auto q = support::random_floats<3>(bits, {1, 20, 3}, 1), k = support::random_floats<3>(bits, {1, 9, 3}, 1);
      q.data()[bits.below(q.size())] = odd[bits.below(5)];
      if (trial % 2 == 0) k.data()[bits.below(k.size())] = odd[bits.below(5)];
      const Errors here = errors(q, k);
      CHECK((here.scaled < 2e-6 && here.unscaled < 2e-6));
    }
  });
}

TEST_CASE("fast entropies of nothing, and shapes that do not fit", "[fast][fast_entropy]") {
  support::Bits bits(64);
  const auto tensor = [&](std::size_t x, std::size_t y, std::size_t z) { return support::random_floats<3>(bits, {x, y, z}, 1); };
  const auto none = fast_entropies(tensor(2, 3, 4), tensor(2, 0, 4)).value();
  for (const double entry : none.scaled) CHECK(entry == 0);
  const auto even = fast_entropies(tensor(1, 3, 0), tensor(1, 8, 0)).value();
  for (const double entry : even.unscaled) CHECK(std::fabs(entry - std::log(8.0)) < 1e-15);
  CHECK(fast_entropies(tensor(2, 0, 4), tensor(2, 5, 4)).value().scaled.size() == 0);
  CHECK(fast_entropies(tensor(2, 3, 4), tensor(2, 5, 6)).error().message == "keys: shape (2, 5, 6) does not fit queries of shape (2, 3, 4); axis 2 is 6, allowed is 4");
  CHECK(fast_entropies(tensor(2, 3, 4), tensor(1, 5, 4)).error().param == "keys");
}

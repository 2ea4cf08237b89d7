// Fast additive scores against the double ones of score.hpp: odd shapes, and arguments of every size, alone and mixed: tiny, ordinary,
// large and opposite, where a wrong form would lose digits; NaN and infinities; guard words around the kernel's panel.
#include "attn/fast_additive.hpp"

#include <cmath>
#include <vector>

#include "attn/math.hpp"
#include "fast_support.hpp"

using namespace attn;
using support::infinity;
using support::not_a_number;

namespace {

struct Errors {
  double absolute = 0;  ///< in units of sum |w|
  double relative = 0;  ///< in units of sum |w| (|q| + |k|), where all of both are at most 1/2
};

/// The readable form in double is the oracle; what is not finite must be met exactly.
Errors errors(const Tensor<float, 3>& q, const Tensor<float, 3>& k, const Tensor<float, 1>& w) {
  const auto fast = fast_additive_scores(q, k, w);
  REQUIRE(fast.ok());
  const auto [batch, n, h] = shape_of(q);
  Errors worst;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < shape_of(k)[1]; ++j) {
        double want = 0, weight = 1e-300, size = 1e-300, largest = 0;
        for (std::size_t c = 0; c < h; ++c) {
          const double x = static_cast<double>(q(b, i, c)), y = static_cast<double>(k(b, j, c)), v = static_cast<double>(w(c));
          want += v * math::tanh(x + y);
          weight += std::fabs(v);
          size += std::fabs(v) * (std::fabs(x) + std::fabs(y));
          largest = std::max({largest, std::fabs(x), std::fabs(y)});
        }
        const double have = static_cast<double>(fast.value()(b, i, j));
        if (!std::isfinite(want)) {
          REQUIRE((std::isnan(want) ? std::isnan(have) : have == want));
          continue;
        }
        REQUIRE(std::isfinite(have));
        worst.absolute = std::max(worst.absolute, std::fabs(have - want) / weight);
        if (largest <= 0.5) worst.relative = std::max(worst.relative, std::fabs(have - want) / size);
      }
    }
  }
  return worst;
}

/// What attn/fast_additive.hpp promises.
constexpr double bound = 4e-7;

}  // namespace

TEST_CASE("fast additive scores at odd shapes", "[fast][fast_additive]") {
  support::on_every_target([] {
    support::Bits bits(51);
    Errors worst;
    for (const std::size_t size : support::odd_sizes) {
      const std::size_t shapes[][3] = {{size, 9, 6}, {5, size, 7}, {6, 11, size}, {size, size, 3}};
      for (const auto& [n, m, h] : shapes) {
        for (const double scale : {0.3, 3.0}) {
          const Errors here = errors(support::random_floats<3>(bits, {2, n, h}, scale), support::random_floats<3>(bits, {2, m, h}, scale), support::random_floats<1>(bits, {h}, 1));
          worst = {std::max(worst.absolute, here.absolute), std::max(worst.relative, here.relative)};
        }
      }
    }
    UNSCOPED_INFO("worst " << worst.absolute << ", " << worst.relative);
    CHECK(worst.absolute < bound);
    CHECK(worst.relative < bound);
  });
}

TEST_CASE("fast additive scores keep their digits whatever the size of the arguments", "[fast][fast_additive]") {
  support::on_every_target([] {
    support::Bits bits(52);
    // one hidden unit leaves nothing to average over; opposite arguments nearly cancel
    const auto opposite = [&](double size, double apart) {
      Tensor<float, 3> q = support::random_floats<3>(bits, {1, 60, 1}, size), k = Tensor<float, 3>::from_shape({1, 60, 1});
      for (std::size_t i = 0; i < 60; ++i) k(0, i, 0) = -q(0, i, 0) * static_cast<float>(1 + bits.real(-apart, apart));
      const Tensor<float, 1> one = xt::ones<float>({1});
      return errors(q, k, one);
    };
    for (const double size : {1e-30, 1e-12, 1e-6, 1e-3, 0.1, 0.5}) {
      for (const double apart : {1e-6, 1e-2, 1.0}) {
        const Errors here = opposite(size, apart);
        INFO(size << " " << apart << ": " << here.absolute << ", " << here.relative);
        CHECK(here.relative < bound);
      }
    }
    for (const double size : {0.6, 2.0, 5.0, 9.99, 10.5, 40.0, 90.0, 1e4, 1e30}) {
      for (const double apart : {1e-6, 1e-2, 1.0}) {
        const Errors here = opposite(size, apart);
        INFO(size << " " << apart << ": " << here.absolute);
        CHECK(here.absolute < bound);
      }
    }
    // rows of every size in one example: the tiny keep their digits beside the large
    auto q = support::random_floats<3>(bits, {1, 50, 5}, 1), k = support::random_floats<3>(bits, {1, 70, 5}, 1);
    constexpr float sizes[] = {1e-9f, 0.4f, 4.0f, 30.0f};
    for (std::size_t i = 0; i < 50; ++i) xt::view(q, 0, i) *= sizes[bits.below(4)];
    for (std::size_t j = 0; j < 70; ++j) xt::view(k, 0, j) *= sizes[bits.below(4)];
    const Errors mixed = errors(q, k, support::random_floats<1>(bits, {5}, 1));
    UNSCOPED_INFO("mixed " << mixed.absolute << ", " << mixed.relative);
    CHECK((mixed.absolute < bound && mixed.relative < bound));
  });
}

TEST_CASE("fast additive scores of NaN, infinities and giants", "[fast][fast_additive]") {
  support::on_every_target([] {
    support::Bits bits(53);
    constexpr float odd[] = {not_a_number, infinity, -infinity, 3.4e38f, -3.4e38f};
    for (int trial = 0; trial < 40; ++trial) {
      auto q = support::random_floats<3>(bits, {1, 6, 3}, 1), k = support::random_floats<3>(bits, {1, 21, 3}, 1);
      auto w = support::random_floats<1>(bits, {3}, 1);
      for (int i = 0; i < 2; ++i) q.data()[bits.below(q.size())] = odd[bits.below(5)];
      for (int i = 0; i < 2; ++i) k.data()[bits.below(k.size())] = odd[bits.below(5)];
      if (trial % 4 == 0) w(bits.below(3)) = odd[bits.below(3)];
      CHECK(errors(q, k, w).absolute < bound);
    }
    auto w = support::random_floats<1>(bits, {3}, 1);
    w(1) = 1e35f;
    CHECK(errors(support::random_floats<3>(bits, {1, 6, 3}, 9), support::random_floats<3>(bits, {1, 21, 3}, 9), w).absolute < bound);
  });
}

TEST_CASE("a giant weight takes no digits from small arguments, and an infinite one means what it means", "[fast][fast_additive]") {
  support::on_every_target([] {
    support::Bits bits(55);
    const auto one = [](float q, float k, float w) {
      Tensor<float, 3> queries = Tensor<float, 3>::from_shape({1, 1, 1}), keys = queries;
      queries(0, 0, 0) = q;
      keys(0, 0, 0) = k;
      return fast_additive_scores(queries, keys, Tensor<float, 1>(xt::ones<float>({1}) * w)).value()(0, 0, 0);
    };
    CHECK(std::fabs(static_cast<double>(one(1e-8f, 0, 0x1p41f)) - 0x1p41 * static_cast<double>(1e-8f)) < 1e-2);
    CHECK(one(1e-8f, 0, infinity) == infinity);
    CHECK(one(-1e-8f, 0, infinity) == -infinity);
    CHECK(std::isnan(one(0, 0, infinity)));
    CHECK(std::isnan(one(1, 0, not_a_number)));
    CHECK(one(1, 0, 3.4e38f) < 3e38f);
    // beside weights of about one, of which both bounds are then units
    for (const float giant : {0x1p41f, -1e20f, 3.3e38f}) {
      for (const double size : {1e-9, 0.4, 8.0, 50.0}) {
        auto w = support::random_floats<1>(bits, {5}, 1);
        w(bits.below(5)) = giant;
        const Errors here = errors(support::random_floats<3>(bits, {2, 7, 5}, size), support::random_floats<3>(bits, {2, 20, 5}, size), w);
        INFO(giant << " " << size << ": " << here.absolute << ", " << here.relative);
        CHECK((here.absolute < bound && here.relative < bound));
      }
    }
    // a giant whose arguments are 0 adds nothing, and the tiny rest keeps its digits
    auto q = support::random_floats<3>(bits, {1, 5, 4}, 1e-12), k = support::random_floats<3>(bits, {1, 40, 4}, 1e-12);
    xt::view(q, xt::all(), xt::all(), 2) = 0.0f;
    xt::view(k, xt::all(), xt::all(), 2) = 0.0f;
    auto w = support::random_floats<1>(bits, {4}, 1);
    w(2) = 3e38f;
    CHECK(errors(q, k, w).relative < bound);
  });
}

TEST_CASE("fast additive scores of nothing, and shapes that do not fit", "[fast][fast_additive]") {
  support::Bits bits(54);
  const auto tensor = [&](std::size_t x, std::size_t y, std::size_t z) { return support::random_floats<3>(bits, {x, y, z}, 1); };
  const auto vector = [&](std::size_t h) { return support::random_floats<1>(bits, {h}, 1); };
  const auto zeros = fast_additive_scores(tensor(2, 3, 0), tensor(2, 4, 0), vector(0)).value();
  CHECK(zeros.size() == 24);
  for (const float entry : zeros) CHECK(entry == 0);
  CHECK(fast_additive_scores(tensor(2, 0, 5), tensor(2, 4, 5), vector(5)).value().size() == 0);
  CHECK(fast_additive_scores(tensor(2, 3, 5), tensor(2, 0, 5), vector(5)).value().size() == 0);
  CHECK(fast_additive_scores(tensor(2, 3, 5), tensor(2, 4, 6), vector(5)).error().message == "keys: shape (2, 4, 6) does not fit queries of shape (2, 3, 5); axis 2 is 6, allowed is 5");
  CHECK(fast_additive_scores(tensor(2, 3, 5), tensor(1, 4, 5), vector(5)).error().param == "keys");
  CHECK(fast_additive_scores(tensor(2, 3, 5), tensor(2, 4, 5), vector(4)).error().param == "w");
  const std::size_t many = std::size_t{1} << 18;
  CHECK(fast_additive_scores(tensor(1, many, 0), tensor(1, many, 0), vector(0)).error().code == ErrorCode::too_large);
}

TEST_CASE("the additive kernel writes its panel and reads nothing else", "[fast][fast_additive]") {
  support::on_every_target([] {
    const kernels::FastKernels& fast = kernels::fast_kernels();
    constexpr float guard = 12345.5f;
    for (const auto form : {kernels::AdditiveForm::tangents, kernels::AdditiveForm::exponentials, kernels::AdditiveForm::sums}) {
      for (std::size_t rows = 1; rows < 7; ++rows) {
        const std::size_t floats = 2 * kernels::additive_floats(form);
        std::vector<float> q(rows * floats + 2, not_a_number), k(floats * fast.panel + 2, not_a_number), w(4, not_a_number), out(rows * fast.panel + 2, guard);
        std::fill(q.begin() + 1, q.end() - 1, 0.25f);
        std::fill(k.begin() + 1, k.end() - 1, 0.5f);
        w[1] = w[2] = 1;
        const float start = 0;
        std::vector<const float*> in_rows;
        std::vector<float*> out_rows;
        for (std::size_t i = 0; i < rows; ++i) {
          in_rows.push_back(q.data() + 1 + i * floats);
          out_rows.push_back(out.data() + 1 + i * fast.panel);
        }
        fast.additive(form, {.queries = in_rows.data(), .out = out_rows.data(), .keys = k.data() + 1, .w = w.data() + 1, .starts = &start, .rows = rows, .hidden = 2});
        CHECK((out.front() == guard && out.back() == guard));
        for (std::size_t i = 1; i + 1 < out.size(); ++i) REQUIRE((std::isfinite(out[i]) && out[i] > 0.5f && out[i] < 2));
      }
    }
  });
}

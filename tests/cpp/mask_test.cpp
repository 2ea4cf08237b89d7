// Masks: lengths refused by entry, padding, causality, the AND by broadcasting against a plain loop, empty rows.
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <limits>

#include "attn/mask.hpp"
#include "support.hpp"

using namespace attn;

namespace {

using Shape = std::array<std::size_t, 3>;

Mask random_mask(support::Bits& bits, const Shape& shape) {
  auto mask = Mask::from_shape({shape[0], shape[1], shape[2]});
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = bits.below(3) > 0;
  return mask;
}

}  // namespace

TEST_CASE("valid lengths are whole, not negative, and fill their shape", "[mask][errors]") {
  const std::array<std::size_t, 1> two{2};
  const std::array<std::size_t, 2> two_by_two{2, 2};
  const auto refused = [](std::vector<double> values, std::span<const std::size_t> shape, ErrorCode code, const std::string& message) {
    const auto lens = ValidLens::make(values, shape);
    REQUIRE_FALSE(lens.ok());
    CHECK(lens.error().code == code);
    CHECK(lens.error().param == "valid_lens");
    CHECK(lens.error().message == message);
  };
  refused({2, -1}, two, ErrorCode::out_of_range, "valid_lens[1] is -1; allowed are integers from 0 to the number of keys");
  refused({2.5, 1}, two, ErrorCode::not_an_integer, "valid_lens[0] is 2.5; allowed are integers from 0 to the number of keys");
  refused({1, 2, std::numeric_limits<double>::quiet_NaN(), 1}, two_by_two, ErrorCode::not_an_integer,
          "valid_lens[1][0] is NaN; allowed are integers from 0 to the number of keys");
  refused({std::numeric_limits<double>::infinity(), 1}, two, ErrorCode::not_an_integer,
          "valid_lens[0] is Infinity; allowed are integers from 0 to the number of keys");
  refused({4294967301.0, 1}, two, ErrorCode::out_of_range, "valid_lens[0] is 4294967301; allowed are integers from 0 to the number of keys");
  refused({1}, two, ErrorCode::wrong_shape, "valid_lens has 1 values; shape (2,) takes 2");
  refused({1, 1}, Shape{2, 1, 1}, ErrorCode::wrong_shape,
          "valid_lens has shape (2, 1, 1) of 3 axes; allowed are (batch,) and (batch, queries)");
}

TEST_CASE("with the keys known, messages name the caller's argument and the range in numbers", "[mask][errors]") {
  const std::array<std::size_t, 1> two{2};
  for (const double bad : {-1.0, 1.5, 5.0}) {
    const auto lens = ValidLens::make(std::vector<double>{1, bad}, two, {"lens", 4});
    REQUIRE_FALSE(lens.ok());
    CHECK(lens.error().param == "lens");
    CHECK(lens.error().message.starts_with("lens[1] is "));
    CHECK(lens.error().message.ends_with("; allowed are integers from 0 to 4, the number of keys"));
  }
  CHECK(ValidLens::make(std::vector<double>{0, 4}, two, {"lens", 4}).ok());
}

TEST_CASE("padding keeps the keys before each length, on its own axes", "[mask]") {
  const auto per_sequence = padding_mask(ValidLens::per_sequence({3, 0}).value(), 4).value();
  CHECK(shape_of(per_sequence) == Shape{2, 1, 4});
  CHECK(per_sequence == Mask{{{true, true, true, false}}, {{false, false, false, false}}});
  const auto lens = ValidLens::make(std::vector<double>{1, 2}, std::array<std::size_t, 2>{1, 2}).value();
  CHECK(padding_mask(lens, 2).value() == Mask{{{true, false}, {true, true}}});
  CHECK(padding_mask(ValidLens::per_sequence({5}).value(), 4).error().code == ErrorCode::out_of_range);
}

TEST_CASE("the causal mask is lower triangular, top left when queries and keys differ", "[mask]") {
  CHECK(causal_mask(3, 3).value() == Mask{{{true, false, false}, {true, true, false}, {true, true, true}}});
  CHECK(causal_mask(2, 3).value() == Mask{{{true, false, false}, {true, true, false}}});
  CHECK(causal_mask(3, 2).value() == Mask{{{true, false}, {true, true}, {true, true}}});
  CHECK(causal_mask(std::size_t{1} << 31, std::size_t{1} << 31).error().code == ErrorCode::too_large);
}

TEST_CASE("AND by broadcasting equals a loop over the full shape, in any order", "[mask]") {
  support::Bits bits(21);
  for (int trial = 0; trial < 200; ++trial) {
    const Shape full{1 + bits.below(3), 1 + bits.below(4), 1 + bits.below(5)};
    std::vector<Mask> masks;
    const std::size_t count = 1 + bits.below(4);
    for (std::size_t m = 0; m < count; ++m) {
      Shape shape = full;
      for (std::size_t& size : shape) size = bits.below(2) == 0 ? 1 : size;
      masks.push_back(random_mask(bits, shape));
    }
    const Mask composed = compose_masks(masks).value();
    const Shape shape = shape_of(composed);
    for (std::size_t b = 0; b < shape[0]; ++b) {
      for (std::size_t q = 0; q < shape[1]; ++q) {
        for (std::size_t k = 0; k < shape[2]; ++k) {
          bool all = true;
          for (const Mask& mask : masks) {
            const Shape own = shape_of(mask);
            all = all && mask(own[0] == 1 ? 0 : b, own[1] == 1 ? 0 : q, own[2] == 1 ? 0 : k);
          }
          REQUIRE(composed(b, q, k) == all);
        }
      }
    }
    std::reverse(masks.begin(), masks.end());
    REQUIRE(compose_masks(masks).value() == composed);
    std::rotate(masks.begin(), masks.begin() + 1, masks.end());
    REQUIRE(compose_masks(masks).value() == composed);
  }
}

TEST_CASE("operands keep the axes they have until the AND: padding and causal of a large batch stay small", "[mask]") {
  const std::size_t n = 512;
  std::vector<double> lengths(64, 100);
  const Mask padding = padding_mask(ValidLens::make(lengths, std::array<std::size_t, 1>{64}).value(), n).value();
  const Mask causal = causal_mask(n, n).value();
  CHECK(padding.size() == 64 * n);
  CHECK(causal.size() == n * n);
  const std::vector<Mask> only_padding{padding, padding};
  CHECK(shape_of(compose_masks(only_padding).value()) == Shape{64, 1, n});  // nothing asks for queries, nothing makes them
}

TEST_CASE("masks that do not broadcast are refused with both shapes and the axis", "[mask][errors]") {
  const std::vector<Mask> masks{Mask::from_shape({2, 1, 6}), Mask::from_shape({1, 5, 4})};
  const auto refused = compose_masks(masks);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::wrong_shape);
  CHECK(refused.error().param == "masks[1]");
  CHECK(refused.error().message ==
        "masks[1]: shapes (2, 1, 6) and (1, 5, 4) do not broadcast; axis 2 (keys) is 6 and 4, and neither is 1");
  CHECK(compose_masks({}).error().code == ErrorCode::wrong_shape);
}

TEST_CASE("an AND whose result would not fit is refused before it is laid out", "[mask][errors]") {
  const std::vector<Mask> masks{Mask::from_shape({65536, 1, 1}), Mask::from_shape({1, 65536, 1}), Mask::from_shape({1, 1, 65536})};
  const auto refused = compose_masks(masks);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::too_large);
}

TEST_CASE("empty rows are listed in order, and harmless masks can meet in one", "[mask]") {
  CHECK(empty_rows(causal_mask(4, 4).value()).empty());
  const auto lens = padding_mask(ValidLens::per_sequence({6, 3}).value(), 6).value();
  const std::vector<Mask> harmless{lens, causal_mask(6, 6).value()};
  CHECK(empty_rows(compose_masks(harmless).value()).empty());
  Mask window = Mask::from_shape({1, 6, 6});
  for (std::size_t q = 0; q < 6; ++q) {
    for (std::size_t k = 0; k < 6; ++k) window(0, q, k) = k <= q && k + 2 > q;
  }
  CHECK(empty_rows(window).empty());
  const std::vector<Mask> meeting{lens, window};
  CHECK(empty_rows(compose_masks(meeting).value()) == std::vector<EmptyRow>{{1, 4}, {1, 5}});
}

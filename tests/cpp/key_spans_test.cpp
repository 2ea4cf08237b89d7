// Masks of a caller's own through KeySpans, against the same cells bound as an expression: every function that takes a mask gives the same bits. And the
// rows of spans themselves, whatever is put into them.
#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "allocations.hpp"
#include "attn/fast_softmax.hpp"
#include "attn/fused.hpp"
#include "attn/fused_count.hpp"
#include "attn/fused_gradient.hpp"
#include "attn/fused_weights.hpp"
#include "attn/key_spans.hpp"
#include "attn/mask_expr.hpp"
#include "attn/pooling.hpp"
#include "fused_support.hpp"
#include "support.hpp"

using namespace attn;

namespace {

using support::Four, support::random_four;

/// Cells that somebody keeps, (batch, heads, queries, keys).
class Kept final : public KeySpans {
 public:
  explicit Kept(Mask4 cells) : cells_(std::move(cells)), shape_(shape_of(cells_)) {}

  std::optional<Error> check(const MaskSizes& sizes) const override {
    const std::array<std::size_t, 4> asked{sizes.batch, sizes.heads, sizes.queries, sizes.keys};
    if (asked == shape_) return std::nullopt;
    return Error{ErrorCode::wrong_shape, "mask", std::string("mask: kept for ").append(shape_text(shape_)).append(", allowed is no other than that; the scores are ").append(shape_text(asked))};
  }
  void rows(std::size_t batch, std::size_t head, std::size_t first, std::size_t queries, SpanRows& out) const override {
    REQUIRE(queries <= SpanRows::most);
    for (std::size_t query = first; query < first + queries; ++query, out.end_row()) {
      for (std::size_t key = 0; key < shape_[3]; ++key) {
        if (cells_(batch, head, query, key)) out.add(key, key + 1);
      }
    }
  }

 private:
  Mask4 cells_;
  std::array<std::size_t, 4> shape_;
};

/// Every other key, from the query on: the most spans that there can be. The same for all heads.
class EveryOther final : public KeySpans {
 public:
  std::optional<Error> check(const MaskSizes&) const override { return std::nullopt; }
  SameRows same() const override { return {.batch = true, .heads = true}; }
  void rows(std::size_t, std::size_t, std::size_t first, std::size_t queries, SpanRows& out) const override {
    for (std::size_t query = first; query < first + queries; ++query, out.end_row()) {
      for (std::size_t key = query % 2; key < out.keys(); key += 2) out.add(key, key + 1);
    }
  }
};

/// Runs, single cells, empty rows and full ones.
Mask4 some_cells(support::Bits& bits, const std::array<std::size_t, 4>& shape) {
  Mask4 cells = Mask4::from_shape(shape);
  bool* cell = cells.data();
  for (std::size_t row = 0; row < shape[0] * shape[1] * shape[2]; ++row, cell += shape[3]) {
    const auto kind = bits.below(5);
    bool open = kind == 1;
    for (std::size_t key = 0; key < shape[3]; ++key) {
      if (kind == 2) open = key % 2 == row % 2;
      if (kind == 3) open = bits.below(2) == 0;
      if (kind == 4 && bits.below(20) == 0) open = !open;
      cell[key] = open;
    }
  }
  return cells;
}

bool same_bits(const auto& a, const auto& b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())) == 0; }
bool same_tiles(const FusedTiles& a, const FusedTiles& b) { return a.full == b.full && a.mixed == b.mixed && a.empty == b.empty; }

}  // namespace

TEST_CASE("a mask of the caller's own gives the bits of the same cells in an expression", "[fused][fast][key_spans]") {
  support::Bits bits(61);
  for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{1, 1}, {33, 95}, {70, 200}, {32, 97}}) {
    const std::array<std::size_t, 4> sizes{2, 3, n, m};
    const Mask4 cells = some_cells(bits, sizes);
    const Kept own(cells);
    const auto bound = BoundMask::make(MaskExpr::cells(cells).value(), {2, 3, n, m}).value();
    const Four q = random_four(bits, {2, 3, n, 5}), k = random_four(bits, {2, 3, m, 5}), v = random_four(bits, {2, 3, m, 3}), upstream = random_four(bits, {2, 3, n, 3});
    INFO(n << " x " << m);
    const auto have = fused_attention(q, k, v, own).value(), want = fused_attention(q, k, v, bound).value();
    CHECK(same_bits(have.output, want.output));
    CHECK(same_bits(have.log_normalizer, want.log_normalizer));
    CHECK(same_tiles(have.tiles, want.tiles));
    CHECK(same_bits(fused_weights(q, k, v, own).value().weights, fused_weights(q, k, v, bound).value().weights));
    const auto mine = fused_gradient(q, k, v, want.output, want.log_normalizer, upstream, own).value(), theirs = fused_gradient(q, k, v, want.output, want.log_normalizer, upstream, bound).value();
    CHECK((same_bits(mine.queries, theirs.queries) && same_bits(mine.keys, theirs.keys) && same_bits(mine.values, theirs.values)));
    CHECK(fused_visits(sizes, own).value() == fused_visits(sizes, bound).value());
    CHECK(same_tiles(count_fused_tiles({2, 3, n}, m, own).value(), want.tiles));
    // the second half of the queries of the last three slices
    const std::size_t first = n / 2;
    Four part = Four::from_shape({1, 3, n - first, 5}), keys = Four::from_shape({1, 3, m, 5}), values = Four::from_shape({1, 3, m, 3});
    for (std::size_t h = 0; h < 3; ++h) {
      for (std::size_t i = first; i < n; ++i) std::copy_n(&q(1, h, i, 0), 5, &part(0, h, i - first, 0));
      std::copy_n(&k(1, h, 0, 0), m * 5, &keys(0, h, 0, 0));
      std::copy_n(&v(1, h, 0, 0), m * 3, &values(0, h, 0, 0));
    }
    const FusedRows rows{.first = first, .total = n, .slice = 3, .batch = 2, .heads = 3};
    CHECK(same_bits(fused_attention(part, keys, values, own, rows).value().output, fused_attention(part, keys, values, bound, rows).value().output));
  }
}

TEST_CASE("a mask of the caller's own in the double attention and the softmax", "[fast][key_spans]") {
  support::Bits bits(62);
  const std::size_t n = 37, m = 41;
  const Mask4 cells = some_cells(bits, {2, 1, n, m});
  const Kept own(cells);
  const auto bound = BoundMask::make(MaskExpr::cells(cells).value(), {2, 1, n, m}).value();
  const auto three = [&](std::size_t rows, std::size_t width) {
    auto made = Tensor<float, 3>::from_shape({2, rows, width});
    for (float& entry : made) entry = static_cast<float>(bits.real(-2, 2));
    return made;
  };
  const auto q = three(n, 4), k = three(m, 4), v = three(m, 2), scores = three(n, m);
  const auto have = dot_product_attention(q, k, v, own).value(), want = dot_product_attention(q, k, v, bound).value();
  CHECK((same_bits(have.output, want.output) && same_bits(have.weights, want.weights)));
  CHECK(same_bits(fast_masked_softmax(scores, own).value(), fast_masked_softmax(scores, bound).value()));
}

TEST_CASE("every kind of mask refuses scores of other sizes, an own one in its own words", "[fused][fast][key_spans]") {
  support::Bits bits(63);
  const Kept own(some_cells(bits, {1, 2, 4, 5}));
  const Four q = Four::from_shape({1, 2, 4, 3}), k = Four::from_shape({1, 2, 6, 3});
  const auto error = fused_attention(q, k, k, own).error();
  CHECK(error.code == ErrorCode::wrong_shape);
  CHECK(error.param == "mask");
  CHECK(error.message == "mask: kept for (1, 2, 4, 5), allowed is no other than that; the scores are (1, 2, 4, 6)");
  CHECK(fused_visits({1, 2, 4, 6}, own).error().message == error.message);
  CHECK(fast_masked_softmax(Tensor<float, 3>::from_shape({1, 4, 5}), own).error().message == "mask: kept for (1, 2, 4, 5), allowed is no other than that; the scores are (1, 1, 4, 5)");
  CHECK(dot_product_attention(Tensor<float, 3>::from_shape({1, 4, 3}), Tensor<float, 3>::from_shape({1, 5, 3}), Tensor<float, 3>::from_shape({1, 5, 3}), own).error().param == "mask");
  const auto bound = BoundMask::make(MaskExpr::causal(), {1, 2, 4, 5}).value();
  CHECK(fused_attention(q, k, k, bound).error().message == "mask is bound to (1, 2, 4, 5); the scores are (1, 2, 4, 6)");
  const Mask cells = Mask::from_shape({1, 3, 6});
  CHECK(fused_attention(q, k, k, cells).error().message == "mask: shape (1, 3, 6) does not broadcast to the scores' shape (1, 4, 6); axis 1 (queries) is 3, allowed are 1 and 4");
  const auto lens = ValidLens::per_sequence({7}).value();
  CHECK(fused_attention(q, k, k, lens).error().message == "valid_lens[0] is 7; allowed are integers from 0 to 6, the number of keys");
}

TEST_CASE("rows of spans are cut, joined and kept apart whatever is put in", "[key_spans]") {
  SpanBlock rows;
  const auto row = [&](std::size_t r) {
    const auto spans = rows.row(r);
    return std::vector<KeySpan>(spans.begin(), spans.end());
  };
  using Row = std::vector<KeySpan>;
  rows.clear(10);
  rows.add(0, 2);
  rows.add(2, 3);  // touches
  rows.add(2, 4);  // overlaps
  rows.add(6, 6);  // nothing
  rows.add(7, 99);  // beyond the keys
  rows.add(20, 30);
  rows.end_row();
  rows.end_row();
  rows.add(3, 5);
  rows.add(0, 4);  // out of order
  rows.end_row();
  REQUIRE(rows.rows() == 3);
  CHECK(row(0) == Row{{0, 4}, {7, 10}});
  CHECK(row(1).empty());
  CHECK(row(2) == Row{{0, 5}});
  CHECK(rows.all().size() == 3);
  rows.clear(9);
  const auto add_row = [&](const Row& spans) { rows.add_row(spans); };
  add_row({{0, 1}, {3, 9}});
  add_row({});
  add_row({{0, 2}, {2, 3}});  // touch
  add_row({{1, 4}, {3, 5}, {8, 20}});  // overlap, and beyond
  add_row({{5, 6}, {1, 7}});  // out of order
  add_row({{4, 4}, {0xFFFFFFFE, 0xFFFFFFFF}});
  rows.add(0, 2);
  add_row({{2, 4}});  // to a row begun
  REQUIRE(rows.rows() == 7);
  CHECK(row(0) == Row{{0, 1}, {3, 9}});
  CHECK(row(1).empty());
  CHECK(row(2) == Row{{0, 3}});
  CHECK(row(3) == Row{{1, 5}, {8, 9}});
  CHECK(row(4) == Row{{1, 7}});
  CHECK(row(5).empty());
  CHECK(row(6) == Row{{0, 4}});
  rows.clear(4);
  CHECK(rows.rows() == 0);
  CHECK(rows.keys() == 4);
  for (std::size_t r = 0; r < SpanRows::most + 5; ++r) {
    if (r % 2 == 0) {
      rows.add_row(Row{{0, 1}, {2, 3}});
      continue;
    }
    rows.add(0, 1);
    rows.add(2, 3);
    rows.end_row();
  }
  CHECK(rows.rows() == SpanRows::most);
  CHECK(row(SpanRows::most - 1) == Row{{0, 1}, {2, 3}});
}

TEST_CASE("a row that is put in in any order holds the keys that are in its spans, ascending and apart", "[key_spans]") {
  support::Bits bits(63);
  SpanBlock rows;
  for (std::size_t block = 0; block < 40; ++block) {
    const std::size_t keys = 1 + bits.below(60);
    rows.clear(keys);
    std::vector<std::vector<bool>> want;
    // one more than fit, which counts for nothing
    for (std::size_t r = 0; r <= SpanRows::most; ++r) {
      want.emplace_back(keys, false);
      for (std::size_t span = bits.below(12); span > 0; --span) {
        const std::size_t begin = bits.below(70), end = begin + bits.below(9);
        rows.add(begin, end);
        for (std::size_t key = begin; key < std::min(end, keys); ++key) want.back()[key] = true;
      }
      rows.end_row();
    }
    REQUIRE(rows.rows() == SpanRows::most);
    for (std::size_t r = 0; r < SpanRows::most; ++r) {
      INFO("block " << block << ", row " << r);
      std::vector<bool> have(keys, false);
      std::size_t next = 0;
      bool apart = true;
      for (const KeySpan& span : rows.row(r)) {
        apart = apart && span.begin >= next && span.begin < span.end && span.end <= keys;
        next = std::size_t{span.end} + 1;
        for (std::size_t key = span.begin; key < span.end; ++key) have[key] = true;
      }
      CHECK(apart);
      CHECK(have == want[r]);
    }
  }
}

TEST_CASE("spans of an own mask may come last first", "[fused][key_spans]") {
  struct Backwards final : KeySpans {
    std::optional<Error> check(const MaskSizes&) const override { return std::nullopt; }
    void rows(std::size_t, std::size_t, std::size_t first, std::size_t queries, SpanRows& out) const override {
      for (std::size_t query = first; query < first + queries; ++query, out.end_row()) {
        for (std::size_t key = out.keys(); key-- > 0;) {
          if (key % 2 == query % 2) out.add(key, key + 1);
        }
      }
    }
  };
  const Backwards backwards;
  const EveryOther forwards;
  support::Bits bits(64);
  const Four q = random_four(bits, {1, 2, 40, 5}), k = random_four(bits, {1, 2, 131, 5}), v = random_four(bits, {1, 2, 131, 3});
  const auto have = fused_attention(q, k, v, backwards).value(), want = fused_attention(q, k, v, forwards).value();
  CHECK(same_bits(have.output, want.output));
  CHECK(same_bits(have.log_normalizer, want.log_normalizer));
  CHECK(same_tiles(have.tiles, want.tiles));
}

template <class Rows>
constexpr bool clears = requires(Rows& rows) { rows.clear(std::size_t{9}); };
// what an own mask is given knows its keys from the block, and cannot be made, copied, replaced or widened
static_assert(!clears<SpanRows> && clears<SpanBlock>);
static_assert(!std::is_default_constructible_v<SpanRows> && !std::is_destructible_v<SpanRows>);
static_assert(!std::is_copy_constructible_v<SpanRows> && !std::is_move_constructible_v<SpanRows> && !std::is_copy_assignable_v<SpanRows> && !std::is_move_assignable_v<SpanRows>);

TEST_CASE("an own mask that gives more rows and keys than it is asked for stays within them", "[fused][key_spans]") {
  struct Lavish final : KeySpans {
    std::optional<Error> check(const MaskSizes&) const override { return std::nullopt; }
    void rows(std::size_t, std::size_t, std::size_t, std::size_t, SpanRows& out) const override {
      const KeySpan beyond[] = {{1, 4000000000}, {0, 2}};
      for (std::size_t row = 0; row < 100; ++row) {
        out.add(0, 5000000);
        out.add_row(beyond);
      }
    }
  };
  const Lavish lavish;
  support::Bits bits(65);
  const Four q = random_four(bits, {1, 2, 33, 3}), k = random_four(bits, {1, 2, 7, 3});
  CHECK(same_bits(fused_attention(q, k, k, lavish).value().output, fused_attention(q, k, k).value().output));
  CHECK(fused_visits({1, 2, 33, 7}, lavish).value() == std::vector<std::uint32_t>{1, 1, 1, 1});
}

TEST_CASE("rows that an own mask leaves out are empty, and memory is that of a block of queries", "[fused][key_spans]") {
  struct Lazy final : KeySpans {
    std::optional<Error> check(const MaskSizes&) const override { return std::nullopt; }
    void rows(std::size_t, std::size_t, std::size_t, std::size_t, SpanRows& out) const override {
      out.add(0, 1);
      out.end_row();
    }
  };
  const Lazy all_lazy;
  const Four q = Four::from_shape({1, 1, 40, 1}), k = Four::from_shape({1, 1, 6, 1});
  Four ones = Four::from_shape({1, 1, 6, 1});
  ones.fill(1);
  const auto lazy = fused_attention(q, k, ones, all_lazy).value();
  for (std::size_t i = 0; i < 40; ++i) CHECK(lazy.output(0, 0, i, 0) == (i % 32 == 0 ? 1 : 0));

  // 512 x 4096 keys, every other one: a bit each would be 256 KiB, a span each 16 MiB
  const EveryOther every_other;
  const std::size_t before = support::live_bytes();
  support::reset_peak();
  const auto tiles = count_fused_tiles({1, 2, 512}, 4096, every_other).value();
  CHECK(tiles.mixed == 2 * 16 * 43);
  // 32 rows of 2048 spans of 8 bytes in a list that doubles, and while it doubles
  CHECK(support::peak_bytes() - before < std::size_t{3} * 32 * 2048 * 8 / 2 + 16384);
}

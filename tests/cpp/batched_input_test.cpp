// The study of batched attention on input that is strange or wrong: no keys, no queries, no sequence, no width, NaN and infinities,
// shapes that do not fit, and states brought into order.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

#include "attn/matmul.hpp"
#include "layers_support.hpp"
#include "studies.hpp"
#include "study_support.hpp"

using namespace attn;
using namespace layers;
using namespace studies_support;
using Catch::Matchers::ContainsSubstring;

namespace {

using Shape = std::vector<std::size_t>;

Run batched(const Given& given) { return run_of(studies::batched(), given); }

std::string refused(const Given& given) { return refusal(studies::batched(), given); }

const Given& preset(const std::string& id) {
  const auto& all = studies::batched().presets;
  return std::find_if(all.begin(), all.end(), [&](const Preset& each) { return each.id == id; })->params;
}

bool all_of(const Series& series, double value) {
  return std::all_of(series.data.begin(), series.data.end(), [=](double each) { return support::same(each, value); });
}

}  // namespace

TEST_CASE("no keys: empty scores and outputs of zero", "[batched]") {
  for (const std::string generator : {"jax", "torch"}) {
    const Run run = batched({{"keys", 0.0}, {"generator", generator}});
    CHECK(value_text(run.params.at("lens")) == "0,0");
    CHECK(series(run, "scaled").shape == Shape{2, 1, 0});
    CHECK(series(run, "output").shape == Shape{2, 1, 4});
    CHECK(all_of(series(run, "output"), 0));
    CHECK(series(run, "empty_rows").data == std::vector<double>{1, 1});
    CHECK(series(run, "sum_mean").data == std::vector<double>{0, 0});
    CHECK(series(run, "histogram").data.front() == 1000);
    CHECK(series(run, "histogram_one_hot").shape == Shape{0});
    CHECK(std::isnan(single(run, "one_hot_zero_share")));
    CHECK(single(run, "one_hot_key") == 0);
  }
}

TEST_CASE("an empty batch, no queries and values without width give series without elements", "[batched]") {
  const Run empty = batched({{"batch", 0.0}});
  CHECK(series(empty, "output").shape == Shape{0, 1, 4});
  CHECK(series(empty, "sum_mean").shape == Shape{0, 1});
  CHECK(series(empty, "histogram").shape == Shape{0});
  CHECK(value_text(empty.params.at("lens")).empty());
  CHECK(single(empty, "sequences") == 1);
  const Run mute = batched({{"queries", 0.0}});
  CHECK(series(mute, "output").shape == Shape{2, 0, 4});
  CHECK(series(mute, "histogram").shape == Shape{0});
  const Run thin = batched({{"width", 0.0}});
  CHECK(series(thin, "output").shape == Shape{2, 1, 0});
  CHECK(series(thin, "histogram").shape == Shape{41});
  for (const Run* run : {&empty, &mute, &thin}) {
    for (const Series& each : run->series) {
      std::size_t elements = 1;
      for (const std::size_t size : each.shape) elements *= size;
      CHECK(each.data.size() + each.words.size() == elements);
    }
  }
}

TEST_CASE("width 0 scores 0 and shares the weight among the allowed keys", "[batched]") {
  const Run run = batched({{"d", 0.0}, {"generator", std::string("torch")}});
  CHECK(all_of(series(run, "scaled"), 0));
  CHECK(series(run, "weights").data[0] == 0.5);
  CHECK(series(run, "weights").data[15] == 1.0 / 6);
  CHECK(std::fabs(series(run, "predicted_variance").data[1] - 1.0 / 6) < 1e-16);
  CHECK_THAT(run.code, !ContainsSubstring("sqrt"));
}

TEST_CASE("NaN and infinities behind the mask leave no trace, in an allowed value they do", "[batched]") {
  const Run masked = batched(preset("masked-nan"));
  CHECK(series(masked, "non_finite").data == std::vector<double>{0, 2, 1, 1, 0, 0, 0, 0, 2, 0});
  for (const double value : series(masked, "output").data) CHECK(std::isfinite(value));
  for (const double value : series(masked, "plain_output").data) CHECK(std::isnan(value));
  const Run open = batched(preset("open-nan"));
  CHECK(std::isnan(series(open, "output").data[0]));
  CHECK(std::isfinite(series(open, "output").data[1]));

  // NaN in an allowed score: the row's weights are NaN, and so are the figures of its sums; the histogram counts what it can.
  const Given nan_key{{"batch", 1.0}, {"keys", 3.0}, {"d", 1.0}, {"width", 1.0}, {"lens", std::string("3")}, {"query_entries", std::string("1")}, {"key_entries", std::string("0;nan;1")}, {"value_entries", std::string("1;2;3")}};
  const Run nan = batched(nan_key);
  CHECK(all_of(series(nan, "weights"), not_a_number));
  for (const char* name : {"sum_expected", "sum_mean", "sum_variance", "sum_mean_se", "sum_variance_se", "predicted_variance"}) CHECK(all_of(series(nan, name), not_a_number));
  CHECK(series(nan, "histogram_exact").shape == Shape{0});
  CHECK(series(nan, "empty_rows").data == std::vector<double>{0});
  double counted = 0;
  for (const double count : series(nan, "histogram").data) counted += count;
  CHECK((counted > 0 && counted < 1000));  // the draws that drop all three keys

  // An infinite score takes all weight; minus infinity everywhere is a row without a key.
  Given infinite = nan_key;
  infinite[6].second = std::string("0;inf;1");
  CHECK(series(batched(infinite), "weights").data == std::vector<double>{0, 1, 0});
  infinite[6].second = std::string("-inf;-inf;-inf");
  const Run none = batched(infinite);
  CHECK(series(none, "empty_rows").data == std::vector<double>{1});
  CHECK(all_of(series(none, "output"), 0));
}

TEST_CASE("the shape checker is torch.bmm's rule", "[batched]") {
  support::Bits bits(811);
  std::size_t fits = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Shape3 a{}, b{};
    std::string left, right;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      a[axis] = bits.below(3);
      b[axis] = bits.below(3);
      left.append(axis > 0 ? "," : "").append(std::to_string(a[axis]));
      right.append(axis > 0 ? "," : "").append(std::to_string(b[axis]));
    }
    const Run run = batched({{"left", left}, {"right", right}, {"draws", 10.0}});
    const auto product = batch_matmul_shape(a, b);
    fits += product ? 1U : 0U;
    CHECK(single(run, "product_ok") == (product ? 1 : 0));
    CHECK(series(run, "product_shape").words[0] == (product ? shape_text(product.value()) : torch_bmm_message(a, b)));
    CHECK(series(run, "product_message").words[0] == (product ? "" : product.error().message));
    CHECK(series(run, "product_axis").words[0] == (product ? "" : a[0] != b[0] ? "examples" : "inner"));
    CHECK(series(run, "product_sizes").data.size() == (product ? 3U : 0U));
  }
  CHECK((fits > 2 && fits < 40));
  CHECK(series(batched(preset("misfit")), "product_shape").words[0] == "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 5].");
}

TEST_CASE("what does not fit is refused by name, with what is allowed", "[batched][errors]") {
  CHECK(refused({{"sequence", 3.0}}) == "out_of_range sequence | sequence is 3; with batch 2 allowed are integers from 1 to 2");
  CHECK(refused({{"row", 2.0}}) == "out_of_range row | row is 2; with queries 1 allowed are integers from 1 to 1");
  CHECK_THAT(refused({{"lens", std::string("2,11")}}), ContainsSubstring("out_of_range lens"));
  CHECK(refused({{"query_entries", std::string("1,2,3")}}) == "wrong_shape query_entries | query_entries: 1 row of 3; allowed are 2 rows of 2, or nothing for the draw");
  CHECK(refused({{"d", 0.0}, {"query_entries", std::string("1;2")}}) == "wrong_shape query_entries | query_entries: 2 rows of 1; allowed are 2 rows of 0, or nothing for the draw");
  CHECK_THAT(refused({{"value_entries", std::string("1,x")}}), ContainsSubstring("wrong_type value_entries"));
  CHECK_THAT(refused({{"key_entries", std::string("1001")}}), ContainsSubstring("out_of_range key_entries"));
  for (const char* dropout : {"-0.1", "1", "nan"}) {
    const Given given = from_text(studies::batched(), {{"dropout", std::string(dropout)}});
    CHECK_THAT(refused(given), ContainsSubstring(" dropout | "));
  }
  for (const char* text : {"2,3", "2,3,4,5", "2,3,4;2,3,4", "2,3,0.5", ""}) CHECK_THAT(refused({{"left", std::string(text)}}), ContainsSubstring("allowed are three integers from 0 to 64"));
}

TEST_CASE("states are brought into order: choices, lengths, tables and shapes", "[batched]") {
  const Repaired mended = repair(studies::batched(), {{"batch", 1.0}, {"keys", 3.0}, {"lens", std::string("2,6")}, {"sequence", 2.0}, {"row", 5.0}, {"key_entries", std::string("1,2,3;4,5,6")},
                                                      {"value_entries", std::string("9")}, {"width", 0.0}, {"right", std::string("2,2")}});
  Workspace workspace;
  const auto again = run(studies::batched(), mended.params.entries(), workspace);
  REQUIRE(again.ok());
  CHECK(value_text(mended.params.at("lens")) == "2");
  CHECK(value_text(mended.params.at("sequence")) == "1");
  CHECK(value_text(mended.params.at("row")) == "1");
  CHECK(value_text(mended.params.at("value_entries")).empty());
  CHECK(value_text(mended.params.at("right")) == "2,4,6");
  CHECK(mended.notices.size() == 6);
  // What was written and still fits stays; the third key is the draw's.
  const auto& keys = series(again.value(), "keys").data;
  CHECK(std::vector<double>(keys.begin(), keys.begin() + 4) == std::vector<double>{1, 2, 4, 5});
  CHECK(keys[5] == series(batched({{"batch", 1.0}, {"keys", 3.0}}), "keys").data[5]);
  const Repaired sound = repair(studies::batched(), mended.params.entries());
  CHECK(sound.notices.empty());
}

TEST_CASE("every preset runs, and its code names the framework", "[batched]") {
  for (const Preset& each : studies::batched().presets) {
    INFO(each.id);
    const Run run = batched(each.params);
    const bool torch = value_text(run.params.at("generator")) == "torch";
    CHECK_THAT(run.code, ContainsSubstring(torch ? "torch.nn.Dropout(0.5)" : "nnx.Dropout(0.5"));
    CHECK(series(run, "stage_names").words.size() == 10);
    for (std::size_t stage = 0; stage < 10; ++stage) {
      const auto& shape = series(run, series(run, "stage_names").words[stage]).shape;
      for (std::size_t axis = 0; axis < 3; ++axis) CHECK(series(run, "stage_shapes").data[3 * stage + axis] == static_cast<double>(shape[axis]));
    }
  }
}

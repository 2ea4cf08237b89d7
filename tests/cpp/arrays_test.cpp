// Arrays by request: the same numbers as the generators give, and refusals by name.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <memory>

#include "attn/random/arrays.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"

using namespace attn;
using namespace attn::random;

TEST_CASE("PyTorch's calls go on from one another, JAX's each start from the key", "[arrays]") {
  const auto torch_arrays = random_arrays({"torch", 0, {{"randn", {5}}, {"rand", {2, 2, 4}}, {"randn", {}}}}).value();
  torch::Generator generator(0);
  std::vector<float> five(5), table(16), one(1);
  generator.randn(five);
  generator.rand(table);
  generator.randn(one);
  CHECK(torch_arrays == std::vector<std::vector<float>>{five, table, one});
  const auto jax_arrays = random_arrays({"jax", 42, {{"normal", {}}, {"normal", {3}}, {"uniform", {2, 2}}}}).value();
  std::vector<float> three(3), four(4);
  jax::normal(jax::key(42), 0, three);
  jax::uniform(jax::key(42), 0, four);
  CHECK(jax_arrays[0].front() == three.front());
  CHECK(jax_arrays[1] == three);
  CHECK(jax_arrays[2] == four);
}

TEST_CASE("a negative seed is PyTorch's alone, by its low 32 bits", "[arrays]") {
  const auto negative = random_arrays({"torch", -1, {{"rand", {3}}}}).value();
  CHECK(negative == random_arrays({"torch", 4294967295.0, {{"rand", {3}}}}).value());
  CHECK(random_arrays({"jax", -1, {}}).error().message == "seed is -1; allowed are integers from 0 to 4294967295");
}

TEST_CASE("requests that cannot be met are refused by name", "[arrays][errors]") {
  const auto refused = [](const ArrayRequest& request, const std::string& param, ErrorCode code) {
    const auto result = random_arrays(request);
    REQUIRE_FALSE(result.ok());
    INFO(result.error().message);
    CHECK(result.error().param == param);
    CHECK(result.error().code == code);
  };
  refused({"numpy", 0, {}}, "generator", ErrorCode::unknown_choice);
  refused({"jax", 0.5, {}}, "seed", ErrorCode::not_an_integer);
  refused({"torch", std::numeric_limits<double>::quiet_NaN(), {}}, "seed", ErrorCode::not_an_integer);
  refused({"torch", 1e16, {}}, "seed", ErrorCode::out_of_range);
  refused({"jax", 4294967296.0, {}}, "seed", ErrorCode::out_of_range);
  refused({"torch", 0, {{"randn", {100000, 100000}}}}, "calls[0]", ErrorCode::too_large);
  refused({"jax", 0, {{"randn", {2}}}}, "calls[0].call", ErrorCode::unknown_choice);
  refused({"torch", 0, {{"rand", {2}}, {"normal", {2}}}}, "calls[1].call", ErrorCode::unknown_choice);
  refused({"torch", 0, {{"rand", {2, 0}}}}, "calls[0].shape[1]", ErrorCode::out_of_range);
  refused({"torch", 0, {{"rand", {-3}}}}, "calls[0].shape[0]", ErrorCode::out_of_range);
  refused({"torch", 0, {{"rand", {2.5}}}}, "calls[0].shape[0]", ErrorCode::not_an_integer);
  refused({"jax", 0, {{"normal", {65536, 65536, 65536}}}}, "calls[0]", ErrorCode::too_large);
  refused({"jax", 0, {{"normal", {2}, "float64"}}}, "calls[0].dtype", ErrorCode::unknown_choice);
  CHECK(random_arrays({"jax", 0, {{"normal", {2}, "float64"}}}).error().message ==
        "calls[0].dtype is \"float64\"; allowed are float32, the one type this generator has here");
}

TEST_CASE("fold_in and bernoulli follow JAX's definitions", "[arrays]") {
  const Key key = jax::key(0);
  const auto words = threefry2x32(key, {0, 5});
  CHECK(jax::fold_in(key, 5) == Key{words[0], words[1]});
  CHECK_FALSE(jax::fold_in(key, 5) == jax::fold_in(key, 6));
  std::vector<float> uniforms(1000);
  jax::uniform(key, 0, uniforms);
  const std::unique_ptr<bool[]> kept(new bool[1000]);
  for (const float p : {0.0F, 0.3F, 1.0F}) {
    jax::bernoulli(key, p, 0, std::span<bool>(kept.get(), 1000));
    for (std::size_t i = 0; i < 1000; ++i) REQUIRE(kept[i] == (uniforms[i] < p));
  }
  // below p, and not at it; also where the first element asked for is not the array's first, in the second block of 256
  for (const std::size_t at : {std::size_t{0}, std::size_t{300}, std::size_t{999}}) {
    jax::bernoulli(key, uniforms[at], 0, std::span<bool>(kept.get(), 1000));
    CHECK_FALSE(kept[at]);
    jax::bernoulli(key, std::nextafter(uniforms[at], 1.0F), at, std::span<bool>(kept.get(), 1));
    CHECK(kept[0]);
  }
  CHECK(jax::split(key, 5).size() == 5);
  CHECK(jax::split(key, 5)[1] == jax::split(key, 2)[1]);
}

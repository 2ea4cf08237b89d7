// Checks, then calls of the two generators. See arrays.hpp.
#include "attn/random/arrays.hpp"

#include <cmath>
#include <new>
#include <optional>

#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/tensor.hpp"
#include "attn/text.hpp"

namespace attn::random {
namespace {

constexpr double largest_integer = 9007199254740991.0;  // 2^53 - 1: whole numbers up to here are exact in a double

Error refusal(ErrorCode code, const std::string& param, const std::string& value, const std::string& allowed) {
  return {code, param, param + " is " + value + "; allowed are " + allowed};
}

std::optional<Error> check_seed(const ArrayRequest& request) {
  // By default JAX keeps 32 bits of a seed; what it makes of more, or of a sign, depends on its configuration.
  const double least = request.generator == "torch" ? -largest_integer : 0;
  const double most = request.generator == "torch" ? largest_integer : 4294967295.0;
  const std::string allowed = "integers from " + number_text(least) + " to " + number_text(most);
  if (!std::isfinite(request.seed) || request.seed != std::floor(request.seed)) {
    return refusal(ErrorCode::not_an_integer, "seed", number_text(request.seed), allowed);
  }
  if (request.seed < least || request.seed > most) {
    return refusal(ErrorCode::out_of_range, "seed", number_text(request.seed), allowed);
  }
  return std::nullopt;
}

/// The elements of a call, or what is wrong with it; `index` counts the calls from 0.
Result<std::size_t> check_call(const ArrayRequest& request, std::size_t index) {
  const ArrayCall& call = request.calls[index];
  const std::string param = std::string("calls[").append(std::to_string(index)).append("]");
  const bool torch = request.generator == "torch";
  if (call.call != (torch ? "rand" : "uniform") && call.call != (torch ? "randn" : "normal")) {
    return refusal(ErrorCode::unknown_choice, param + ".call", quoted(call.call), torch ? "rand and randn" : "uniform and normal");
  }
  if (call.dtype != "float32") {
    return refusal(ErrorCode::unknown_choice, param + ".dtype", quoted(call.dtype), "float32, the one type this generator has here");
  }
  std::vector<std::size_t> shape;
  for (std::size_t axis = 0; axis < call.shape.size(); ++axis) {
    const double size = call.shape[axis];
    const std::string name = std::string(param).append(".shape[").append(std::to_string(axis)).append("]");
    const std::string allowed = "integers from 1 to 4294967295";
    if (!std::isfinite(size) || size != std::floor(size)) return refusal(ErrorCode::not_an_integer, name, number_text(size), allowed);
    if (size < 1 || size > 4294967295.0) return refusal(ErrorCode::out_of_range, name, number_text(size), allowed);
    shape.push_back(static_cast<std::size_t>(size));
  }
  return checked_elements(param, shape, sizeof(float));
}

}  // namespace

Result<std::vector<std::vector<float>>> random_arrays(const ArrayRequest& request) {
  if (request.generator != "jax" && request.generator != "torch") {
    return refusal(ErrorCode::unknown_choice, "generator", quoted(request.generator), "jax and torch");
  }
  if (auto error = check_seed(request)) return *std::move(error);
  std::vector<std::size_t> elements;
  std::size_t total = 0;
  for (std::size_t i = 0; i < request.calls.size(); ++i) {
    const auto count = check_call(request, i);
    if (!count) return count.error();
    elements.push_back(count.value());
    total += count.value();
    if (const auto together = checked_elements("calls", std::span<const std::size_t>(&total, 1), sizeof(float)); !together) return together.error();
  }
  std::vector<std::vector<float>> arrays;
  // Two's complement, as PyTorch takes a negative seed.
  torch::Generator generator(static_cast<std::uint64_t>(static_cast<std::int64_t>(request.seed)));
  const Key key = jax::key(static_cast<std::uint64_t>(static_cast<std::int64_t>(request.seed)));
  try {
    for (const std::size_t count : elements) arrays.emplace_back(count);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::too_large, "calls", "calls: " + number_text(static_cast<double>(total)) + " elements of 4 bytes are more than this machine's memory gives"};
  }
  for (std::size_t i = 0; i < request.calls.size(); ++i) {
    std::vector<float>& out = arrays[i];
    const std::string& call = request.calls[i].call;
    if (call == "rand") generator.rand(out);
    if (call == "randn") generator.randn(out);
    if (call == "uniform") jax::uniform(key, 0, out);
    if (call == "normal") jax::normal(key, 0, out);
  }
  return arrays;
}

}  // namespace attn::random

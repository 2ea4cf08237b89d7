// The tosses in pieces, and what becomes of an element. See dropout.hpp.
#include "attn/dropout.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "attn/random/jax.hpp"
#include "attn/text.hpp"

namespace attn {

random::Key flax_dropout_key(std::uint32_t seed, std::uint32_t call) { return random::jax::fold_in(random::jax::key(seed), call); }

std::optional<Error> check_dropout(const Dropout& dropout) {
  if (!(dropout.rate >= 0 && dropout.rate < 1)) {
    return Error{ErrorCode::out_of_range, "dropout",
                 std::string("dropout is ").append(number_text(dropout.rate)).append("; allowed are rates from 0 to below 1")};
  }
  const auto* generator = std::get_if<random::torch::Generator*>(&dropout.generator);
  if (generator != nullptr && *generator == nullptr) {
    return Error{ErrorCode::wrong_type, "generator", "generator is null; allowed are a JAX key and a PyTorch generator"};
  }
  return std::nullopt;
}

template <class T>
Result<Tensor<T, 3>> apply_dropout(const Tensor<T, 3>& values, const Dropout& dropout) {
  if (auto error = check_dropout(dropout)) return *std::move(error);
  Tensor<T, 3> out = values;
  if (dropout.mode == Mode::evaluation || dropout.rate == 0) return out;
  const double keep = 1 - dropout.rate;
  std::array<bool, 256> kept{};
  for (std::size_t done = 0; done < out.size(); done += kept.size()) {
    const std::span<bool> tosses = std::span(kept).first(std::min(kept.size(), out.size() - done));
    if (const auto* key = std::get_if<random::Key>(&dropout.generator)) {
      random::jax::bernoulli(*key, static_cast<float>(keep), done, tosses);
    } else {
      std::get<random::torch::Generator*>(dropout.generator)->bernoulli(keep, tosses);
    }
    for (std::size_t i = 0; i < tosses.size(); ++i) {
      T& value = out.data()[done + i];
      value = tosses[i] ? static_cast<T>(static_cast<double>(value) / keep) : T{0};
    }
  }
  return out;
}

template Result<Tensor<float, 3>> apply_dropout(const Tensor<float, 3>&, const Dropout&);
template Result<Tensor<double, 3>> apply_dropout(const Tensor<double, 3>&, const Dropout&);

}  // namespace attn

// Dropout: each element is kept with probability 1 - p and divided by 1 - p, or becomes 0. Sum and mean keep their
// expectation; the sum of a row of weights gets variance p / (1 - p) sum w^2. Only while training.
// The tosses are the frameworks' own, one an element in row-major order, masked elements included:
//   JAX:     kept when uniform(key) < 1 - p in float32: jax.random.bernoulli, as flax.nnx.Dropout asks for it. The key of its
//            n-th call from 0 with Rngs(dropout=seed) is flax_dropout_key(seed, n). Written from flax's source (commit
//            19f78a6); not compared with a run of flax.
//   PyTorch: kept when a 53-bit uniform of two words is below 1 - p: Tensor.bernoulli_, as torch.nn.functional.dropout calls it
//            on the CPU. Compared, toss by toss, with PyTorch 1.13.1 built without MKL (tests/cpp/dropout_test.cpp). Builds
//            with MKL on Intel processors take one word as the seed of MKL's generator MCG31 instead: not reproduced.
// What is kept is divided in double and rounded once; PyTorch multiplies by 1 / (1 - p), which may differ in the last digit.
// Source: Srivastava et al. 2014; Dive into Deep Learning, section 10.2.3.2 and exercise 8.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "attn/error.hpp"
#include "attn/random/threefry.hpp"
#include "attn/random/torch.hpp"
#include "attn/tensor.hpp"

namespace attn {

/// The tosses' source: a JAX key, which tosses the same every time, or a PyTorch generator, which goes on from toss to toss.
using DropoutGenerator = std::variant<random::Key, random::torch::Generator*>;

enum class Mode { evaluation, training };

struct Dropout {
  double rate = 0;                                ///< p, in [0, 1)
  DropoutGenerator generator = random::Key{};     ///< not touched in evaluation, with rate 0, or when there is no element
  Mode mode = Mode::evaluation;
};

/// The JAX key of call `call` (from 0) of flax.nnx.Dropout with Rngs(dropout=seed): fold_in(key(seed), call).
[[nodiscard]] random::Key flax_dropout_key(std::uint32_t seed, std::uint32_t call);

/// An Error when the rate is not in [0, 1) or the generator is a null pointer, also where they are not used; otherwise nothing.
[[nodiscard]] std::optional<Error> check_dropout(const Dropout& dropout);

/// Kept elements divided by 1 - p, the others +0; in evaluation or with rate 0 a copy.
/// A dropped element is not read: NaN and infinity become 0.
/// Errors: out_of_range on "dropout" (rate outside [0, 1), NaN), wrong_type on "generator" (null).
template <class T>
[[nodiscard]] Result<Tensor<T, 3>> apply_dropout(const Tensor<T, 3>& values, const Dropout& dropout);

extern template Result<Tensor<float, 3>> apply_dropout(const Tensor<float, 3>&, const Dropout&);
extern template Result<Tensor<double, 3>> apply_dropout(const Tensor<double, 3>&, const Dropout&);

}  // namespace attn

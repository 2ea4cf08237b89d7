// Arrays of random numbers as a notebook asks for them: a framework's generator, a seed, and calls with shapes.
//
// JAX's calls are pure: each starts from key(seed). PyTorch's go on from one another, as after torch.manual_seed(seed).
// Every argument is checked by name before anything is allocated.
#pragma once

#include <string>
#include <vector>

#include "attn/error.hpp"

namespace attn::random {

/// One call: "uniform" or "normal" for JAX, "rand" or "randn" for PyTorch, with its shape and element type.
struct ArrayCall {
  std::string call;
  std::vector<double> shape;       ///< whole positive sizes; no sizes ask for one number
  std::string dtype = "float32";
};

struct ArrayRequest {
  std::string generator;  ///< "jax" or "torch"
  double seed = 0;        ///< jax: 0 to 2^32 - 1; torch: -(2^53 - 1) to 2^53 - 1, of which the low 32 bits count
  std::vector<ArrayCall> calls;
};

/// The arrays of every call, row-major.
/// Errors: unknown_choice (generator, call, or a dtype the generator does not have), not_an_integer and out_of_range
/// (seed, a size), too_large (the elements of all calls together).
[[nodiscard]] Result<std::vector<std::vector<float>>> random_arrays(const ArrayRequest& request);

}  // namespace attn::random

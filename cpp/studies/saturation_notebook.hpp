// Framework code that makes a study's numbers: the definitions that several studies' snippets share, as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace attn::studies {

/// A definition of attention_stats(d, scaled) that returns the mean entropy of the weights and the mean Frobenius norm of the
/// softmax Jacobian. JAX's draws start from key(`seed`) on every call; PyTorch's go on from call to call.
/// @param unit  "nats" or "bits"
[[nodiscard]] std::string attention_stats_code(bool torch, std::size_t queries, std::size_t keys, std::uint64_t seed,
                                               const std::string& unit);

/// The imports that the code needs.
[[nodiscard]] std::string imports_code(bool torch);

}  // namespace attn::studies

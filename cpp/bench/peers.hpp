// Attention by other people's products, one thread: what attention_bench.cpp measures the fused kernel against. Each makes the whole
// matrix of scores of one head: a product, a softmax over the leading keys that a query may see, a product. Which of them there are
// depends on the libraries of the machine; peers.cpp is compiled for the machine it is built on, since Eigen chooses its vectors then.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// A batch of heads, row-major without gaps; query i of example b may see the first keys_of(b, i) keys.
struct Attention {
  std::size_t batch, heads, n, m, d, v;
  bool causal;
  std::vector<std::size_t> lengths;  ///< one an example, or none
  const float* queries;
  const float* keys;
  const float* values;

  [[nodiscard]] std::size_t keys_of(std::size_t b, std::size_t i) const {
    const std::size_t length = lengths.empty() ? m : lengths[b];
    return causal && i + 1 < length ? i + 1 : length;
  }
  /// Keys of an example that some query sees; beyond them nothing need be multiplied.
  [[nodiscard]] std::size_t keys_of(std::size_t b) const { return lengths.empty() ? m : lengths[b]; }
};

struct Peer {
  std::string name;
  /// `scores` has room for n x m floats.
  void (*run)(const Attention& work, float* scores, float* output);
};

/// OpenBLAS, Eigen and plain loops, as far as they are there.
[[nodiscard]] const std::vector<Peer>& peers();
/// One line: what runs, and what is missing.
[[nodiscard]] std::string about_peers();

/// Softmax of one row in place, over its first `open` of `count` entries; the rest become 0. Plain loops that a compiler can vectorise.
void softmax_row(float* row, std::size_t open, std::size_t count);

}  // namespace bench

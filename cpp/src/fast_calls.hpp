// The fused and the fast functions in two halves: `check_...` says whether a call is one, from shapes and the mask alone, and `run_...` computes it, which
// has nothing left to refuse. The public functions are one after the other. In WebAssembly the two are in different modules: the modules for speed hold what
// runs, and the module of masks refuses, in the same words, before them.
#pragma once

#include <optional>

#include "attn/error.hpp"
#include "attn/fused.hpp"
#include "attn/fused_gradient.hpp"
#include "attn/mask_view.hpp"
#include "attn/view.hpp"

namespace attn::calls {

/// Fused attention; `weights` without data and with_weights false where only the output is wanted.
struct Forward {
  View<const float, 4> queries, keys, values;
  MaskView mask;
  FusedRows rows;
  View<float, 4> output;
  float* log_normalizer = nullptr;
  bool with_weights = false;
  View<float, 4> weights;
};
std::optional<Error> check_forward(const Forward& call);
FusedTiles run_forward(const Forward& call);

struct Gradient {
  FusedOperands operands;
  FusedResults forward;
  View<const float, 4> upstream;
  MaskView mask;
  FusedGradientViews gradient;
};
std::optional<Error> check_gradient(const Gradient& call);
FusedTiles run_gradient(const Gradient& call);

struct Softmax {
  View<const float, 4> scores;
  MaskView mask;
  View<float, 4> weights;
};
std::optional<Error> check_softmax(const Softmax& call);
void run_softmax(const Softmax& call);

struct Product {
  View<const float, 3> a, b;
  bool transpose_b = false;
  View<float, 3> out;
};
std::optional<Error> check_product(const Product& call);
void run_product(const Product& call);

struct AdditiveScores {
  View<const float, 3> queries, keys;
  View<const float, 1> w;
  View<float, 3> scores;
};
/// `panel`: how many columns the kernels that will run take at once.
std::optional<Error> check_additive(const AdditiveScores& call, std::size_t panel);
void run_additive(const AdditiveScores& call);

struct Hidden {
  View<const float, 2> queries, keys;
  std::size_t first = 0;
  View<float, 3> output;
};
std::optional<Error> check_hidden(const Hidden& call);
void run_hidden(const Hidden& call);

struct Entropies {
  View<const float, 3> queries, keys;
  double* scaled = nullptr;
  double* unscaled = nullptr;
};
std::optional<Error> check_entropies(const Entropies& call, std::size_t panel);
void run_entropies(const Entropies& call);

}  // namespace attn::calls

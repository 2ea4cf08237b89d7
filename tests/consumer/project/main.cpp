// Uses the installed library as a stranger would: one masked softmax, checked by its definition.
// With all scores equal, three of four keys allowed get 1/3 each and the fourth exactly 0.
#include <attn/softmax.hpp>
#include <attn/version.hpp>

#include <cstdio>

int main() {
  attn::Tensor<float, 3> scores = xt::zeros<float>({1, 2, 4});
  const auto valid_lens = attn::ValidLens::per_sequence({3.0});
  const auto weights = attn::masked_softmax(scores, valid_lens.value());
  if (!weights) {
    std::fprintf(stderr, "%s\n", weights.error().message.c_str());
    return 1;
  }
  for (std::size_t query = 0; query < 2; ++query) {
    for (std::size_t key = 0; key < 4; ++key) {
      const float expected = key < 3 ? 1.0F / 3.0F : 0.0F;
      const float weight = weights.value()(0, query, key);
      if (weight != expected) {
        std::fprintf(stderr, "the weight at (0, %zu, %zu) is %g\n", query, key, static_cast<double>(weight));
        return 1;
      }
    }
  }
  std::printf("attention_plates %s\n", attn::version);
  return 0;
}

// Uses the installed library as a stranger would: one masked softmax, checked by its definition, and an attention under a mask of the stranger's own.
// With all scores equal, three of four keys allowed get 1/3 each and the fourth exactly 0.
#include <attn/fused.hpp>
#include <attn/key_spans.hpp>
#include <attn/softmax.hpp>
#include <attn/version.hpp>

#include <cstdio>

namespace {

/// A query sees the key of its own place, and the last one.
class OwnAndLast final : public attn::KeySpans {
 public:
  std::optional<attn::Error> check(const attn::MaskSizes& sizes) const override {
    if (sizes.queries <= sizes.keys) return std::nullopt;
    return attn::Error{attn::ErrorCode::wrong_shape, "mask", "mask: more queries than keys"};
  }
  void rows(std::size_t, std::size_t, std::size_t first, std::size_t queries, attn::SpanRows& out) const override {
    for (std::size_t query = first; query < first + queries; ++query, out.end_row()) {
      out.add(query, query + 1);
      out.add(out.keys() - 1, out.keys());
    }
  }
};

/// With all scores equal, each query's output is the mean of the values of the keys that it sees.
bool own_mask_works() {
  attn::Tensor<float, 4> same = xt::zeros<float>({1, 1, 3, 2});
  attn::Tensor<float, 4> values = xt::zeros<float>({1, 1, 3, 1});
  for (std::size_t key = 0; key < 3; ++key) values(0, 0, key, 0) = static_cast<float>(key);
  const OwnAndLast mask;
  const auto result = attn::fused_attention(same, same, values, mask);
  if (!result) return false;
  for (std::size_t query = 0; query < 3; ++query) {
    if (result.value().output(0, 0, query, 0) != (static_cast<float>(query) + 2.0F) / 2.0F) return false;
  }
  return true;
}

}  // namespace

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
  if (!own_mask_works()) {
    std::fprintf(stderr, "the attention under an own mask is another\n");
    return 1;
  }
  std::printf("attention_plates %s\n", attn::version);
  return 0;
}

// The two normal paths of PyTorch's CPU generator. See torch.hpp.
#include "attn/random/torch.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "../kernels/box_muller.hpp"
#include "attn/math.hpp"

namespace attn::random::torch {
namespace {

constexpr std::size_t block = kernels::box_muller_block;
constexpr double two_pi = 6.283185307179586476925286766559;

// Words are drawn so many at a time that they stay in the first-level cache until they are used.
constexpr std::size_t batch = 32 * block;
using Batch = std::array<std::uint32_t, batch>;

}  // namespace

void Generator::manual_seed(std::uint64_t seed) {
  words_ = Mt19937(static_cast<std::uint32_t>(seed));
  waiting_.reset();
}

void Generator::rand(std::span<float> out) {
  Batch words;
  while (!out.empty()) {
    const std::size_t count = std::min(batch, out.size());
    words_.fill(std::span(words).first(count));
    kernels::uniforms_from_words(words.data(), out.data(), count);
    out = out.subspan(count);
  }
}

double Generator::uniform53() {
  const std::uint64_t high = words_.next();
  const std::uint64_t low = words_.next();
  return static_cast<double>(((high << 32) | low) & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

void Generator::bernoulli(double p, std::span<bool> out) {
  for (bool& toss : out) toss = uniform53() < p;
}

void Generator::short_normals(std::span<float> out) {
  for (float& x : out) {
    if (waiting_) {
      x = static_cast<float>(*waiting_);
      waiting_.reset();
      continue;
    }
    const double u1 = uniform53();
    const double u2 = uniform53();
    const double radius = std::sqrt(-2 * math::log1p(-u2));
    const double angle = two_pi * u1;
    waiting_ = radius * math::sin(angle);
    x = static_cast<float>(radius * math::cos(angle));
  }
}

void Generator::randn(std::span<float> out) {
  if (out.size() < block) {
    short_normals(out);
    return;
  }
  const std::span<float> last = out.last(block);
  Batch words;
  for (std::span<float> rest = out; !rest.empty();) {
    const std::size_t count = std::min(batch, rest.size());
    words_.fill(std::span(words).first(count));
    kernels::box_muller(words.data(), rest.data(), count / block);
    rest = rest.subspan(count);
  }
  if (out.size() % block != 0) {
    // The words of the incomplete block are drawn and dropped.
    words_.fill(std::span(words).first(block));
    kernels::box_muller(words.data(), last.data(), 1);
  }
}

}  // namespace attn::random::torch

// The loops that measure a machine's limits, on the vectors that every build has; see attn/limits.hpp.
#include "attn/limits.hpp"

#include <algorithm>

#define ATTN_LANES 4
#include "../room.hpp"
#include "wide.hpp"

namespace attn {
namespace {

using namespace kernels;

constexpr std::size_t chains = 12;
constexpr std::uint32_t steps = 8192;

/// Every chain tends to 1, so no number grows or gets slow.
[[gnu::noinline]] float chain_multiply_adds(std::uint32_t times, float half) {
  vf a[chains];
  for (std::size_t c = 0; c < chains; ++c) a[c] = all(half * static_cast<float>(c));
  const vf x = all(half);
  for (std::uint32_t i = 0; i < times; ++i) {
    for (std::size_t c = 0; c < chains; ++c) a[c] = madd(a[c], x, x);
  }
  vf sum{};
  for (std::size_t c = 0; c < chains; ++c) sum += a[c];
  return sum[0];
}

[[gnu::noinline]] void copy_floats(const float* from, float* to, std::size_t count) {
  for (std::size_t i = 0; i + 4 * lanes <= count; i += 4 * lanes) {
    const vf a = wide(from + i), b = wide(from + i + lanes), c = wide(from + i + 2 * lanes), d = wide(from + i + 3 * lanes);
    put(to + i, a);
    put(to + i + lanes, b);
    put(to + i + 2 * lanes, c);
    put(to + i + 3 * lanes, d);
  }
}

[[gnu::noinline]] void raise_floats(const float* from, float* to, std::size_t count) {
  for (std::size_t i = 0; i < count; i += lanes) put(to + i, exp2(wide(from + i)));
}

/// Where numbers come from and results go, so that no loop is left out.
volatile float source = 0.5f;
volatile float sink;

}  // namespace

double spin(Spin kind, std::uint32_t iterations) {
  if (kind == Spin::multiply_add) {
    for (std::uint32_t i = 0; i < iterations; ++i) sink = chain_multiply_adds(steps, source);
    return 2.0 * chains * lanes * steps * iterations;
  }
  const std::size_t count = kind == Spin::copy ? std::size_t{1} << 23 : std::size_t{1} << 12;
  const Room<float> from(count);
  const Room<float> to(count);
  std::fill(from.begin(), from.end(), -0.75f);
  for (std::uint32_t i = 0; i < iterations; ++i) {
    kind == Spin::copy ? copy_floats(from.data(), to.data(), count) : raise_floats(from.data(), to.data(), count);
    sink = to[i % count];
  }
  return (kind == Spin::copy ? 2.0 * sizeof(float) : 1.0) * static_cast<double>(count) * iterations;
}

}  // namespace attn

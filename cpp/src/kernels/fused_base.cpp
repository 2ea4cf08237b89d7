// The kernels of fused attention on the target that every build has, those that run here, and what they have in common; see fused.hpp.
#define ATTN_LANES 4
#include "fused_table.hpp"
#include "targets.hpp"

namespace attn::kernels {

const FusedKernels fused_kernels_base = fused_table;

namespace {

const FusedKernels& here() {
  static const FusedKernels* const tables[] = {&fused_kernels_base,
#if defined(__x86_64__) && !defined(ATTN_SCALAR)
                                               &fused_kernels_avx2, &fused_kernels_avx512,
#endif
  };
  return *tables[current_target()];
}

}  // namespace

// Scratch of the narrowest panels is not that of the widest: room for any of them.
constexpr std::size_t widest_panel = 32;

std::size_t fused_scratch(std::size_t d, std::size_t v) {
  return tile_queries * (d + 2 * v) + 4 * tile_queries + 2 * widest_panel + (run_tiles + 1) * tile_keys * widest_panel;
}

void fused_tile(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  here().tile(head, first, rows, mask, scratch, counts);
}

std::size_t weights_scratch(std::size_t m, std::size_t d, std::size_t v) {
  return widest_panel * (d + 2 * v + m + tile_keys) + 2 * (m / tile_keys + 1);
}

void weights_tile(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* weights, std::size_t stride, float* scratch, TileCounts& counts) {
  here().weights(head, first, rows, mask, weights, stride, scratch, counts);
}

std::size_t gradient_scratch(std::size_t d, std::size_t v) {
  return tile_queries * (3 * d + 2 * v + 2 * widest_panel) + 2 * tile_queries * tile_keys + tile_keys * widest_panel;
}

void gradient_tile(const GradientHead& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  here().gradient(head, first, rows, mask, scratch, counts);
}

namespace {

/// Whether one of `count` numbers is NaN or larger in size than the float whose bits are `most`: the bits of sizes are ordered as sizes are, and NaN
/// lies above infinity.
bool any_above(const float* numbers, std::size_t count, std::int32_t most) {
  constexpr std::size_t many = 4;
  const vi size = all(std::int32_t{0x7FFFFFFF});
  vi largest[many] = {};
  std::size_t i = 0;
  ATTN_ROLLED
  for (; i + many * lanes <= count; i += many * lanes) {
    for (std::size_t u = 0; u < many; ++u) largest[u] = larger(largest[u], bits(wide(numbers + i + u * lanes)) & size);
  }
  ATTN_ROLLED
  for (; i < count; ++i) largest[0] = larger(largest[0], bits(all(numbers[i])) & size);
  return some_lane(larger(larger(largest[0], largest[1]), larger(largest[2], largest[3])) > all(most));
}

}  // namespace

bool mark_odd_rows(const float* rows, std::size_t stride, std::size_t count, std::size_t width, float limit, std::uint8_t* odd) {
  const auto most = __builtin_bit_cast(std::int32_t, limit);
  // rows side by side are looked through as one: hardly ever there is anything to find
  if (stride == width && !any_above(rows, count * width, most)) return false;
  bool any = false;
  for (std::size_t i = 0; i < count; ++i, rows += stride) {
    if (!any_above(rows, width, most)) continue;
    odd[i] = 1;
    any = true;
  }
  return any;
}

}  // namespace attn::kernels

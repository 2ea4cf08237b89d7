// fused_tile on the target that every build has, and the choice among targets; see fused.hpp.
#define ATTN_LANES 4
#include "fused_tile.hpp"

namespace attn::kernels {

void fused_tile_base(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  fused_tile_here(head, first, rows, mask, scratch, counts);
}

namespace {

struct Target {
  FusedTile* tile;
  const char* name;
};

Target chosen() {
#if defined(ATTN_SCALAR)
  return {fused_tile_base, "scalar"};
#elif defined(__wasm_relaxed_simd__)
  return {fused_tile_base, "relaxed"};
#elif defined(__wasm_simd128__)
  return {fused_tile_base, "simd128"};
#elif defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return {fused_tile_avx512, "avx512"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {fused_tile_avx2, "avx2"};
  return {fused_tile_base, "sse2"};
#elif defined(__aarch64__)
  return {fused_tile_base, "neon"};
#else
  return {fused_tile_base, "scalar"};
#endif
}

const Target& target() {
  static const Target here = chosen();
  return here;
}

}  // namespace

// Scratch of the narrowest panels is not that of the widest: room for any of them.
std::size_t fused_scratch(std::size_t d, std::size_t v) {
  constexpr std::size_t widest_panel = 32;
  return tile_queries * (d + v) + 2 * tile_queries + 2 * widest_panel + 2 * tile_keys * widest_panel;
}

void fused_tile(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  target().tile(head, first, rows, mask, scratch, counts);
}

bool mark_odd_rows(const float* rows, std::size_t stride, std::size_t count, std::size_t width, std::uint8_t* odd) {
  const vi size = all(std::int32_t{0x7FFFFFFF});
  const vi most = bits(all(ordinary));
  bool any = false;
  for (std::size_t i = 0; i < count; ++i, rows += stride) {
    vi above{};
    std::size_t c = 0;
    // the bits of a float's size are ordered as its sizes are, and NaN lies above infinity
    for (; c + lanes <= width; c += lanes) above |= (bits(wide(rows + c)) & size) > most;
    bool found = false;
    for (std::size_t lane = 0; lane < lanes; ++lane) found = found || above[lane] != 0;
    for (; c < width; ++c) found = found || !(__builtin_fabsf(rows[c]) <= ordinary);
    if (found) odd[i] = 1;
    any = any || found;
  }
  return any;
}

const char* fused_target() { return target().name; }

}  // namespace attn::kernels

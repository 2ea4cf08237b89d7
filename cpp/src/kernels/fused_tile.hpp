// The body of fused_tile for one target; see fused.hpp for what it computes. Queries stand in lanes: two vectors of queries are a
// panel, packed once as [d][2 lanes] and multiplied by scale * log2(e). Then scores^T = K Q^T is [keys][panel] by splatting keys,
// the softmax goes lane by lane without a horizontal operation, and output^T = V^T P^T is [v][panel] by splatting values.
// Micro-tiles of 6 x 2 vectors with a fused multiply-add fill 15 registers; without one, 4 x 2.
#pragma once

#include "fused.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

constexpr std::size_t panel = 2 * lanes;
constexpr std::size_t height = fused ? 6 : 4;
constexpr float lowest = -3.0e38f;
constexpr float log2_e = 1.44269504f;

static_assert(tile_queries % panel == 0);

/// scores[j][0..1] = keys_j . q for `count` <= height keys; the largest of each lane into best.
template <std::size_t count>
[[gnu::always_inline]] inline void score_rows(const float* q, const float* keys, std::size_t stride, std::size_t d, float* scores, vf& best0, vf& best1) {
  vf a[count][2] = {};
  for (std::size_t i = 0; i < d; ++i, q += panel) {
    const vf q0 = wide(q);
    const vf q1 = wide(q + lanes);
    for (std::size_t j = 0; j < count; ++j) {
      const vf k = all(keys[j * stride + i]);
      a[j][0] = madd(k, q0, a[j][0]);
      a[j][1] = madd(k, q1, a[j][1]);
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    put(scores + j * panel, a[j][0]);
    put(scores + j * panel + lanes, a[j][1]);
    best0 = larger(best0, a[j][0]);
    best1 = larger(best1, a[j][1]);
  }
}

[[gnu::noinline]] void score_panel(const float* q, const float* keys, std::size_t stride, std::size_t d, std::size_t count, float* scores, vf* best) {
  vf best0 = best[0];
  vf best1 = best[1];
  std::size_t j = 0;
  for (; j + height <= count; j += height) score_rows<height>(q, keys + j * stride, stride, d, scores + j * panel, best0, best1);
  for (; j + 2 <= count; j += 2) score_rows<2>(q, keys + j * stride, stride, d, scores + j * panel, best0, best1);
  if (j < count) score_rows<1>(q, keys + j * stride, stride, d, scores + j * panel, best0, best1);
  best[0] = best0;
  best[1] = best1;
}

/// output[c][0..1] = output[c] * factor + sum_j values_jc p_j for `count` <= height columns.
template <std::size_t count>
[[gnu::always_inline]] inline void pool_columns(const float* p, const float* values, std::size_t stride, std::size_t keys, vf f0, vf f1, float* output) {
  vf a[count][2];
  for (std::size_t c = 0; c < count; ++c) {
    a[c][0] = wide(output + c * panel) * f0;
    a[c][1] = wide(output + c * panel + lanes) * f1;
  }
  for (std::size_t j = 0; j < keys; ++j, p += panel, values += stride) {
    const vf p0 = wide(p);
    const vf p1 = wide(p + lanes);
    for (std::size_t c = 0; c < count; ++c) {
      const vf x = all(values[c]);
      a[c][0] = madd(x, p0, a[c][0]);
      a[c][1] = madd(x, p1, a[c][1]);
    }
  }
  for (std::size_t c = 0; c < count; ++c) {
    put(output + c * panel, a[c][0]);
    put(output + c * panel + lanes, a[c][1]);
  }
}

[[gnu::noinline]] void pool_panel(const float* p, const float* values, std::size_t stride, std::size_t keys, std::size_t v, const vf* factor, float* output) {
  std::size_t c = 0;
  for (; c + height <= v; c += height) pool_columns<height>(p, values + c, stride, keys, factor[0], factor[1], output + c * panel);
  for (; c + 2 <= v; c += 2) pool_columns<2>(p, values + c, stride, keys, factor[0], factor[1], output + c * panel);
  if (c < v) pool_columns<1>(p, values + c, stride, keys, factor[0], factor[1], output + c * panel);
}

/// Scores to weights of the running softmax, in place: p = 2^(s - best); sums of the lanes are added to sum * factor.
[[gnu::noinline]] void weigh_panel(float* scores, std::size_t count, const vf* best, const vf* factor, vf* sum) {
  const vf b0 = best[0];
  const vf b1 = best[1];
  vf s0{};
  vf s1{};
  for (std::size_t j = 0; j < count; ++j, scores += panel) {
    const vf p0 = exp2(wide(scores) - b0);
    const vf p1 = exp2(wide(scores + lanes) - b1);
    s0 += p0;
    s1 += p1;
    put(scores, p0);
    put(scores + lanes, p1);
  }
  sum[0] = madd(sum[0], factor[0], s0);
  sum[1] = madd(sum[1], factor[1], s1);
}

/// What the rows of a panel may see of keys [begin, end): nothing, everything, or a word of lanes a key in `open`.
enum class Sight { nothing, some, everything };

inline Sight sight(const TileRows& mask, std::size_t row, std::size_t rows, std::uint32_t begin, std::uint32_t end, std::int32_t* open) {
  std::size_t whole = 0;
  std::size_t none = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const KeySpan* spans = mask.spans[row + r];
    const std::uint32_t count = mask.counts[row + r];
    bool inside = false;
    bool touched = false;
    for (std::uint32_t s = 0; s < count && spans[s].begin < end; ++s) {
      if (spans[s].end <= begin) continue;
      touched = true;
      inside = spans[s].begin <= begin && spans[s].end >= end;
    }
    whole += inside;
    none += !touched;
  }
  if (none == rows) return Sight::nothing;
  if (whole == rows && rows == panel) return Sight::everything;
  if (open == nullptr) return whole == rows ? Sight::everything : Sight::some;
  for (std::size_t i = 0; i < (end - begin) * panel; ++i) open[i] = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const KeySpan* spans = mask.spans[row + r];
    for (std::uint32_t s = 0; s < mask.counts[row + r] && spans[s].begin < end; ++s) {
      const std::uint32_t from = spans[s].begin > begin ? spans[s].begin : begin;
      const std::uint32_t to = spans[s].end < end ? spans[s].end : end;
      for (std::uint32_t key = from; key < to; ++key) open[(key - begin) * panel + r] = -1;
    }
  }
  return Sight::some;
}

/// As score_panel and weigh_panel, where only open places count: others weigh exactly 0.
[[gnu::noinline]] void close_scores(float* scores, const std::int32_t* open, std::size_t count, vf* best) {
  vf b0 = best[0];
  vf b1 = best[1];
  for (std::size_t j = 0; j < count; ++j, scores += panel, open += panel) {
    const vi o0 = __builtin_bit_cast(vi, wide(reinterpret_cast<const float*>(open)));
    const vi o1 = __builtin_bit_cast(vi, wide(reinterpret_cast<const float*>(open + lanes)));
    const vf s0 = bits((bits(wide(scores)) & o0) | (bits(all(lowest)) & ~o0));
    const vf s1 = bits((bits(wide(scores + lanes)) & o1) | (bits(all(lowest)) & ~o1));
    b0 = larger(b0, s0);
    b1 = larger(b1, s1);
    put(scores, s0);
    put(scores + lanes, s1);
  }
  best[0] = b0;
  best[1] = b1;
}

/// Weights of closed places, which are 2^0 where a row has no open key so far, become 0, and leave the sum.
[[gnu::noinline]] void close_weights(float* weights, const std::int32_t* open, std::size_t count, const vf* best, const vf* factor, vf* sum) {
  vf s0{};
  vf s1{};
  for (std::size_t j = 0; j < count; ++j, weights += panel, open += panel) {
    const vi o0 = __builtin_bit_cast(vi, wide(reinterpret_cast<const float*>(open)));
    const vi o1 = __builtin_bit_cast(vi, wide(reinterpret_cast<const float*>(open + lanes)));
    const vf p0 = bits(bits(exp2(wide(weights) - best[0])) & o0);
    const vf p1 = bits(bits(exp2(wide(weights + lanes) - best[1])) & o1);
    s0 += p0;
    s1 += p1;
    put(weights, p0);
    put(weights + lanes, p1);
  }
  sum[0] = madd(sum[0], factor[0], s0);
  sum[1] = madd(sum[1], factor[1], s1);
}

struct Running {
  vf best[2];
  vf sum[2];
};

/// Scratch: packed queries, output^T and running softmax of every panel; scores and open places of one.
inline std::size_t scratch_floats(std::size_t d, std::size_t v) {
  constexpr std::size_t panels = tile_queries / panel;
  return panels * panel * (d + v) + panels * (sizeof(Running) / sizeof(float)) + 2 * tile_keys * panel;
}

inline void fused_tile_here(const Head& head, std::size_t first, std::size_t rows, const TileRows* mask, float* scratch, TileCounts& counts) {
  const std::size_t panels = (rows + panel - 1) / panel;
  float* packed = scratch;
  float* output = packed + tile_queries * head.d;
  float* running_at = output + tile_queries * head.v;
  float* scores = running_at + (tile_queries / panel) * (sizeof(Running) / sizeof(float));
  std::int32_t* open = reinterpret_cast<std::int32_t*>(scores + tile_keys * panel);
  const auto running = [&](std::size_t p) {
    Running state;
    __builtin_memcpy(&state, running_at + p * (sizeof(Running) / sizeof(float)), sizeof state);
    return state;
  };
  const auto keep = [&](std::size_t p, const Running& state) { __builtin_memcpy(running_at + p * (sizeof(Running) / sizeof(float)), &state, sizeof state); };

  const float scale = head.scale * log2_e;
  for (std::size_t p = 0; p < panels; ++p) {
    float* to = packed + p * panel * head.d;
    for (std::size_t r = 0; r < panel; ++r) {
      const std::size_t row = p * panel + r;
      const float* from = head.queries + (first + row) * head.query_stride;
      for (std::size_t i = 0; i < head.d; ++i) to[i * panel + r] = row < rows ? from[i] * scale : 0.0f;
    }
    keep(p, {{all(lowest), all(lowest)}, {vf{}, vf{}}});
  }
  for (std::size_t i = 0; i < tile_queries * head.v; ++i) output[i] = 0;

  for (std::size_t key = 0; key < head.m; key += tile_keys) {
    const std::size_t count = head.m - key < tile_keys ? head.m - key : tile_keys;
    const auto begin = static_cast<std::uint32_t>(key);
    const auto end = static_cast<std::uint32_t>(key + count);
    if (mask != nullptr) {
      const Sight whole = sight(*mask, 0, rows, begin, end, nullptr);
      if (whole == Sight::nothing) {
        ++counts.empty;
        continue;
      }
      ++(whole == Sight::everything ? counts.full : counts.mixed);
    } else {
      ++counts.full;
    }
    const float* keys = head.keys + key * head.key_stride;
    const float* values = head.values + key * head.value_stride;
    for (std::size_t p = 0; p < panels; ++p) {
      const std::size_t in_panel = rows - p * panel < panel ? rows - p * panel : panel;
      const Sight sees = mask == nullptr ? Sight::everything : sight(*mask, p * panel, in_panel, begin, end, open);
      if (sees == Sight::nothing) continue;
      Running state = running(p);
      vf best[2] = {state.best[0], state.best[1]};
      if (sees == Sight::everything) {
        score_panel(packed + p * panel * head.d, keys, head.key_stride, head.d, count, scores, best);
      } else {
        vf unused[2] = {all(lowest), all(lowest)};
        score_panel(packed + p * panel * head.d, keys, head.key_stride, head.d, count, scores, unused);
        close_scores(scores, open, count, best);
      }
      const vf factor[2] = {exp2(state.best[0] - best[0]), exp2(state.best[1] - best[1])};
      if (sees == Sight::everything) {
        weigh_panel(scores, count, best, factor, state.sum);
      } else {
        close_weights(scores, open, count, best, factor, state.sum);
      }
      pool_panel(scores, values, head.value_stride, count, head.v, factor, output + p * panel * head.v);
      state.best[0] = best[0];
      state.best[1] = best[1];
      keep(p, state);
    }
  }

  for (std::size_t p = 0; p < panels; ++p) {
    float best[panel];
    float sum[panel];
    const Running state = running(p);
    put(best, state.best[0]);
    put(best + lanes, state.best[1]);
    put(sum, state.sum[0]);
    put(sum + lanes, state.sum[1]);
    const float* from = output + p * panel * head.v;
    for (std::size_t r = 0; r < panel && p * panel + r < rows; ++r) {
      const std::size_t row = first + p * panel + r;
      float* to = head.output + row * head.output_stride;
      const float share = sum[r] > 0 ? 1.0f / sum[r] : 0.0f;
      for (std::size_t c = 0; c < head.v; ++c) to[c] = from[c * panel + r] * share;
      if (head.best != nullptr) head.best[row] = best[r];
      if (head.sum != nullptr) head.sum[row] = sum[r];
    }
  }
}

}  // namespace
}  // namespace attn::kernels

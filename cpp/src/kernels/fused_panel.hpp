// What is done to a panel of queries and a run of keys, for one target: scores closed by a mask, scores to weights of the running softmax, weights and
// what they pool, and the output back in rows. Lane by lane, without a horizontal operation:
//   p = 2^(s - base), sum = sum * factor + sum_j p_j, output = output * factor + sum_j p_j v_j
// The products are in fused_products.hpp, what few keys rule in fused_heavy.hpp. Part of the body of fused_tile; included once a target.
#pragma once

#include "fused.hpp"
#include "fused_heavy.hpp"
#include "fused_products.hpp"
#include "fused_sight.hpp"
#include "panel.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

constexpr float log2_e = 1.44269504f;
/// The largest score of a row before it has any, and what stands for a closed one: 2^(closed - least) is exactly 0. Scores of ordinary
/// entries are larger than both.
constexpr float least = -1.0e38f;
constexpr float closed = -3.0e38f;

/// Bases of up to this size are whole numbers, which exp2 takes off together with the magic number.
constexpr float whole_base = 0x1p21f;
[[gnu::always_inline]] inline vi is_whole(vf base) { return (base <= all(whole_base)) & (base >= all(-whole_base)); }

/// The whole number next to the largest score of each lane, below which weights are reckoned: rescaling then loses nothing. Beyond 2^21 in
/// size, and where a lane sees nothing (`least`), the score itself.
[[gnu::always_inline]] inline void round_base(float* base) {
  const vf magic = all(12582912.0f);  // 1.5 * 2^23
  for (std::size_t r = 0; r < panel; r += lanes) {
    const vf top = wide(base + r);
    const vi whole_number = is_whole(top);
    put(base + r, bits((bits(top + magic - magic) & whole_number) | (bits(top) & ~whole_number)));
  }
}

/// One vector of lanes of weigh_panel. Four keys at a time: their sum errs less than the long one.
[[gnu::noinline]] void weigh_lanes(float* scores, std::size_t count, vf base, const float* factor, float* sum) {
  const Exp2Numbers* const numbers = exp2_memory();
  // a larger base would drown the magic number; not that of a lane which sees nothing, whose scores are all closed
  if (some_lane(~is_whole(base) & (base != all(least)))) {
    for (std::size_t j = 0; j < count; ++j) put(scores + j * panel, wide(scores + j * panel) - base);
    base = vf{};
  }
  const vf shift = all(numbers->magic) - base;
  vf total{};
  ATTN_ROLLED
  for (; count >= 4; count -= 4, scores += 4 * panel) {
    vf p[4];
    for (std::size_t u = 0; u < 4; ++u) p[u] = wide(scores + u * panel);
    exp2(numbers, shift, p);
    for (std::size_t u = 0; u < 4; ++u) put(scores + u * panel, p[u]);
    total += (p[0] + p[1]) + (p[2] + p[3]);
  }
  ATTN_ROLLED
  for (; count > 0; --count, scores += panel) {
    vf p[1] = {wide(scores)};
    exp2(numbers, shift, p);
    put(scores, p[0]);
    total += p[0];
  }
  put(sum, madd(wide(sum), wide(factor), total));
}

/// Scores to weights of the running softmax, in place: p = 2^(s - base); sums of the lanes are added to sum * factor.
void weigh_panel(float* scores, std::size_t count, const float* base, const float* factor, float* sum) {
  weigh_lanes(scores, count, wide(base), factor, sum);
  weigh_lanes(scores + lanes, count, wide(base + lanes), factor + lanes, sum + lanes);
}

/// Closes scores that may not be seen, and finds the largest of the others.
[[gnu::noinline]] void close_scores(float* scores, const Sight& sight, float* best) {
  const vf none = all(closed);
  vf b0 = wide(best);
  vf b1 = wide(best + lanes);
  const auto close = [&](vi open0, vi open1) {
    const vf s0 = bits((bits(wide(scores)) & open0) | (bits(none) & ~open0));
    const vf s1 = bits((bits(wide(scores + lanes)) & open1) | (bits(none) & ~open1));
    b0 = larger(b0, s0);
    b1 = larger(b1, s1);
    put(scores, s0);
    put(scores + lanes, s1);
    scores += panel;
  };
  if (sight.words != nullptr) {
    const std::int32_t* word = sight.words;
    for (std::uint32_t key = sight.begin; key < sight.end; ++key, word += panel) {
      close(bits(wide(reinterpret_cast<const float*>(word))), bits(wide(reinterpret_cast<const float*>(word + lanes))));
    }
  } else {
    const vi from0 = whole(sight.from), from1 = whole(sight.from + lanes), to0 = whole(sight.to), to1 = whole(sight.to + lanes);
    const auto close_keys = [&](std::uint32_t begin, std::uint32_t end) {
      vi key = all(static_cast<std::int32_t>(begin));
      for (std::uint32_t k = begin; k < end; ++k, key += 1) close((key >= from0) & (key < to0), (key >= from1) & (key < to1));
    };
    const KeySpan core = sight.core.begin < sight.core.end ? sight.core : KeySpan{sight.end, sight.end};
    close_keys(sight.begin, core.begin);
    for (std::uint32_t k = core.begin; k < core.end; ++k, scores += panel) {
      b0 = larger(b0, wide(scores));
      b1 = larger(b1, wide(scores + lanes));
    }
    close_keys(core.end, sight.end);
  }
  put(best, b0);
  put(best + lanes, b1);
}

/// Asks for all the rows at once before they are read one by one: WebAssembly has no prefetch.
[[gnu::noinline]] void fetch_rows(const float* rows, std::size_t stride, std::size_t count, std::size_t width) {
  constexpr std::size_t cache_line = 16;
  for (std::size_t r = 0; r < count; ++r, rows += stride) {
    ATTN_ROLLED
    for (std::size_t c = 0; c < width; c += cache_line) {
#if defined(__wasm__)
      asm volatile("" : : "r"(rows[c]));
#else
      __builtin_prefetch(rows + c);
#endif
    }
  }
}

/// rows[r][c] = from[c][r] / sum[r]; 0 where the sum is.
[[gnu::noinline]] void unpack_panel(const float* from, const float* sum, std::size_t count, std::size_t v, float* rows, std::size_t stride) {
  float whole_of[panel];  // a division rounds once, a product with the reciprocal twice; where there is no sum, all is 0
  for (std::size_t r = 0; r < panel; ++r) whole_of[r] = sum[r] > 0 ? sum[r] : 1.0f;
  for (std::size_t r = 0; r < count; r += 4) {
    const std::size_t whole_width = r + 4 <= count ? v & ~std::size_t{3} : 0;
    quad scale;
    __builtin_memcpy(&scale, whole_of + r, sizeof(quad));
    for (std::size_t c = 0; c < whole_width; c += 4) {
      quad x[4];
      for (std::size_t k = 0; k < 4; ++k) {
        __builtin_memcpy(&x[k], from + (c + k) * panel + r, sizeof(quad));
        x[k] /= scale;
      }
      transpose(x);
      for (std::size_t k = 0; k < 4; ++k) __builtin_memcpy(rows + (r + k) * stride + c, &x[k], sizeof(quad));
    }
    for (std::size_t k = r; k < r + 4 && k < count; ++k) {
      for (std::size_t c = whole_width; c < v; ++c) rows[k * stride + c] = from[c * panel + k] / whole_of[k];
    }
  }
}

/// kept[i] = kept[i] * factor + recent[i], and recent[i] = 0, for `count` vectors of a panel.
[[gnu::noinline]] void keep_sums(float* kept, float* recent, std::size_t count, const float* factor) {
  for (std::size_t r = 0; r < panel; r += lanes) {
    const vf by = wide(factor + r);
    for (std::size_t i = r; i < count * panel; i += panel) {
      put(kept + i, madd(wide(kept + i), by, wide(recent + i)));
      put(recent + i, vf{});
    }
  }
}

/// Weights of a run of keys, and what they pool. `sharp`: heavy keys are weighed once more.
void weigh_and_pool(const Head& head, const PanelKeys& run, bool sharp) {
  weigh_panel(run.scores, run.count, run.base, run.factor, run.sum);
  Heavy heavy[most_heavy];
  const std::size_t found = sharp ? take_heavy(head, run, heavy) : 0;
  pool_panel(run.scores, head.values + run.key * head.value_stride, head.value_stride, run.count, head.v, run.factor, run.output);
  put_heavy(head, run, heavy, found);
}

}  // namespace
}  // namespace attn::kernels

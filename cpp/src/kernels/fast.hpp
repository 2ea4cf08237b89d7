// Four small kernels over vectors of floats: a row of softmax, a panel of a matrix product, a panel of additive scores, entropies of a
// panel of queries. Float32, for one piece of work at a time: shapes, masks and batches are the callers' (fast_*.cpp), and so are the
// double references that the tests compare with. A table of them an instruction set (targets.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace attn::kernels {

/// How additive scores are computed from what is packed; see fast_additive.hpp for which may be used when.
enum class AdditiveForm { tangents, exponentials, sums };

/// Floats a hidden unit that a query or a key takes in a form.
[[nodiscard]] constexpr std::size_t additive_floats(AdditiveForm form) noexcept { return form == AdditiveForm::tangents ? 2 : 1; }

/// Hidden units that are summed from their own start before they join a score: a long float sum errs by its largest part at every step.
inline constexpr std::size_t additive_block = 16;

/// One panel of additive scores: `rows` queries with `panel` keys.
struct AdditivePanel {
  const float* const* queries;  ///< packed rows of an even number of hidden units
  float* const* out;            ///< `panel` floats each
  const float* keys;            ///< [hidden][floats][panel]
  const float* w;               ///< [hidden], times -2 for the exponentials; not read for the tangents
  const float* starts;          ///< what each additive_block of hidden units starts with: its sum of w for the exponentials, else 0
  std::size_t rows, hidden;     ///< hidden is even
};

struct FastKernels {
  std::size_t panel;  ///< columns of a panel: two vectors

  /// Softmax of `count` scores, and zeros up to `total`; `out` may be `in`. False, with nothing written, where a score is NaN or +infinity.
  bool (*softmax)(const float* in, float* out, std::size_t count, std::size_t total);

  /// out[i][0..panel) = a[i][0..k) . b[0..k)[0..panel), summed from zero and then added to what stands in `out` when `add`.
  void (*product)(const float* a, std::size_t a_stride, std::size_t rows, const float* b, std::size_t b_stride, std::size_t k, float* out, std::size_t out_stride, bool add);

  /// to[i][0..panel) = row 0..panel of `from` at i, times `factor`; rows from `rows` on are 0.
  void (*transpose)(const float* from, std::size_t stride, std::size_t rows, std::size_t k, float factor, float* to);

  /// `count` entries (a multiple of 16) to tanh x, e^2x or x: what additive panels are packed with.
  void (*additive_prepare)(AdditiveForm form, float* x, std::size_t count);
  void (*additive)(AdditiveForm form, const AdditivePanel& panel);

  /// scores[keys][panel] less the largest of their lane; and where, as j * panel + lane, they are then above -near. Returns how many.
  std::size_t (*shift)(float* scores, std::size_t keys, float near, std::uint32_t* close);
  /// Floats to doubles.
  void (*widen)(const float* from, std::size_t count, double* to);
  /// scores[keys][panel] of packed queries [d][panel] with keys [keys][d], both widened, less the largest of their lane, computed in double; `room`
  /// holds as many.
  void (*exact)(const double* queries, const double* keys, std::size_t count, std::size_t d, double* room, float* scores);
  /// From shifted scores: sums of e^t and of e^t t, t = factor * score, for every lane.
  void (*spread)(const float* scores, std::size_t keys, float factor, double* sum, double* weighted);
};

/// Columns of a panel on the target that every build has, the only one of WebAssembly.
inline constexpr std::size_t base_panel = 8;

/// The table of the instruction set that runs here (targets.hpp).
[[nodiscard]] const FastKernels& fast_kernels();

extern const FastKernels fast_kernels_base;
#if defined(__x86_64__) && !defined(ATTN_SCALAR)
extern const FastKernels fast_kernels_avx2;
extern const FastKernels fast_kernels_avx512;
#endif

}  // namespace attn::kernels

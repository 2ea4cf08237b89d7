// See peers.hpp. The softmax is the same for all of them, as fast as plain loops get: eight partial maxima and sums, and e^x by
// rounding to a power of two and a polynomial.
#include "peers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef ATTN_BENCH_OPENBLAS
#include <cblas.h>
#endif
#ifdef ATTN_BENCH_EIGEN
#include <Eigen/Core>
#endif

namespace bench {
namespace {

inline float exp_of(float x) {
  const float power = std::max(x * 1.44269504f, -126.0f);
  const float shifted = power + 12582912.0f;
  const float f = power - (shifted - 12582912.0f);
  std::int32_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits - 0x4B400000 + 127) << 23;
  float two;
  std::memcpy(&two, &bits, sizeof two);
  return two * (1.0f + f * (0.693147182f + f * (0.240226477f + f * (0.0555033237f + f * (0.00961843692f + f * 0.00133988739f)))));
}

/// For each example and head: its operands and its part of the output.
template <class Head>
void each_head(const Attention& work, float* output, Head head) {
  for (std::size_t b = 0; b < work.batch; ++b) {
    for (std::size_t h = 0; h < work.heads; ++h) {
      const std::size_t at = b * work.heads + h;
      head(b, work.queries + at * work.n * work.d, work.keys + at * work.m * work.d, work.values + at * work.m * work.v, output + at * work.n * work.v);
    }
  }
}

void softmax_rows(const Attention& work, std::size_t b, std::size_t columns, float* scores) {
  for (std::size_t i = 0; i < work.n; ++i) softmax_row(scores + i * columns, std::min(work.keys_of(b, i), columns), columns);
}

#ifdef ATTN_BENCH_OPENBLAS
void by_openblas(const Attention& work, float* scores, float* output) {
  openblas_set_num_threads(1);
  const auto n = static_cast<blasint>(work.n), d = static_cast<blasint>(work.d), v = static_cast<blasint>(work.v);
  each_head(work, output, [&](std::size_t b, const float* q, const float* k, const float* values, float* out) {
    const auto m = static_cast<blasint>(work.keys_of(b));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, m, d, 1 / std::sqrt(static_cast<float>(work.d)), q, d, k, d, 0, scores, m);
    softmax_rows(work, b, work.keys_of(b), scores);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, v, m, 1, scores, m, values, v, 0, out, v);
  });
}
#endif

#ifdef ATTN_BENCH_EIGEN
void by_eigen(const Attention& work, float* scores, float* output) {
  Eigen::setNbThreads(1);
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto index = [](std::size_t size) { return static_cast<Eigen::Index>(size); };
  each_head(work, output, [&](std::size_t b, const float* q, const float* k, const float* values, float* out) {
    const std::size_t m = work.keys_of(b);
    Eigen::Map<Matrix> s(scores, index(work.n), index(m));
    s.noalias() = (1 / std::sqrt(static_cast<float>(work.d))) * (Eigen::Map<const Matrix>(q, index(work.n), index(work.d)) * Eigen::Map<const Matrix>(k, index(m), index(work.d)).transpose());
    softmax_rows(work, b, m, scores);
    Eigen::Map<Matrix>(out, index(work.n), index(work.v)).noalias() = s * Eigen::Map<const Matrix>(values, index(m), index(work.v));
  });
}
#endif

void by_loops(const Attention& work, float* scores, float* output) {
  const float scale = 1 / std::sqrt(static_cast<float>(work.d));
  each_head(work, output, [&](std::size_t b, const float* q, const float* k, const float* values, float* out) {
    for (std::size_t i = 0; i < work.n; ++i) {
      const std::size_t open = work.keys_of(b, i);
      for (std::size_t j = 0; j < open; ++j) {
        float sums[16] = {};
        std::size_t c = 0;
        for (; c + 16 <= work.d; c += 16) {
          for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += q[i * work.d + c + lane] * k[j * work.d + c + lane];
        }
        float score = 0;
        for (; c < work.d; ++c) score += q[i * work.d + c] * k[j * work.d + c];
        for (const float sum : sums) score += sum;
        scores[j] = score * scale;
      }
      softmax_row(scores, open, open);
      float* row = out + i * work.v;
      std::fill_n(row, work.v, 0.0f);
      for (std::size_t j = 0; j < open; ++j) {
        for (std::size_t c = 0; c < work.v; ++c) row[c] += scores[j] * values[j * work.v + c];
      }
    }
  });
}

}  // namespace

void softmax_row(float* row, std::size_t open, std::size_t count) {
  constexpr std::size_t lanes = 16;
  float best[lanes];
  std::fill_n(best, lanes, -INFINITY);
  std::size_t j = 0;
  for (; j + lanes <= open; j += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) best[lane] = best[lane] < row[j + lane] ? row[j + lane] : best[lane];
  }
  float largest = *std::max_element(best, best + lanes);
  for (; j < open; ++j) largest = std::max(largest, row[j]);
  float sums[lanes] = {};
  j = 0;
  for (; j + lanes <= open; j += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      row[j + lane] = exp_of(row[j + lane] - largest);
      sums[lane] += row[j + lane];
    }
  }
  float sum = 0;
  for (; j < open; ++j) sum += row[j] = exp_of(row[j] - largest);
  for (const float part : sums) sum += part;
  const float share = sum > 0 ? 1 / sum : 0;
  for (j = 0; j < open; ++j) row[j] *= share;
  std::fill(row + open, row + count, 0.0f);
}

const std::vector<Peer>& peers() {
  static const std::vector<Peer> all{
#ifdef ATTN_BENCH_OPENBLAS
      {"openblas", by_openblas},
#endif
#ifdef ATTN_BENCH_EIGEN
      {"eigen", by_eigen},
#endif
      {"loops", by_loops},
  };
  return all;
}

std::string about_peers() {
  std::string text;
#ifdef ATTN_BENCH_OPENBLAS
  text.append("OpenBLAS with its ").append(openblas_get_corename()).append(" kernels (OPENBLAS_CORETYPE chooses others)");
#else
  text.append("OpenBLAS is missing (libopenblas-dev)");
#endif
#ifdef ATTN_BENCH_EIGEN
  text.append("; Eigen ").append(std::to_string(EIGEN_WORLD_VERSION)).append(".").append(std::to_string(EIGEN_MAJOR_VERSION)).append(".").append(std::to_string(EIGEN_MINOR_VERSION));
#else
  text.append("; Eigen is missing (libeigen3-dev)");
#endif
  return text;
}

}  // namespace bench

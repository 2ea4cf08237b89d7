// Sizes, classes and panels of the fast additive scores; see attn/fast_additive.hpp, and kernels/fast_additive.hpp for the three forms.
// Queries and keys are sorted by the size of their largest entry, so that a tiny query beside a large one keeps its digits: each class
// of queries meets each class of keys in the form that the larger of the two needs.
#include "attn/fast_additive.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "attn/math.hpp"
#include "fast_calls.hpp"
#include "fast_shapes.hpp"
#include "kernels/fast.hpp"
#include "kernels/fused.hpp"
#include "room.hpp"

namespace attn {
namespace {

using kernels::AdditiveForm;

/// A larger weight times 1 + e^40 might leave the floats: units that have one are added apart, in double.
constexpr float most_weight = 0x1p40f;
/// additive_prepare takes whole groups of these.
constexpr std::size_t group = 16;
/// Rows that go to the kernel at once.
constexpr std::size_t row_block = 64;

/// Up to here a row may be computed by tangents, and by exponentials.
constexpr float most_tangents = 0.5f;
constexpr float most_exponentials = 10.0f;

/// Indices of rows by the form that their largest entry needs, ascending in each class.
class Classes {
 public:
  explicit Classes(std::size_t rows) : large_(rows), huge_(rows), indices_(rows) {}

  void sort(const float* rows, std::size_t h) {
    const std::size_t count = indices_.size();
    large_.reset(count);
    huge_.reset(count);
    kernels::mark_odd_rows(rows, h, count, h, most_tangents, large_.data());
    kernels::mark_odd_rows(rows, h, count, h, most_exponentials, huge_.data());
    std::size_t at = 0;
    for (std::size_t form = 0; form < 3; ++form) {
      ends_[form] = at;
      for (std::size_t i = 0; i < count; ++i) {
        if (static_cast<std::size_t>(large_[i] + huge_[i]) == form) indices_[at++] = i;
      }
    }
    ends_[3] = at;
  }
  [[nodiscard]] std::span<const std::size_t> of(std::size_t form) const { return indices_.all().subspan(ends_[form], ends_[form + 1] - ends_[form]); }

 private:
  Room<std::uint8_t> large_, huge_;
  Room<std::size_t> indices_;
  std::array<std::size_t, 4> ends_{};
};

struct Scratch {
  Room<float> raw, queries, keys, out, w, starts;
};

/// Entries of one class of rows, prepared for the form: [row][hidden][floats], the second float of the tangents times w.
void pack_queries(const kernels::FastKernels& fast, AdditiveForm form, const float* rows, std::span<const std::size_t> chosen, std::size_t h, const float* w, Scratch& scratch) {
  const std::size_t hidden = h + h % 2;
  float* to = scratch.raw.data();
  for (const std::size_t i : chosen) {
    std::copy(rows + i * h, rows + (i + 1) * h, to);
    std::fill(to + h, to + hidden, 0.0f);
    to += hidden;
  }
  const std::size_t count = chosen.size() * hidden;
  std::fill(to, to + (group - count % group) % group, 0.0f);
  fast.additive_prepare(form, scratch.raw.data(), (count + group - 1) / group * group);
  if (form != AdditiveForm::tangents) {
    std::copy(scratch.raw.data(), scratch.raw.data() + count, scratch.queries.data());
    return;
  }
  for (std::size_t i = 0; i < count; i += hidden) {
    for (std::size_t c = 0; c < hidden; ++c) {
      scratch.queries[2 * (i + c)] = scratch.raw[i + c];
      scratch.queries[2 * (i + c) + 1] = scratch.raw[i + c] * w[c];
    }
  }
}

/// One panel of keys: [hidden][floats][panel].
void pack_keys(const kernels::FastKernels& fast, AdditiveForm form, const float* rows, const std::size_t* chosen, std::size_t count, std::size_t h, const float* w, Scratch& scratch) {
  const std::size_t hidden = h + h % 2;
  const std::size_t panel = fast.panel;
  const std::size_t floats = kernels::additive_floats(form);
  float* raw = floats == 1 ? scratch.keys.data() : scratch.raw.data();
  if (chosen[count - 1] - chosen[0] == count - 1) {
    fast.transpose(rows + chosen[0] * h, h, count, h, 1.0f, raw);
  } else {
    for (std::size_t c = 0; c < h; ++c) {
      for (std::size_t j = 0; j < panel; ++j) raw[c * panel + j] = j < count ? rows[chosen[j] * h + c] : 0.0f;
    }
  }
  std::fill(raw + h * panel, raw + hidden * panel, 0.0f);
  fast.additive_prepare(form, raw, hidden * panel);
  if (floats == 1) return;
  for (std::size_t c = 0; c < hidden; ++c) {
    float* to = scratch.keys.data() + 2 * c * panel;
    for (std::size_t j = 0; j < panel; ++j) {
      to[j] = raw[c * panel + j];
      to[panel + j] = raw[c * panel + j] * w[c];
    }
  }
}

/// The exponentials' form is sum w - sum 2 w / (1 + e), block by block.
void prepare_weights(AdditiveForm form, const float* w, std::size_t h, Scratch& scratch) {
  scratch.w.reset(h + h % 2);
  scratch.starts.reset(h / kernels::additive_block + 1);
  const bool exponentials = form == AdditiveForm::exponentials;
  for (std::size_t first = 0; first < h; first += kernels::additive_block) {
    double sum = 0;
    for (std::size_t c = first; c < std::min(h, first + kernels::additive_block); ++c) {
      scratch.w[c] = exponentials ? -2 * w[c] : w[c];
      sum += static_cast<double>(w[c]);
    }
    if (exponentials) scratch.starts[first / kernels::additive_block] = static_cast<float>(sum);
  }
}

struct Example {
  const float* queries;
  const float* keys;
  const float* w;
  float* out;
  std::size_t m, h;
};

/// Scores of one class of queries with one class of keys.
void score(const kernels::FastKernels& fast, AdditiveForm form, const Example& example, std::span<const std::size_t> queries, std::span<const std::size_t> keys, Scratch& scratch) {
  const std::size_t hidden = example.h + example.h % 2;
  const std::size_t panel = fast.panel;
  const std::size_t row_floats = hidden * kernels::additive_floats(form);
  prepare_weights(form, example.w, example.h, scratch);
  // the tangents' packing wants w itself, with a zero for the unit that makes the number even
  const float* w = scratch.w.data();
  pack_queries(fast, form, example.queries, queries, example.h, w, scratch);
  std::array<const float*, row_block> rows{};
  std::array<float*, row_block> out{};
  for (std::size_t first = 0; first < keys.size(); first += panel) {
    const std::size_t width = std::min(panel, keys.size() - first);
    const std::size_t* chosen = keys.data() + first;
    pack_keys(fast, form, example.keys, chosen, width, example.h, w, scratch);
    const bool direct = width == panel && chosen[panel - 1] - chosen[0] == panel - 1;
    for (std::size_t row = 0; row < queries.size(); row += row_block) {
      const std::size_t count = std::min(row_block, queries.size() - row);
      for (std::size_t i = 0; i < count; ++i) {
        rows[i] = scratch.queries.data() + (row + i) * row_floats;
        out[i] = direct ? example.out + queries[row + i] * example.m + chosen[0] : scratch.out.data() + i * panel;
      }
      fast.additive(form, {.queries = rows.data(), .out = out.data(), .keys = scratch.keys.data(), .w = w, .starts = scratch.starts.data(), .rows = count, .hidden = hidden});
      for (std::size_t i = 0; i < count && !direct; ++i) {
        for (std::size_t j = 0; j < width; ++j) example.out[queries[row + i] * example.m + chosen[j]] = out[i][j];
      }
    }
  }
}

/// Adds the units that the kernels leave out: giants and infinities among the weights, and NaN.
void add_giants(const Example& example, std::size_t n, const float* w, std::span<const std::size_t> units) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < example.m; ++j) {
      float& score = example.out[i * example.m + j];
      double sum = static_cast<double>(score);
      for (const std::size_t c : units) {
        sum += static_cast<double>(w[c]) * math::tanh(static_cast<double>(example.queries[i * example.h + c]) + static_cast<double>(example.keys[j * example.h + c]));
      }
      score = static_cast<float>(sum);
    }
  }
}

}  // namespace

std::optional<Error> calls::check_additive(const AdditiveScores& call, std::size_t panel) {
  const auto& [queries, keys, w, scores] = call;
  const auto [batch, n, h] = queries.shape;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{2}}) {
    if (keys.shape[axis] != queries.shape[axis]) return misfit("keys", keys.shape, "queries", queries.shape, axis, queries.shape[axis]);
  }
  if (w.shape[0] != h) return misfit("w", w.shape, "queries", queries.shape, 0, h);
  if (auto error = check_output(scores.shape, std::array{batch, n, keys.shape[1]})) return error;
  const std::array<std::size_t, 3> packed{std::max(n, panel), h + h % 2, 2};
  if (const auto elements = checked_elements("queries", packed, sizeof(float)); !elements) return elements.error();
  return std::nullopt;
}

void calls::run_additive(const AdditiveScores& call) {
  const auto [batch, n, h] = call.queries.shape;
  const std::size_t m = call.keys.shape[1];
  if (call.scores.size() == 0) return;
  const kernels::FastKernels& fast = kernels::fast_kernels();
  const std::size_t hidden = h + h % 2;
  Room<float> usual(h);
  Room<std::size_t> giants(h);
  std::size_t found = 0;
  for (std::size_t c = 0; c < h; ++c) {
    usual[c] = call.w.data[c];
    if (std::fabs(usual[c]) <= most_weight) continue;
    giants[found++] = c;
    usual[c] = 0;
  }
  Scratch scratch;
  scratch.raw.reset(std::max(n, fast.panel) * hidden + group);
  scratch.queries.reset(2 * n * hidden);
  scratch.keys.reset(2 * fast.panel * hidden);
  scratch.out.reset(row_block * fast.panel);
  Classes query_classes(n);
  Classes key_classes(m);
  for (std::size_t b = 0; b < batch; ++b) {
    const Example example{call.queries.data + b * n * h, call.keys.data + b * m * h, usual.data(), call.scores.data + b * n * m, m, h};
    query_classes.sort(example.queries, h);
    key_classes.sort(example.keys, h);
    for (std::size_t of_query = 0; of_query < 3; ++of_query) {
      for (std::size_t of_key = 0; of_key < 3; ++of_key) {
        const auto queries = query_classes.of(of_query);
        const auto keys = key_classes.of(of_key);
        if (queries.empty() || keys.empty()) continue;
        score(fast, static_cast<AdditiveForm>(std::max(of_query, of_key)), example, queries, keys, scratch);
      }
    }
    if (found > 0) add_giants(example, n, call.w.data, giants.all().first(found));
  }
}

std::optional<Error> fast_additive_scores_into(const View<const float, 3>& queries, const View<const float, 3>& keys, const View<const float, 1>& w, const View<float, 3>& scores) {
  const calls::AdditiveScores call{queries, keys, w, scores};
  if (auto error = check_additive(call, kernels::fast_kernels().panel)) return error;
  run_additive(call);
  return std::nullopt;
}

Result<Tensor<float, 3>> fast_additive_scores(const Tensor<float, 3>& queries, const Tensor<float, 3>& keys, const Tensor<float, 1>& w) {
  const std::array<std::size_t, 3> shape{shape_of(queries)[0], shape_of(queries)[1], shape_of(keys)[1]};
  if (const auto elements = checked_elements("output", shape, sizeof(float)); !elements) return elements.error();
  Tensor<float, 3> scores = Tensor<float, 3>::from_shape(shape);
  if (auto error = fast_additive_scores_into(view_of(queries), view_of(keys), view_of(w), view_of(scores))) return *std::move(error);
  return scores;
}

}  // namespace attn

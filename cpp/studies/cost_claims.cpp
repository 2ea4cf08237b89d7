// What the page of The price of attention states about operations and bytes. Counts are proved by running attention on numbers that
// count what is done with them and arrays that count what is moved. See evidence.hpp.
#include "cost_claims.hpp"

#include <algorithm>
#include <cmath>

#include "additive_counts.hpp"
#include "attn/math.hpp"
#include "attn/pooling.hpp"
#include "attn/random/jax.hpp"
#include "attn/score.hpp"
#include "cost_counts.hpp"
#include "cost_jobs.hpp"
#include "evidence.hpp"

namespace attn::studies {
namespace {

using namespace cost_counts;

struct Tally {
  double products = 0;              ///< operations of the two products
  std::array<double, 6> softmax{};  ///< of each kind, in the order of `softmax_kinds`
  double bytes = 0;
};

constexpr std::array<const char*, 6> softmax_kinds{"scaled", "compared with the largest so far", "had it subtracted", "exponentiated", "added", "divided"};
static_assert(softmax_kinds.size() == softmax_operations);

/// A matrix in memory: every number read or written is four bytes moved.
class Moved {
 public:
  Moved(std::size_t rows, std::size_t columns, Tally& tally) : columns_(columns), entries_(rows * columns), tally_(&tally) {}
  void fill(std::span<const double> data) { std::copy(data.begin(), data.end(), entries_.begin()); }
  [[nodiscard]] std::vector<double> read() const {
    tally_->bytes += 4 * static_cast<double>(entries_.size());
    return entries_;
  }
  void write(std::vector<double> data) {
    tally_->bytes += 4 * static_cast<double>(data.size());
    entries_ = std::move(data);
  }
  [[nodiscard]] std::size_t columns() const { return columns_; }

 private:
  std::size_t columns_;
  std::vector<double> entries_;
  Tally* tally_;
};

/// (rows, depth) times the transpose of (columns, depth), counted.
std::vector<double> multiplied(const std::vector<double>& a, const std::vector<double>& b, std::size_t depth, Tally& tally) {
  std::vector<double> out;
  for (std::size_t r = 0; r < a.size() / depth; ++r) {
    for (std::size_t c = 0; c < b.size() / depth; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < depth; ++i, tally.products += 2) sum += a[r * depth + i] * b[c * depth + i];
      out.push_back(sum);
    }
  }
  return out;
}

std::vector<double> normals(random::Key key, std::size_t count) {
  std::vector<float> draws(count);
  random::jax::normal(key, 0, draws);
  return {draws.begin(), draws.end()};
}

struct Inputs {
  Tensor<double, 3> queries, keys, values;
};

Tensor<double, 3> tensor(std::size_t rows, std::size_t width, const std::vector<double>& data) {
  Tensor<double, 3> out = Tensor<double, 3>::from_shape({1, rows, width});
  std::copy(data.begin(), data.end(), out.begin());
  return out;
}

Inputs draw(const Sizes& s, std::uint64_t seed) {
  const auto keys = random::jax::split(random::jax::key(seed), 3);
  return {tensor(s.n, s.d, normals(keys[0], s.n * s.d)), tensor(s.m, s.d, normals(keys[1], s.m * s.d)), tensor(s.m, s.v, normals(keys[2], s.m * s.v))};
}

/// Attention in four passes over the scores: product, softmax, product. Its tally, and its greatest distance from the core's output.
std::pair<Tally, double> in_passes(const Sizes& s) {
  const Inputs inputs = draw(s, 12);
  Tally tally;
  Moved q(s.n, s.d, tally), k(s.m, s.d, tally), v(s.m, s.v, tally), scores(s.n, s.m, tally), weights(s.n, s.m, tally), output(s.n, s.v, tally);
  q.fill({inputs.queries.data(), inputs.queries.size()});
  k.fill({inputs.keys.data(), inputs.keys.size()});
  v.fill({inputs.values.data(), inputs.values.size()});
  scores.write(multiplied(q.read(), k.read(), s.d, tally));
  std::vector<double> rows = scores.read();
  const auto done = [&](std::size_t kind) { tally.softmax[kind] += 1; };
  for (std::size_t r = 0; r < s.n; ++r) {
    const auto row = std::span(rows).subspan(r * s.m, s.m);
    double largest = -1e300, sum = 0;
    for (double& x : row) x /= std::sqrt(static_cast<double>(s.d)), done(0);
    for (const double x : row) largest = std::max(largest, x), done(1);
    for (double& x : row) x -= largest, done(2);
    for (double& x : row) x = math::exp(x), done(3);
    for (const double x : row) sum += x, done(4);
    for (double& x : row) x /= sum, done(5);
  }
  weights.write(std::move(rows));
  const std::vector<double> values = v.read();
  std::vector<double> turned;
  for (std::size_t c = 0; c < s.v; ++c) {
    for (std::size_t j = 0; j < s.m; ++j) turned.push_back(values[j * s.v + c]);
  }
  std::vector<double> pooled = multiplied(weights.read(), turned, s.m, tally);
  const auto core = dot_product_attention(inputs.queries, inputs.keys, inputs.values).value();
  double apart = 0;
  for (std::size_t i = 0; i < pooled.size(); ++i) apart = std::max(apart, std::fabs(pooled[i] - core.output.data()[i]));
  output.write(std::move(pooled));
  return {tally, apart};
}

constexpr std::array<Sizes, 4> tried{{{3, 6, 4, 5, 2}, {1, 1, 1, 1, 1}, {9, 4, 7, 2, 3}, {16, 33, 8, 8, 4}}};

std::string sizes_text(const Sizes& s) {
  return std::string("n ").append(std::to_string(s.n)).append(", m ").append(std::to_string(s.m)).append(", d ").append(std::to_string(s.d)).append(", v ").append(std::to_string(s.v));
}

Finding counted_products() {
  Proof proof;
  for (const Sizes& s : tried) {
    const auto [tally, apart] = in_passes(s);
    proof.require(tally.products == work(s)[materialised].operations && tally.products == work(s)[tiled].operations, std::to_string(static_cast<long>(tally.products)).append(" operations at ").append(sizes_text(s)));
    proof.within("distance from the core", apart, 0, 1e-14);
  }
  return proof.finding();
}

Finding counted_passes() {
  Proof proof;
  for (const Sizes& s : tried) {
    const double bytes = in_passes(s).first.bytes;
    proof.require(bytes == work(s)[materialised].bytes, std::to_string(static_cast<long>(bytes)).append(" bytes at ").append(sizes_text(s)));
    const auto each = passes(s);
    proof.require(each[0] + each[1] + each[2] + each[3] == 16.0 * static_cast<double>(s.n * s.m), "16nm of them scores and weights");
  }
  return proof.finding();
}

Finding counted_softmax() {
  Proof proof;
  for (const Sizes& s : tried) {
    const auto counted = in_passes(s).first.softmax;
    for (std::size_t kind = 0; kind < counted.size(); ++kind) {
      proof.require(counted[kind] == static_cast<double>(s.n * s.m), std::string("each score is once ").append(softmax_kinds[kind]).append(", at ").append(sizes_text(s)));
    }
  }
  proof.require(materialised_limit(64, 64, softmax_operations) - materialised_limit(64, 64) == 0.375, "limit raised by 6/16");
  proof.require(materialised_limit(64, 64, softmax_operations) == 16.375, "16.375 at d = v = 64");
  return proof.finding();
}

Finding limit() {
  Proof proof;
  for (const auto& [d, v] : {std::pair<std::size_t, std::size_t>{64, 64}, {1, 1}, {256, 64}, {7, 1000}}) {
    double before = 0, share = 0;
    bool rising = true;
    for (std::size_t n = 1; n <= (std::size_t{1} << 24U); n *= 2) {
      share = work({n, n, d, v, 1})[materialised].intensity() / materialised_limit(d, v);
      rising = rising && share > before && share < 1;
      before = share;
    }
    proof.require(rising, std::string("rises and stays below (d + v)/8 at d ").append(std::to_string(d)).append(", v ").append(std::to_string(v)));
    proof.within("share of it at n = m = 2^24", share, 0.9999, 1);
  }
  return proof.finding();
}

Finding limit_64() {
  Proof proof;
  proof.require(materialised_limit(64, 64) == 16, "(64 + 64)/8 is 16");
  proof.within("at 1024 by 1024", work({1024, 1024, 64, 64, 64})[materialised].intensity(), 15.055, 15.065);
  return proof.finding();
}

Finding in_tiles() {
  Proof proof;
  for (const std::size_t n : {4U, 64U, 1000U, 32768U}) {
    for (const std::size_t d : {1U, 64U, 300U}) {
      const Work one = work({n, n, d, d, 1})[tiled];
      proof.require(one.intensity() == static_cast<double>(n) / 4, std::string("n/4 at n ").append(std::to_string(n)).append(", d ").append(std::to_string(d)));
    }
  }
  for (const Sizes& s : tried) proof.require(work(s)[materialised].bytes - work(s)[tiled].bytes == 16.0 * static_cast<double>(s.n * s.m), "16nm bytes fewer");
  return proof.finding();
}

Finding in_blocks() {
  Proof proof;
  for (const std::size_t r : {8U, 32U, 128U}) {
    const std::size_t length = std::size_t{1} << 22U;
    // A block of r queries reads its own rows, and all keys and values once more.
    const Work block = work({r, length, 64, 64, 1})[tiled];
    proof.within(std::string("blocks of ").append(std::to_string(r)).append(", share of r/2"), block.intensity() / (static_cast<double>(r) / 2), 0.9999, 1);
  }
  return proof.finding();
}

Finding one_query() {
  Proof proof;
  for (const std::size_t d : {1U, 64U, 1024U}) {
    proof.within(std::string("d ").append(std::to_string(d)), work({1, std::size_t{1} << 22U, d, d, 1})[tiled].intensity(), 0.4999, 0.5);
  }
  return proof.finding();
}

Finding two_accelerators() {
  Proof proof;
  const double asked = materialised_limit(64, 64);
  proof.within("A100", accelerators[0].gflops / accelerators[0].gbs, 12.5, 12.6);
  proof.within("H100", accelerators[2].gflops / accelerators[2].gbs, 20, 20);
  proof.require(accelerators[0].gflops / accelerators[0].gbs < asked && asked < accelerators[2].gflops / accelerators[2].gbs, "16 lies between");
  return proof.finding();
}

Finding tensor_cores() {
  Proof proof;
  proof.within("A100 tensor cores", accelerators[1].gflops / accelerators[1].gbs, 100, 101);
  proof.require(work({512, 512, 64, 64, 64})[tiled].intensity() > accelerators[1].gflops / accelerators[1].gbs, "512 tokens in tiles are past it");
  return proof.finding();
}

Finding kept_hidden() {
  Proof proof;
  for (const std::size_t h : {1U, 64U, 1024U}) {
    const Work one = work({1U << 24U, 1U << 24U, 64, 64, h})[additive_direct];
    proof.within(std::string("h ").append(std::to_string(h)).append(", over h/(2h + 1)"), one.intensity() / one.limit, 0.999, 1.001);
    proof.within("the limit", one.limit, 0.33, 0.4999);
  }
  return proof.finding();
}

Finding factored() {
  Proof proof;
  double worst = 0;
  for (double a = -4; a <= 4; a += 0.25) {
    for (double b = -4; b <= 4; b += 0.25) worst = std::max(worst, std::fabs(1 - 2 / (1 + math::exp(2 * a) * math::exp(2 * b)) - math::tanh(a + b)));
  }
  proof.within("distance from tanh(a + b)", worst, 0, 1e-15);
  const Work one = work({1U << 24U, 1U << 24U, 64, 64, 64})[additive_factored];
  proof.within("operations a byte over h", one.intensity() / 64, 0.999, 1);
  return proof.finding();
}

Finding timed() {
  Proof proof;
  const auto all = cost_jobs::jobs({512, 512, 64, 64, 64}, 128);
  for (std::size_t w = 0; w < all.race.size(); ++w) {
    const auto& row = all.race[w];
    const std::size_t width = cost_jobs::race_widths[w];
    const double pairs = 512.0 * 512.0;
    proof.require(row[cost_jobs::dot].batch == 4 && row[cost_jobs::dot].share == 1, "four sequences of the dot product");
    proof.require(row[cost_jobs::dot].operations == 4 * (2 * pairs * static_cast<double>(width) + pairs), "it is charged a division a score");
    for (const auto rule : {cost_jobs::factored, cost_jobs::direct}) {
      proof.require(row[rule].batch == 1 && row[rule].share == 0.25 && row[rule].workload() == 4 * row[rule].operations, "a quarter of the additive rule");
    }
    proof.require(4 * static_cast<double>(row[cost_jobs::direct].block * 512 * width) == 32.0 * 1024 * 1024, std::string("32 MiB are ").append(std::to_string(row[cost_jobs::direct].block)).append(" queries"));
  }
  // Queries divided beforehand come to the same scores: as many divisions as they have entries.
  for (const Sizes& s : tried) {
    const Inputs inputs = draw(s, 13);
    const double root = std::sqrt(static_cast<double>(s.d));
    std::vector<double> divided(inputs.queries.begin(), inputs.queries.end());
    for (double& entry : divided) entry /= root;
    proof.require(divided.size() == s.n * s.d, std::string("nd divisions at ").append(sizes_text(s)));
    Tally tally;
    const std::vector<double> product = multiplied(divided, {inputs.keys.begin(), inputs.keys.end()}, s.d, tally);
    const auto scored = scores(ScoreRule{ScaledDot{}}, inputs.queries, inputs.keys).value();
    double apart = 0;
    for (std::size_t i = 0; i < product.size(); ++i) apart = std::max(apart, std::fabs(product[i] - scored.data()[i]));
    proof.within("distance from the scaled scores", apart, 0, 1e-14);
  }
  return proof.finding();
}

/// A hidden unit of a pair as the rule is written, each operation counted; what it gives is what the factored form gives.
Finding hidden_units() {
  Proof proof;
  for (const auto& [q, k, w] : {std::tuple{0.3, -1.2, 0.7}, std::tuple{-2.0, 0.5, -1.5}, std::tuple{0.0, 0.0, 1.0}}) {
    double count = 0;
    const auto once = [&count](double value) { return count += 1, value; };
    const double sum = once(q + k);
    const double unit = once(math::tanh(sum));
    const double weighted = once(w * unit);
    const double score = once(0.25 + weighted);
    proof.within("distance from the factored form", std::fabs(score - (0.25 + w * (1 - 2 / (1 + math::exp(2 * q) * math::exp(2 * k))))), 0, 1e-15);
    proof.require(count == 4, "four operations as written");
  }
  for (const Sizes& s : tried) {
    const auto all = work(s);
    Sizes wider = s;
    wider.h += 1;
    const double unit = work(wider)[additive_factored].operations - all[additive_factored].operations;
    proof.require(all[additive_direct].operations == all[additive_factored].operations, std::string("both are charged the same at ").append(sizes_text(s)));
    proof.require(unit == static_cast<double>(4 * s.n * s.m + 2 * (s.n + s.m) * s.d), "a unit more is four operations a pair and its projections");
  }
  return proof.finding();
}

Finding race() {
  Proof proof;
  const auto all = cost_jobs::jobs({512, 512, 64, 64, 64}, 128);
  for (const auto& [w, low, high] : {std::tuple{0U, 2.23, 2.24}, std::tuple{1U, 2.99, 3.0}}) {
    const auto& row = all.race[w];
    proof.within("operations over those of the dot product", row[cost_jobs::factored].workload() / row[cost_jobs::dot].workload(), low, high);
    const std::size_t width = cost_jobs::race_widths[w];
    const Work kept = work({512, 512, width, width, width})[additive_direct];
    proof.require(kept.largest == static_cast<double>(width) * 512 * 512, std::to_string(width).append(" times the scores"));
    proof.within("bytes of four sequences", 4 * 4 * kept.largest, w == 0 ? 2.6e8 : 1.07e9, w == 0 ? 2.7e8 : 1.08e9);
  }
  return proof.finding();
}

}  // namespace

std::vector<Claim> cost_claims() {
  std::vector<Claim> claims{
      {"products", "The two products take 2nmd + 2nmv operations.", proof(counted_products)},
      {"passes", "Scores and weights, each written once and read once, move 16nm bytes; queries, keys, values and output move 4(nd + md + mv + nv).", proof(counted_passes)},
      {"limit", "With length the ratio rises towards (d + v)/8 and never reaches it.", proof(limit)},
      {"limit-64", "At d = v = 64 that is 16 operations a byte; 1024 queries and keys have come to 15.06.", proof(limit_64)},
      {"softmax", "Scaling and softmax take six operations a score, one each to scale it, to compare it with the largest, to subtract that, to exponentiate, to add and to divide, which moves the limit by 6/16, to 16.375.", proof(counted_softmax)},
      {"tiled", "Attention in tiles moves 16nm bytes fewer, and with equal lengths and equal widths its ratio is n/4.", proof(in_tiles)},
      {"blocks", "Where the cache holds only a block of r queries, keys and values are read anew for every block, and the ratio stays below r/2.", proof(in_blocks)},
      {"one-query", "One query against a long cache of keys comes to half an operation a byte even in tiles, at any width.", proof(one_query)},
      {"two-accelerators", "An A100 asks for 12.5 operations a byte and an H100 for 20, and 16 lies between them.", proof(two_accelerators)},
      {"tensor-cores", "With its tensor cores, which multiply in TF32, the A100 asks for 100; in tiles 512 queries and keys are past that.", proof(tensor_cores)},
      {"kept-hidden", "With length, additive scoring that keeps its hidden units tends to h/(2h + 1), which is less than half an operation a byte at any width.", proof(kept_hidden)},
      {"factored", "As 1 − 2/(1 + rt), where r and t are the exponentials of 2q and 2k, tanh(q + k) needs an exponential for each query’s and each key’s unit and keeps no hidden layer; its ratio tends to h.", proof(factored)},
      {"hidden-units", "A hidden unit of a pair counts four operations, its sum, its tanh, and the multiplication and addition of its weight; the factored form is charged the same, however it is run.", proof(hidden_units)},
      {"race", "For four sequences of 512 the additive rule takes 2.2 times the operations of the dot product at width 64 and 3.0 times at 256; its hidden layer takes 0.27 and 1.07 GB.", proof(race)},
      {"timed", "The dot product is timed on all four sequences; where it is timed as a product of matrices, here and with scores kept, the queries are divided by √d beforehand, nd divisions in place of nm. The additive rules are timed on one of the four sequences and their times multiplied by four; hidden units that are kept are written and read in blocks of 32 MiB, not all at once.", proof(timed)},
  };
  for (Claim& claim : cost_mask_claims()) claims.push_back(std::move(claim));
  return claims;
}

}  // namespace attn::studies

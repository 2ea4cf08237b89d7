// The softmax Jacobian's study: forward differentiation against central differences and a matrix multiplied out, eigenvalues
// against known ones, the bound over random rows, and what the parameters refuse.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

#include "attn/entropy.hpp"
#include "attn/random/jax.hpp"
#include "attn/random/torch.hpp"
#include "attn/softmax.hpp"
#include "jacobian_rows.hpp"
#include "saturation_theory.hpp"
#include "studies.hpp"
#include "support.hpp"

using namespace attn;

namespace {

std::vector<Series> ran(const Given& given) {
  Workspace workspace;
  return run(studies::jacobian(), given, workspace).value().series;
}

const std::vector<double>& series(const std::vector<Series>& all, const std::string& name) {
  return std::find_if(all.begin(), all.end(), [&](const Series& each) { return each.name == name; })->data;
}

}  // namespace

TEST_CASE("forward differentiation agrees with central differences", "[jacobian]") {
  support::Bits bits(5);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> scores(2 + bits.below(7));
    for (double& score : scores) score = bits.real(-4, 4);
    const std::size_t n = scores.size();
    const std::vector<double> forward = studies::forward_jacobian(scores);
    constexpr double step = 1e-5;
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> up(n), down(n), moved = scores;
      moved[j] = scores[j] + step;
      softmax_row(moved, up);
      moved[j] = scores[j] - step;
      softmax_row(moved, down);
      for (std::size_t i = 0; i < n; ++i) CHECK(std::fabs((up[i] - down[i]) / (2 * step) - forward[i * n + j]) < 1e-9);
    }
  }
}

TEST_CASE("eigenvalues of symmetric matrices", "[jacobian]") {
  CHECK(studies::symmetric_eigenvalues({3, 0, 0, -1}, 2) == std::vector<double>{-1, 3});
  const std::vector<double> two = studies::symmetric_eigenvalues({2, 1, 1, 2}, 2);
  CHECK(std::fabs(two[0] - 1) < 1e-15);
  CHECK(std::fabs(two[1] - 3) < 1e-15);
  // even weights over n keys: J = (I - 1/n) / n has eigenvalue 0 once and 1/n otherwise
  for (const std::size_t n : {2u, 5u, 8u}) {
    const auto jacobian = softmax_jacobian(std::vector<double>(n, 1.0 / static_cast<double>(n))).value();
    const std::vector<double> values = studies::symmetric_eigenvalues({jacobian.begin(), jacobian.end()}, n);
    CHECK(std::fabs(values[0]) < 1e-15);
    for (std::size_t i = 1; i < n; ++i) CHECK(std::fabs(values[i] - 1 / static_cast<double>(n)) < 1e-15);
  }
  // trace and sum of squares are kept
  support::Bits bits(8);
  std::vector<double> matrix(36);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) matrix[i * 6 + j] = matrix[j * 6 + i] = bits.real(-2, 2);
  }
  const std::vector<double> values = studies::symmetric_eigenvalues(matrix, 6);
  double trace = 0, squares = 0, sum = 0, of_squares = 0;
  for (std::size_t i = 0; i < 6; ++i) trace += matrix[i * 7];
  for (const double entry : matrix) squares += entry * entry;
  for (const double value : values) sum += value, of_squares += value * value;
  CHECK(std::fabs(trace - sum) < 1e-13);
  CHECK(std::fabs(squares - of_squares) < 1e-12);
  CHECK(std::is_sorted(values.begin(), values.end()));
}

TEST_CASE("the plate's numbers are those of whole matrices", "[jacobian]") {
  const auto all = ran({{"scores", std::string("1,-2,0.5")}, {"keys", 7.0}, {"k", 3.0}, {"rows", 50.0}});
  const auto& weights = series(all, "own_weights");
  const auto& matrix = series(all, "own_jacobian");
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(std::fabs(matrix[i * 3 + j] - ((i == j ? weights[i] : 0.0) - weights[i] * weights[j])) < 1e-16);
      squares += matrix[i * 3 + j] * matrix[i * 3 + j];
    }
  }
  CHECK(std::fabs(series(all, "own_norm")[0] - std::sqrt(squares)) < 1e-15);
  CHECK(std::fabs(series(all, "at_norm")[0] - std::sqrt(2.0) / 3) < 1e-15);
  CHECK(series(all, "best_keys")[0] == 2);
  CHECK(series(all, "curve_keys").back() == 7);
  const auto& keys = series(all, "row_keys");
  const auto& norms = series(all, "row_norm");
  REQUIRE(norms.size() == 50);
  for (std::size_t i = 0; i < 50; ++i) {
    CHECK(keys[i] >= 1);
    CHECK(keys[i] <= 7.0000001);
    CHECK(norms[i] <= std::sqrt(std::max(0.0, 1 / keys[i] - 1 / (keys[i] * keys[i]))) + 1e-12);
  }
  CHECK(series(all, "closest")[0] >= -1e-8);
}

TEST_CASE("random rows are normal scores spread by factors even in their logarithm from 0.1 to 20", "[jacobian]") {
  for (const bool torch : {false, true}) {
    std::vector<float> normals(30 * 9), uniforms(30);
    if (torch) {
      random::torch::Generator generator(6);
      generator.randn(normals);
      generator.rand(uniforms);
    } else {
      random::jax::normal(random::jax::key(6), 0, normals);
      random::jax::uniform(random::jax::fold_in(random::jax::key(6), 1), 0, uniforms);
    }
    const auto rows = studies::random_rows(torch, 6, 30, 9, Workspace{}).value();
    for (std::size_t i = 0; i < 30; ++i) {
      const double spread = 0.1 * std::pow(200, static_cast<double>(uniforms[i]));
      double sum = 0, squares = 0, cubes = 0;
      for (std::size_t k = 0; k < 9; ++k) sum += std::exp(spread * static_cast<double>(normals[i * 9 + k]));
      for (std::size_t k = 0; k < 9; ++k) {
        const double w = std::exp(spread * static_cast<double>(normals[i * 9 + k])) / sum;
        squares += w * w;
        cubes += w * w * w;
      }
      // a spread of at most 20 and normals below 4 make exponents whose rounding, 80 times 2^-53, shows in the weights
      CHECK(std::fabs(rows.sum_squares[i] - squares) < 1e-13);
      // |diag(w) - w w^T|^2 = sum w^2 - 2 sum w^3 + (sum w^2)^2, which cancels where one weight is near one
      CHECK(std::fabs(rows.norms[i] * rows.norms[i] - (squares - 2 * cubes + squares * squares)) < 1e-13);
    }
  }
}

TEST_CASE("scores and shares that do not fit are refused, and mended in words", "[jacobian]") {
  const auto refused = [](const Given& given) { return validate(studies::jacobian(), given).error(); };
  CHECK(refused({{"scores", std::string("1")}}).message == "scores has 1 row of 1; allowed is one row of 2 to 8 numbers");
  CHECK(refused({{"scores", std::string("1,2;3,4")}}).code == ErrorCode::wrong_shape);
  CHECK(refused({{"scores", std::string("")}}).code == ErrorCode::wrong_shape);
  CHECK(refused({{"scores", std::string("1,701")}}).code == ErrorCode::out_of_range);
  CHECK(refused({{"scores", std::string("1,nan")}}).code == ErrorCode::out_of_range);
  CHECK(refused({{"keys", 3.0}, {"k", 4.0}}).message == "k is 4; allowed are integers from 1 to 3, the number of keys");
  const Repaired repaired = repair(studies::jacobian(), {{"keys", 3.0}, {"k", 4.0}, {"scores", std::string("1")}});
  CHECK(repaired.params.integer("k") == 3);
  CHECK(validate(studies::jacobian(), repaired.params.entries()).ok());
  CHECK(repaired.notices.size() == 2);
}

TEST_CASE("the approximation of the entropy ends where it meets zero", "[jacobian]") {
  std::vector<Series> all;
  studies::add_theory(100, 64, 1, "nats", all);
  const auto& dims = series(all, "theory_dims");
  const auto& values = series(all, "theory_unscaled");
  REQUIRE(dims.size() == 33);
  CHECK(dims.front() == 4);
  CHECK(std::fabs(dims.back() - 2 * std::log(64.0)) < 1e-12);
  CHECK(std::fabs(values.front() - (std::log(64.0) - 2)) < 1e-12);
  CHECK(values.back() < 1e-12);
  for (std::size_t i = 0; i < dims.size(); ++i) CHECK(std::fabs(values[i] - std::max(0.0, std::log(64.0) - dims[i] / 2)) < 1e-12);
  std::vector<Series> few;
  studies::add_theory(100, 7, 1, "nats", few);  // 2 ln 7 lies below d = 4
  CHECK(series(few, "theory_dims").empty());
  CHECK(std::fabs(series(few, "z_deviation_scaled")[0] - std::sqrt((std::exp(1.0) - 1) / 7)) < 1e-15);
}

TEST_CASE("near a one-hot row the formula loses no digit", "[jacobian]") {
  const auto all = ran({{"scores", std::string("40,0")}});
  const auto& matrix = series(all, "own_jacobian");
  const auto& forward = series(all, "own_forward");
  const double small = std::exp(-40.0);  // the weight of the second key, to its last digits
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::fabs(std::fabs(matrix[i]) / small - 1) < 1e-14);
    CHECK(std::fabs(forward[i] / matrix[i] - 1) < 1e-14);
  }
  for (const double sum : series(all, "own_row_sums")) CHECK(sum == 0);
  CHECK(series(all, "own_eigenvalues")[1] > 0);
}

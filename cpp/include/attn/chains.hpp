// The orders of rounding in which two frameworks print the numbers of the textbook section, digit for digit.
//
// These chains describe JAX 0.5's and PyTorch's CPU results; they are not how this library computes (see softmax.hpp). The JAX
// chain is float32 with fused multiply-adds where they are written and nowhere else; the PyTorch chain is double on the
// float32 draws, rounded once at the end. Both were found by search and are sufficient for the printed digits; other orders
// may print the same. They use math::fma alone, never a relaxed instruction, so every build gives the same bits.
// Source of the numbers: Dive into Deep Learning, sections 10.2.1.1, 10.2.2.1 and 10.2.4.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace attn::chains {

/// What the additive example needs, row-major: queries (3, 20), keys (6, 2), w_q (8, 20), w_k (8, 2), w_v (8); the last three
/// before their division by the square root of the width.
struct AdditiveDraws {
  std::span<const float> queries, keys, w_q, w_k, w_v;
};
inline constexpr std::size_t additive_queries = 3;
inline constexpr std::size_t additive_keys = 6;
inline constexpr std::size_t additive_hidden = 8;
inline constexpr std::size_t additive_query_width = 20;
inline constexpr std::size_t additive_key_width = 2;

namespace jax {

/// exp of a float32: 2^n times a polynomial in the rest, as XLA's CPU backend vectorises it.
[[nodiscard]] float exp(float x);

/// tanh of a float32: an odd rational on [-9, 9], the argument itself below 0.0004.
[[nodiscard]] float tanh(float x);

/// One row over its first `length` keys: exp of the difference from the maximum, summed in order, times the reciprocal of the
/// sum; 0 beyond, and all zeros for length 0.
void softmax_row(std::span<const float> scores, std::size_t length, std::span<float> weights);

/// The 18 weights of the additive example.
void additive_weights(const AdditiveDraws& draws, std::span<float> weights);

/// A float32 as NumPy prints it in an array: the fewest digits that identify it, at most 8 decimals, "0." and "1." for whole numbers.
[[nodiscard]] std::string text(float value);

}  // namespace jax

namespace torch {

/// One row over its first `length` keys in double, before the rounding to float32 that `text` does; 0 beyond, and all zeros
/// for length 0.
void softmax_row(std::span<const float> scores, std::size_t length, std::span<double> weights);

/// The 18 weights of the additive example, in double on the float32 draws; the scores alone are rounded to float32 between.
void additive_weights(const AdditiveDraws& draws, std::span<double> weights);

/// A weight as PyTorch prints it in a tensor of numbers below one thousand: rounded to float32, then four decimals.
[[nodiscard]] std::string text(double value);

}  // namespace torch

}  // namespace attn::chains

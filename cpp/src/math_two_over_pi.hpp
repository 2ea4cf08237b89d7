// The first 1280 bits of 2 / pi after the binary point, 32 bits a word: what reducing any double by pi / 2 needs.
//
// Derivation, in integers only: with B = 1400 and A(n) = sum_k (-1)^k floor(2^B / (n^(2k+1))) / (2k+1) (all divisions
// rounding down), Machin's formula gives P = 16 A(5) - 4 A(239), pi to 2^-1390; the words are the base 2^32 digits of
// floor(2^(B + 1 + 1280) / P). tests/cpp/math_test.cpp repeats this.
#pragma once

#include <array>
#include <cstdint>

namespace attn::math::detail {

inline constexpr std::array<std::uint32_t, 40> two_over_pi{
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
    0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
    0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F,
    0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B,
    0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB, 0xF0CFBC20, 0x9AF4361D};

}  // namespace attn::math::detail

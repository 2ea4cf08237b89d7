// Threefry bits and normals; see normals.hpp.
#include "normals.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "attn/math.hpp"

namespace attn::kernels {
namespace {

// Giles, "Approximating the erfinv function", GPU Computing Gems 2 (2011), single precision, highest power first.
constexpr std::array<float, 9> central{2.81022636e-08f, 3.43273939e-07f,  -3.5233877e-06f,  -4.39150654e-06f, 0.00021858087f,
                                       -0.00125372503f, -0.00417768164f, 0.246640727f,     1.50140941f};
constexpr std::array<float, 9> tail{-0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
                                    -0.0076224613f,   0.00943887047f,  1.00167406f,    2.83297682f};

float horner(const std::array<float, 9>& coefficients, float x) {
    float p = coefficients[0];
    for (std::size_t i = 1; i < coefficients.size(); ++i) {
        p = std::fma(p, x, coefficients[i]);
    }
    return p;
}

}  // namespace

void threefry_bits(random::Key key, std::uint64_t first, std::uint32_t* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t counter = first + i;
        const auto words = random::threefry2x32(key, {static_cast<std::uint32_t>(counter >> 32), static_cast<std::uint32_t>(counter)});
        out[i] = words[0] ^ words[1];
    }
}

float normal_reference(std::uint32_t bits) {
    constexpr float lowest = -0.99999994f;
    const float f = std::bit_cast<float>((bits >> 9) | 0x3F800000u) - 1.0f;
    const float shifted = f * 2.0f + lowest;
    const float u = shifted < lowest ? lowest : shifted;
    const float w = -math::log1p(-u * u);
    const float erfinv = (w < 5.0f ? horner(central, w - 2.5f) : horner(tail, std::sqrt(w) - 3.0f)) * u;
    return 1.41421356f * erfinv;
}

void threefry_normals(random::Key key, std::uint64_t first, float* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t bits = 0;
        threefry_bits(key, first + i, &bits, 1);
        out[i] = normal_reference(bits);
    }
}

}  // namespace attn::kernels

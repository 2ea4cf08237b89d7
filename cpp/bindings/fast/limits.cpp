// The machine's limits for JavaScript: work of one kind, for the caller to time. And which of the two builds this is.
#include "attn/limits.hpp"
#include "../plain/calls.hpp"

namespace attn::bindings {

/// How much was done: floating-point operations, bytes read and written, or exponentials.
ATTN_EXPORT(attn_spin) double attn_spin(std::uint32_t kind, std::uint32_t iterations) {
  return spin(kind == 0 ? Spin::multiply_add : kind == 1 ? Spin::copy : Spin::exponential, iterations);
}

#ifdef __wasm_relaxed_simd__
/// Does nothing: a module that has it is the build with relaxed SIMD, which nothing else it exports tells.
ATTN_EXPORT(attn_relaxed) void attn_relaxed() {}
#endif

}  // namespace attn::bindings

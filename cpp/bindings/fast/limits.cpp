// The machine's limits for JavaScript: work of one kind, for the caller to time.
#include "attn/limits.hpp"
#include "../plain/calls.hpp"

namespace attn::bindings {

/// How much was done: floating-point operations, bytes read and written, or exponentials.
ATTN_EXPORT(attn_spin) double attn_spin(std::uint32_t kind, std::uint32_t iterations) {
  return spin(kind == 0 ? Spin::multiply_add : kind == 1 ? Spin::copy : Spin::exponential, iterations);
}

}  // namespace attn::bindings

// What this machine can do at most on one thread, as work to be timed: independent multiply-adds in registers, copying memory beyond
// the caches, exponentials in the nearest cache. No clock and no figures: who calls it times it, and divides.
#pragma once

#include <cstdint>

namespace attn {

enum class Spin {
  multiply_add,  ///< chains of vectors, as many as hide an operation's latency: 2 operations a lane
  copy,          ///< 32 MiB to 32 MiB; read and written bytes both count
  exponential,   ///< 2^x of 4096 floats, as the kernels compute it
};

/// Does a piece of work `iterations` times; a piece takes about 10 microseconds, a copy some milliseconds.
/// @return operations, bytes or exponentials done
double spin(Spin kind, std::uint32_t iterations);

}  // namespace attn

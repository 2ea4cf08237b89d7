// Counts what the test program allocates with new: bytes live now and their peak. For tests of memory budgets.
#pragma once

#include <cstddef>

namespace support {

/// Bytes held by `new` at this moment.
std::size_t live_bytes() noexcept;
/// The most that were held since the last reset.
std::size_t peak_bytes() noexcept;
void reset_peak() noexcept;

}  // namespace support

// The program's operator new, counting. Each block carries its size in front of it; memory comes from malloc, so that the
// sanitisers still see every block.
#include "allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t header = alignof(std::max_align_t) < 16 ? 16 : alignof(std::max_align_t);
std::size_t live = 0;
std::size_t peak = 0;

void* allocate(std::size_t size) noexcept {
  void* block = std::malloc(size + header);
  if (block == nullptr) return nullptr;
  *static_cast<std::size_t*>(block) = size;
  live += size;
  if (live > peak) peak = live;
  return static_cast<char*>(block) + header;
}

void release(void* pointer) noexcept {
  if (pointer == nullptr) return;
  void* block = static_cast<char*>(pointer) - header;
  live -= *static_cast<std::size_t*>(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) {
  void* pointer = allocate(size);
  if (pointer == nullptr) std::abort();
  return pointer;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* pointer) noexcept { release(pointer); }
void operator delete[](void* pointer) noexcept { release(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { release(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { release(pointer); }
void operator delete(void* pointer, const std::nothrow_t&) noexcept { release(pointer); }
void operator delete[](void* pointer, const std::nothrow_t&) noexcept { release(pointer); }

namespace support {

std::size_t live_bytes() noexcept { return live; }
std::size_t peak_bytes() noexcept { return peak; }
void reset_peak() noexcept { peak = live; }

}  // namespace support

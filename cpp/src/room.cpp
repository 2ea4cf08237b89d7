// See room.hpp.
#include "room.hpp"

#include <cstdint>
#include <cstring>
#include <new>

namespace attn {

RawRoom::~RawRoom() { ::operator delete(data_); }

void RawRoom::zero(std::size_t count, std::size_t bytes_each) {
  // more than there can be is refused where memory is
  const std::size_t bytes = count > SIZE_MAX / bytes_each ? SIZE_MAX : count * bytes_each;
  if (bytes > bytes_) {
    ::operator delete(data_);
    data_ = nullptr;
    bytes_ = size_ = 0;
    data_ = ::operator new(bytes);
    bytes_ = bytes;
  }
  size_ = count;
  if (bytes > 0) std::memset(data_, 0, bytes);
}

}  // namespace attn

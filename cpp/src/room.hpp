// Working memory for so many numbers of a plain type. Not a vector: it does not grow element by element and throws nothing of its own, so that the
// modules for speed, whose every byte is downloaded, carry neither a vector's code for each type nor the tables of exceptions.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace attn {

class RawRoom {
 public:
  RawRoom(const RawRoom&) = delete;
  RawRoom& operator=(const RawRoom&) = delete;

 protected:
  RawRoom() = default;
  ~RawRoom();
  /// Zeros, in the memory at hand where that is large enough.
  void zero(std::size_t count, std::size_t bytes_each);

  void* data_ = nullptr;
  std::size_t size_ = 0;

 private:
  std::size_t bytes_ = 0;
};

template <class T>
class Room : RawRoom {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Room() = default;
  explicit Room(std::size_t size) { reset(size); }

  /// Becomes so many zeros; what was there is lost.
  void reset(std::size_t size) { zero(size, sizeof(T)); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(data_); }
  [[nodiscard]] T* begin() const noexcept { return data(); }
  [[nodiscard]] T* end() const noexcept { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] std::span<T> all() const noexcept { return {data(), size_}; }
};

}  // namespace attn

// What several test files share: a seeded bit source of the tests' own (not the core's generator), ULP distance, row access,
// and the reader of tests/data. Nothing here is part of the product.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "attn/tensor.hpp"

namespace support {

/// SplitMix64 (Steele, Lea and Flood 2014): enough for test inputs, and independent of what is tested.
class Bits {
 public:
  explicit Bits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// Uniform on [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform on [low, high).
  double real(double low, double high) { return low + (high - low) * unit(); }
  /// Uniform on 0..count-1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }

 private:
  std::uint64_t state_;
};

/// A tensor of scores on [-spread, spread).
template <class T>
attn::Tensor<T, 3> random_scores(Bits& bits, std::size_t batch, std::size_t queries, std::size_t keys, double spread) {
  auto scores = attn::Tensor<T, 3>::from_shape({batch, queries, keys});
  for (T& score : scores) score = static_cast<T>(bits.real(-spread, spread));
  return scores;
}

inline bool plus_zero(double value) { return value == 0 && !std::signbit(value); }

/// Bits equal, with all NaNs the same.
inline bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// FNV-1a over the bytes of 64-bit words, low byte first, and of texts, each closed by a zero byte.
class Hash {
 public:
  void add(double value) {
    const std::uint64_t word = std::isnan(value) ? 0x7FF8000000000000U : std::bit_cast<std::uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte) add_byte(static_cast<unsigned char>((word >> (8 * byte)) & 0xFF));
  }
  void add(const std::string& text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  void add_byte(unsigned char byte) {
    hash_ ^= byte;
    hash_ *= 0x100000001B3U;
  }
  std::uint64_t hash_ = 0xCBF29CE484222325U;
};

inline std::string data_path(const std::string& name) { return std::string(ATTN_TEST_DATA) + "/" + name; }

/// "1 6 10 = v v v": sizes and values.
struct Field {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// One record of masked-softmax-cases.txt: fields by name, in order of appearance.
struct Case {
  std::string id, about;
  std::multimap<std::string, Field> fields;
  std::vector<std::string> expressions;
  bool causal = false;
  double rel_tol = 0;

  [[nodiscard]] const Field* field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? nullptr : &found->second;
  }
};

inline Field read_field(std::istringstream& line) {
  Field field;
  std::string word;
  while (line >> word && word != "=") field.shape.push_back(std::stoul(word));
  while (line >> word) field.values.push_back(std::strtod(word.c_str(), nullptr));
  return field;
}

inline std::vector<Case> read_cases() {
  std::ifstream file(data_path("masked-softmax-cases.txt"));
  std::vector<Case> cases;
  std::string text;
  while (std::getline(file, text)) {
    if (text.empty() || text.front() == '#') continue;
    std::istringstream line(text);
    std::string name;
    line >> name;
    if (name == "case") {
      cases.emplace_back();
      line >> cases.back().id;
    } else if (name == "about") {
      cases.back().about = text.substr(6);
    } else if (name == "causal") {
      cases.back().causal = true;
    } else if (name == "expression") {
      cases.back().expressions.push_back(text.substr(11));
    } else if (name == "rel_tol") {
      line >> cases.back().rel_tol;
    } else if (name != "source") {
      cases.back().fields.emplace(name, read_field(line));
    }
  }
  return cases;
}

/// Three axes are (batch, queries, keys) and have one head.
template <class T>
attn::Tensor<T, 4> tensor_of(const Field& field) {
  std::vector<std::size_t> shape = field.shape;
  if (shape.size() == 3) shape.insert(shape.begin() + 1, 1);
  auto tensor = attn::Tensor<T, 4>::from_shape({shape.at(0), shape.at(1), shape.at(2), shape.at(3)});
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = static_cast<T>(field.values.at(i));
  return tensor;
}

inline attn::Tensor<bool, 4> mask_of(const Field& field) {
  const auto values = tensor_of<double>(field);
  attn::Tensor<bool, 4> mask = attn::Tensor<bool, 4>::from_shape(values.shape());
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = values.data()[i] != 0;
  return mask;
}

/// One head of a tensor; the only one, whatever the head, where it has one.
template <class T>
attn::Tensor<T, 3> head_of(const attn::Tensor<T, 4>& tensor, std::size_t head) {
  const auto [batch, heads, queries, keys] = attn::shape_of(tensor);
  auto part = attn::Tensor<T, 3>::from_shape({batch, queries, keys});
  for (std::size_t b = 0; b < batch; ++b) {
    const T* first = tensor.data() + (b * heads + (heads == 1 ? 0 : head)) * queries * keys;
    std::copy(first, first + queries * keys, part.data() + b * queries * keys);
  }
  return part;
}

}  // namespace support

// What the queries of a panel may see of a run of keys: nothing, everything, or some, as a span for each lane or as words of lanes. Only
// the keys that one of them may see are named, so that a causal panel computes as many keys as its last query sees. Part of the body
// of fused_tile; included once a target.
#pragma once

#include "fused.hpp"
#include "panel.hpp"
#include "wide.hpp"

namespace attn::kernels {
namespace {

static_assert(tile_queries % panel == 0);

[[gnu::always_inline]] inline vi whole(const std::int32_t* from) {
  vi v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

/// What the queries of a panel see of a tile.
enum class Sees : std::uint8_t { nothing, some, everything };

/// Of a run of keys: those from begin to end are to be computed; nothing when they are none.
struct Sight {
  std::uint32_t begin, end;
  bool some = false;                    ///< not every query may see all of these:
  const std::int32_t* from = nullptr;   ///< a lane sees keys [from, to), and every lane those of the core,
  const std::int32_t* to = nullptr;
  KeySpan core{0, 0};
  const std::int32_t* words = nullptr;  ///< or what a word of lanes for each key says, -1 or 0

  /// In one word, asked about the keys from `first` to `last`.
  [[nodiscard]] Sees sees(std::uint32_t first, std::uint32_t last) const {
    if (begin == end) return Sees::nothing;
    return !some && begin == first && end == last ? Sees::everything : Sees::some;
  }
};

class PanelSight {
 public:
  void look(const TileRows& mask, std::size_t first, std::size_t rows, std::uint32_t keys) {
    mask_ = &mask;
    first_ = first;
    rows_ = rows;
    simple_ = true;
    hull_ = {keys, 0};
    core_ = {0, keys};
    for (std::size_t r = 0; r < panel; ++r) {
      // lanes without a query see what they like
      KeySpan span{0, keys};
      at_[r] = 0;
      if (r < rows) {
        const std::uint32_t count = mask.counts[first + r];
        const KeySpan* spans = mask.spans[first + r];
        simple_ = simple_ && count <= 1;
        span = count == 0 ? KeySpan{0, 0} : spans[0];
        if (count > 0) {
          hull_.begin = span.begin < hull_.begin ? span.begin : hull_.begin;
          hull_.end = spans[count - 1].end > hull_.end ? spans[count - 1].end : hull_.end;
        }
        core_.begin = span.begin > core_.begin ? span.begin : core_.begin;
        core_.end = span.end < core_.end ? span.end : core_.end;
      }
      from_[r] = static_cast<std::int32_t>(span.begin);
      to_[r] = static_cast<std::int32_t>(span.end);
    }
  }

  /// Whether each query sees one run of keys, or none: then `of` needs no words, and may be asked about any number of keys.
  [[nodiscard]] bool simple() const { return simple_; }

  /// What queries that are simple see of the keys from begin to end.
  [[nodiscard]] Sees sees(std::uint32_t begin, std::uint32_t end) const {
    if (core_.begin <= begin && core_.end >= end) return Sees::everything;
    std::uint32_t from = hull_.begin > begin ? hull_.begin : begin;
    std::uint32_t to = hull_.end < end ? hull_.end : end;
    if (from < to) narrow(from, to);
    return from < to ? Sees::some : Sees::nothing;
  }

  /// Of the keys from begin to end, in ascending calls; `words` has room for as many keys.
  Sight of(std::uint32_t begin, std::uint32_t end, std::int32_t* words) {
    std::uint32_t from = hull_.begin > begin ? hull_.begin : begin;
    std::uint32_t to = hull_.end < end ? hull_.end : end;
    if (from >= to) return {begin, begin};
    if (!simple_) return in_words(begin, end, words);
    KeySpan core{core_.begin > from ? core_.begin : from, core_.end < to ? core_.end : to};
    if (core.begin <= from && core.end >= to) return {from, to};
    narrow(from, to);
    if (from >= to) return {begin, begin};
    core = {core_.begin > from ? core_.begin : from, core_.end < to ? core_.end : to};
    return {from, to, core.begin > from || core.end < to, from_, to_, core};
  }

 private:
  /// To the keys from `begin` to `end` that one of the queries may see.
  void narrow(std::uint32_t& begin, std::uint32_t& end) const {
    KeySpan seen{end, begin};
    for (std::size_t r = 0; r < rows_; ++r) {
      const auto from = static_cast<std::uint32_t>(from_[r]) > begin ? static_cast<std::uint32_t>(from_[r]) : begin;
      const auto to = static_cast<std::uint32_t>(to_[r]) < end ? static_cast<std::uint32_t>(to_[r]) : end;
      if (from >= to) continue;
      seen.begin = from < seen.begin ? from : seen.begin;
      seen.end = to > seen.end ? to : seen.end;
    }
    begin = seen.begin;
    end = seen.end;
  }

  Sight in_words(std::uint32_t begin, std::uint32_t end, std::int32_t* words) {
    std::size_t inside = 0;
    KeySpan hull{end, begin};
    for (std::size_t r = 0; r < rows_; ++r) {
      const KeySpan* spans = mask_->spans[first_ + r];
      const std::uint32_t count = mask_->counts[first_ + r];
      while (at_[r] < count && spans[at_[r]].end <= begin) ++at_[r];
      for (std::uint32_t s = at_[r]; s < count && spans[s].begin < end; ++s) {
        hull.begin = spans[s].begin < hull.begin ? spans[s].begin : hull.begin;
        hull.end = spans[s].end > hull.end ? spans[s].end : hull.end;
        inside += spans[s].begin <= begin && spans[s].end >= end;
      }
    }
    if (inside == rows_) return {begin, end};
    if (hull.begin < begin) hull.begin = begin;
    if (hull.end > end) hull.end = end;
    if (hull.begin >= hull.end) return {begin, begin};
    for (std::size_t i = 0; i < (hull.end - hull.begin) * panel; ++i) words[i] = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
      const KeySpan* spans = mask_->spans[first_ + r];
      for (std::uint32_t s = at_[r]; s < mask_->counts[first_ + r] && spans[s].begin < end; ++s) {
        const std::uint32_t from = spans[s].begin > begin ? spans[s].begin : begin;
        const std::uint32_t to = spans[s].end < end ? spans[s].end : end;
        for (std::uint32_t key = from; key < to; ++key) words[(key - hull.begin) * panel + r] = -1;
      }
    }
    return {hull.begin, hull.end, true, nullptr, nullptr, {0, 0}, words};
  }

  const TileRows* mask_ = nullptr;
  std::size_t first_ = 0;
  std::size_t rows_ = 0;
  bool simple_ = true;
  KeySpan hull_{0, 0};  ///< what any query may see lies in here
  KeySpan core_{0, 0};  ///< what every query may see, where each has one span
  std::int32_t from_[panel];
  std::int32_t to_[panel];
  std::uint32_t at_[panel];  ///< spans before these end before the last run
};

}  // namespace
}  // namespace attn::kernels

// Memory, words and errors of the modules for speed; their meanings stand in bridge.hpp.
#include "bridge.hpp"

#include <cstdlib>
#include <new>
#include <string>

#include "attn/text.hpp"

namespace attn::bindings {
namespace {

std::uint32_t given[word_count];
double found[16];
std::string last_error;

}  // namespace

std::uint32_t* words() { return given; }
double* numbers() { return found; }

const char* refused(const Error& error) {
  last_error.assign("{\"code\":").append(json_text(name(error.code))).append(",\"param\":").append(json_text(error.param));
  last_error.append(",\"message\":").append(json_text(error.message));
  if (error.at) last_error.append(",\"at\":").append(std::to_string(*error.at));
  last_error.append("}");
  return last_error.c_str();
}

const char* answered(const std::optional<Error>& error) { return error ? refused(*error) : nullptr; }

const char* answered(const Result<FusedTiles>& tiles) {
  if (!tiles) return refused(tiles.error());
  found[0] = static_cast<double>(tiles.value().full);
  found[1] = static_cast<double>(tiles.value().mixed);
  found[2] = static_cast<double>(tiles.value().empty);
  return nullptr;
}

void forget_error() { new (&last_error) std::string(); }

Result<FastMask> FastMask::read(std::size_t word, MaskSizes sizes) {
  const std::uint32_t* at = given + word;
  FastMask mask;
  if (at[0] == 1) {
    auto parsed = parse_mask(std::string_view(reinterpret_cast<const char*>(at[1]), at[2]));
    if (!parsed) return parsed.error();
    auto bound = BoundMask::make(std::move(parsed).value(), sizes);
    if (!bound) return bound.error();
    mask.expression_ = std::move(bound).value();
  } else if (at[0] == 2) {
    const std::array<std::size_t, 2> shape{at[4], at[5]};
    auto lens = ValidLens::make(std::span(reinterpret_cast<const double*>(at[1]), at[2]), std::span(shape).first(at[3]), {.name = "validLens", .keys = sizes.keys});
    if (!lens) return lens.error();
    mask.lens_ = std::move(lens).value();
  }
  return mask;
}

MaskView FastMask::view() const {
  if (expression_) return MaskView(*expression_);
  if (lens_) return MaskView(*lens_);
  return {};
}

ATTN_FAST(attn_words) std::uint32_t* attn_words() { return given; }
ATTN_FAST(attn_numbers) const double* attn_numbers() { return found; }

/// Memory aligned for doubles, or 0 where there is no more of it.
ATTN_FAST(attn_take) void* attn_take(std::size_t bytes) { return std::malloc(bytes); }
ATTN_FAST(attn_give) void attn_give(void* taken) { std::free(taken); }

}  // namespace attn::bindings

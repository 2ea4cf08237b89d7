// Memory, words and errors of the modules without glue; their meanings stand in bridge.hpp.
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
  last_error = name(error.code);
  last_error.append("\n");
  if (error.at) last_error.append(sentence("#", {*error.at}));
  last_error.append("\n").append(error.param).append("\n").append(error.message);
  found[0] = static_cast<double>(last_error.size());
  return last_error.data();
}

const char* answered(const std::optional<Error>& error) { return error ? refused(*error) : nullptr; }

void forget_error() { new (&last_error) std::string(); }

ATTN_EXPORT(attn_words) std::uint32_t* attn_words() { return given; }
ATTN_EXPORT(attn_numbers) const double* attn_numbers() { return found; }

/// Memory aligned for doubles, or 0 where there is no more of it.
ATTN_EXPORT(attn_take) void* attn_take(std::size_t bytes) { return std::malloc(bytes); }
ATTN_EXPORT(attn_give) void attn_give(void* taken) { std::free(taken); }

}  // namespace attn::bindings

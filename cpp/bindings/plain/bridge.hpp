// The way into the modules without glue, attn-fast, attn-fast-relaxed and attn-spans: plain exported functions of numbers and addresses, so that tensors
// stay where they are, in the module's memory, and nothing is copied. No Embind: web/engine/plain-memory.js is the other side.
// A function takes addresses and, for everything else, the words that JavaScript wrote into `words()`; it returns 0, or the address of an error's text
// that lives until the next call. What does not fit in a float or an address is left in `numbers()`.
// An error's text: code, place in text or nothing, parameter, and the message, a line each; how many bytes it has is left as the first number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "attn/error.hpp"

#define ATTN_EXPORT(name) extern "C" __attribute__((export_name(#name)))
#define ATTN_HOST(name) extern "C" __attribute__((import_module("host"), import_name(#name)))

namespace attn::bindings {

inline constexpr std::size_t word_count = 64;
[[nodiscard]] std::uint32_t* words();
[[nodiscard]] double* numbers();

/// An error as text, for a function to return.
[[nodiscard]] const char* refused(const Error& error);

/// What a function returns: null, or its error.
[[nodiscard]] const char* answered(const std::optional<Error>& error);

/// Lets the error's text go without freeing it, which a broken-off call may have done.
void forget_error();

/// The same for what a call left in a module's own variables; each module has one.
void forget_call();

}  // namespace attn::bindings

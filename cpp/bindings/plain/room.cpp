// What C++ allocates in the modules without glue. Where there is no room, the host throws, and the call ends in its middle: no destructor runs, so whatever the
// call had allocated is given back here, from a list of all that is allocated. Not for tensors, which JavaScript takes by attn_take.
#include <cstdlib>
#include <new>

#include "bridge.hpp"

/// Throws: these bytes are not to be had.
extern "C" __attribute__((import_module("host"), import_name("no_room"), noreturn)) void attn_host_no_room(std::size_t bytes);

namespace {

/// Before each allocation, as large as the alignment that malloc gives.
struct Block {
  Block* before;
  Block* after;
  std::uint32_t call;
  std::uint32_t unused;
};
static_assert(sizeof(Block) == 16);

Block all{&all, &all, 0, 0};
std::uint32_t call = 0;

void give(Block* block) {
  block->before->after = block->after;
  block->after->before = block->before;
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) {
  auto* const block = bytes > SIZE_MAX - sizeof(Block) ? nullptr : static_cast<Block*>(std::malloc(bytes + sizeof(Block)));
  if (block == nullptr) attn_host_no_room(bytes);
  *block = {&all, all.after, call, 0};
  all.after->before = block;
  all.after = block;
  return block + 1;
}

void operator delete(void* taken) noexcept {
  if (taken != nullptr) give(static_cast<Block*>(taken) - 1);
}

void operator delete(void* taken, std::size_t) noexcept { operator delete(taken); }

namespace attn::bindings {

/// A call begins: what is allocated from here on is its own.
ATTN_EXPORT(attn_begin) void attn_begin() { ++call; }

/// The call was broken off.
ATTN_EXPORT(attn_abandon)
void attn_abandon() {
  forget_error();
  forget_call();
  for (Block* block = all.after; block != &all;) {
    Block* const next = block->after;
    if (block->call == call) give(block);
    block = next;
  }
}

}  // namespace attn::bindings

#include "sigsafe/sampling/context_block.h"

// The variable is exported in .dynsym for readers outside of the process. Its model is initial-exec
// for two reasons: an access needs no function call, and the variable's offset from the thread
// pointer is in one word of the library.
extern "C" {
__attribute__((visibility("default"),
               tls_model("initial-exec"))) __thread const profiler_context* otel_thread_ctx_v1 =
    nullptr;
}

namespace jprof {
namespace {

constinit thread_local ContextBlock* t_block = nullptr;

// Zero-initialized, without code at load. Not constinit: an array of so many places exceeds a limit
// of clang.
VirtualContexts g_virtual_contexts;

}  // namespace

ContextBlock* OwnContextBlock() { return t_block; }

void SetOwnContextBlock(ContextBlock* block) {
  if (block == nullptr) otel_thread_ctx_v1 = nullptr;
  // Keeps the order of the two stores for handlers on this thread: otel_thread_ctx_v1 is cleared
  // before the block is given up.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  t_block = block;
}

const profiler_context* volatile* OwnContextSlot() { return &otel_thread_ctx_v1; }

bool VirtualContexts::Add(int64_t id, ContextBlock* block) {
  for (size_t i = 0; i < kTries; ++i) {
    Place& place = places_[PlaceOf(id, i)];
    if (place.id.load(std::memory_order_relaxed) != 0) continue;
    place.block.store(block, std::memory_order_relaxed);
    place.id.store(id, std::memory_order_release);
    count_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void VirtualContexts::Replace(int64_t id, ContextBlock* block) {
  for (size_t i = 0; i < kTries; ++i) {
    Place& place = places_[PlaceOf(id, i)];
    if (place.id.load(std::memory_order_relaxed) == id) {
      place.block.store(block, std::memory_order_release);
    }
  }
}

void VirtualContexts::Remove(int64_t id) {
  for (size_t i = 0; i < kTries; ++i) {
    Place& place = places_[PlaceOf(id, i)];
    if (place.id.load(std::memory_order_relaxed) == id) {
      place.id.store(0, std::memory_order_release);
      count_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
}

ContextBlock* VirtualContexts::Find(int64_t id) const {
  for (size_t i = 0; i < kTries; ++i) {
    const Place& place = places_[PlaceOf(id, i)];
    if (place.id.load(std::memory_order_acquire) != id) continue;
    return place.block.load(std::memory_order_relaxed);
  }
  return nullptr;
}

VirtualContexts& TheVirtualContexts() { return g_virtual_contexts; }

}  // namespace jprof

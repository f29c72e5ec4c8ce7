#include "engines/alloc/allocated_bytes.h"

namespace jprof {
namespace {

// Of another thread: relaxed loads, in the order of the text; what they see is compared.
uint64_t Word(uint64_t address) {
  return __atomic_load_n(reinterpret_cast<const uint64_t*>(address), __ATOMIC_ACQUIRE);
}

}  // namespace

// A thread that gets a new TLAB adds the bytes of the old one to its counter, then sets the bounds
// (jdk-17+35 src/hotspot/share/gc/shared/threadLocalAllocBuffer.cpp, retire): a reading in between
// is repeated.
uint64_t AllocatedBytes::Of(const void* jni_env) const {
  constexpr int kTries = 16;
  const uint64_t thread = JavaThreadOf(jni_env, layout_.env_offset);
  const uint64_t counter = thread + layout_.thread_allocated_bytes.offset;
  uint64_t bytes = 0;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = Word(counter);
    const uint64_t start = Word(thread + layout_.tlab_start.offset);
    const uint64_t top = Word(thread + layout_.tlab_top.offset);
    const bool is_whole = Word(thread + layout_.tlab_start.offset) == start && top >= start;
    bytes = before + (is_whole ? top - start : 0);
    if (is_whole && Word(counter) == before) break;
  }
  return bytes;
}

// A local reference points to the object's address, coloured as the TLAB's bounds (ZGC).
bool AllocatedBytes::IsOutsideTlab(const void* jni_env, const void* object) const {
  if (!are_known()) return false;
  const uint64_t thread = JavaThreadOf(jni_env, layout_.env_offset);
  const uint64_t address = Word(reinterpret_cast<uint64_t>(object));
  return address < Word(thread + layout_.tlab_start.offset) ||
         address >= Word(thread + layout_.tlab_top.offset);
}

}  // namespace jprof

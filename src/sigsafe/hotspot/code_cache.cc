#include "sigsafe/hotspot/code_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sigsafe/hotspot/frame_shape.h"

namespace jprof {
namespace {

// The map of segments has one byte for each segment. kFreeSegment marks a free segment. The byte of
// a segment in use is the number of segments to go back towards the block's first segment, at most
// 254 in one hop. The byte of the first segment is 0 (jdk-17+35 src/hotspot/share/memory/heap.cpp,
// CodeHeap::find_block_for).
constexpr uint8_t kFreeSegment = 0xff;
// The maximum number of hops that are followed: more than the largest code cache (2 GB) needs, with
// segments of 128 bytes.
constexpr int kMaxHops = 70'000;

constexpr uint64_t EightBytes(const char (&text)[9]) {
  uint64_t bytes = 0;
  for (int i = 7; i >= 0; --i) bytes = bytes << 8 | static_cast<uint8_t>(text[i]);
  return bytes;
}

static_assert(std::endian::native == std::endian::little);

// The first bytes of the names of nmethods (jdk-17+35 src/hotspot/share/code/nmethod.cpp,
// constructors).
constexpr uint64_t kNmethodName = EightBytes("nmethod\0");
constexpr uint64_t kNativeNmethodName = EightBytes("native n");

// Returns the address of the block that contains `pc`; 0 if there is none or the block is free.
uint64_t FindBlock(const CodeHeapLayout& heap, uint32_t block_size, uint64_t pc) {
  uint64_t segment = (pc - heap.low) >> heap.log2_segment_size;
  for (int hop = 0; hop < kMaxHops; ++hop) {
    uint8_t back = 0;
    if (!GuardedLoad(heap.segment_map + segment, &back) || back == kFreeSegment) return 0;
    if (back == 0) {
      const uint64_t block = heap.low + (segment << heap.log2_segment_size);
      // The first half of the header is the block's length; the flag `used` follows.
      uint8_t used = 0;
      return GuardedLoad(block + block_size / 2, &used) && used != 0 ? block : 0;
    }
    if (back > segment) return 0;
    segment -= back;
  }
  return 0;
}

bool IsNmethod(const HotspotLayout& vm, uint64_t blob, bool* is_nmethod) {
  int64_t value = 0;
  if (vm.blob_kind.exists()) {
    if (!vm.blob_kind.Load(blob, &value)) return false;
    *is_nmethod = value == vm.nmethod_kind;
    return true;
  }
  uint64_t name = 0;
  if (!vm.blob_name.Load(blob, &value) || !GuardedLoad(static_cast<uint64_t>(value), &name)) {
    return false;
  }
  *is_nmethod = name == kNmethodName || name == kNativeNmethodName;
  return true;
}

bool Describe(const HotspotLayout& vm, CodeBlob* blob) {
  int64_t frame_size = 0;
  int64_t frame_complete = 0;
  if (!vm.code_begin.Find(blob->address, &blob->code_begin) ||
      !vm.code_end.Find(blob->address, &blob->code_end) ||
      !vm.blob_frame_size.Load(blob->address, &frame_size) ||
      !vm.blob_frame_complete.Load(blob->address, &frame_complete) ||
      !IsNmethod(vm, blob->address, &blob->is_nmethod)) {
    return false;
  }
  blob->frame_size = static_cast<int32_t>(frame_size);
  blob->frame_complete = static_cast<int32_t>(frame_complete);
  return true;
}

// True if `blob` is a stub and its name has the eight characters `bytes` at `offset`.
bool HasName(const HotspotLayout& vm, const CodeBlob& blob, uint64_t offset, uint64_t bytes) {
  int64_t name = 0;
  uint64_t word = 0;
  return !blob.is_nmethod && vm.blob_name.exists() && vm.blob_name.Load(blob.address, &name) &&
         GuardedLoad(static_cast<uint64_t>(name) + offset, &word) && word == bytes;
}

}  // namespace

// The name of an adapter is "I2C/C2I adapters" (jdk8u, jdk-27+0
// src/hotspot/share/code/codeBlob.cpp).
bool IsAdapter(const HotspotLayout& vm, const CodeBlob& blob) {
  return HasName(vm, blob, 0, EightBytes("I2C/C2I "));
}

// The name of an upcall stub is "upcall_stub" (jdk-21+35, jdk-25+36
// src/hotspot/cpu/x86/upcallLinker_x86_64.cpp).
bool IsUpcallStub(const HotspotLayout& vm, const CodeBlob& blob) {
  return HasName(vm, blob, 0, EightBytes("upcall_s"));
}

// The names are "DeoptimizationBlob" and "UncommonTrapBlob" (jdk8u, jdk-27+0
// src/hotspot/share/code/codeBlob.cpp).
bool IsDeoptimisation(const HotspotLayout& vm, const CodeBlob& blob) {
  return HasName(vm, blob, 0, EightBytes("Deoptimi")) ||
         HasName(vm, blob, 0, EightBytes("Uncommon"));
}

// The blob's name is "StubRoutines (continuation stubs)" (jdk-21+35
// src/hotspot/share/runtime/stubRoutines.cpp) or "StubRoutines (continuationstubs)" (jdk-25+36
// src/hotspot/share/runtime/stubDeclarations.hpp).
bool HasContinuationStubs(const HotspotLayout& vm, const CodeBlob& blob) {
  constexpr uint64_t kPrefix = sizeof "StubRoutines (" - 1;
  return HasName(vm, blob, kPrefix, EightBytes("continua"));
}

// The barrier is the start of a stub, so no call precedes it. All other return addresses in these
// stubs follow a call.
bool IsReturnBarrier(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc) {
  return HasContinuationStubs(vm, blob) && !FollowsCall(pc);
}

bool IsInReturnBarrier(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc) {
  constexpr uint64_t kMostBytes = 512;  // more than the code at a return barrier has
  if (!vm.thread_continuation.exists()) return false;
  const uint64_t first = std::max(blob.code_begin, pc - std::min(pc, kMostBytes));
  for (uint64_t at = pc; at >= first; --at) {
    if (LoadsStackPointer(at, vm.thread_continuation.offset)) return true;
  }
  return false;
}

// A frame that was copied back from the heap returns to continuation_return. If enterSpecial has
// called the first method directly, this method returns to the address after that call. Both
// addresses are in enterSpecial (jdk-25+36 src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp,
// gen_continuation_enter). So the blob that contains continuation_return is enterSpecial.
bool IsContinuationEntry(const HotspotLayout& vm, const CodeBlob& blob) {
  if (const uint64_t pc = vm.ContinuationReturn(); pc != 0) {
    return pc - blob.code_begin < blob.code_end - blob.code_begin;
  }
  int64_t method = 0;
  return vm.continuation_entry != 0 && blob.is_nmethod &&
         vm.nmethod_method.Load(blob.address, &method) &&
         static_cast<uint64_t>(method) == vm.continuation_entry;
}

bool FindCodeBlob(const HotspotLayout& vm, uint64_t pc, CodeBlob* blob) {
  for (uint32_t i = 0; i < vm.heap_count; ++i) {
    const CodeHeapLayout& heap = vm.heaps[i];
    if (pc - heap.low >= heap.high - heap.low) continue;
    const uint64_t block = FindBlock(heap, vm.heap_block_size, pc);
    if (block == 0) return false;
    blob->address = block + vm.heap_block_size;
    return Describe(vm, blob) && pc - blob->code_begin < blob->code_end - blob->code_begin;
  }
  return false;
}

}  // namespace jprof

// ShadowStacks holds a shadow stack for each Java thread: the probed methods that the thread has
// entered and not left. Probes in the methods write it (engines/validate/java/ShadowProbes.java),
// so it is true whatever the stack walkers find.
//
//   owners: an id of a thread in each place, or 0      stacks: a ShadowStack for each place
//
// The id is threadId() of the platform or virtual thread. A thread has a place only while it is in
// a probed method. The place is one of kProbes places that follow from the id. A thread that finds
// these places taken has no shadow stack until one of them is free.
//
// A push first writes the entry and then, as its last action, the depth. So a signal handler on the
// same thread finds every entry below the depth complete. The layout of the memory is also in
// ShadowProbes.java.
//
// Async-signal-safe. Only the owner of a place changes its stack.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/memory/region.h"

namespace jprof {

// An entry: the number of the method in the low half; in the high half the bytecode index of the
// caller plus kKnownCaller, or 0 if it is unknown.
using ShadowEntry = uint64_t;
inline constexpr uint32_t kKnownCaller = 1;

constexpr uint32_t NumberOf(ShadowEntry entry) { return static_cast<uint32_t>(entry); }

// Returns the bytecode index at which the caller of the method stands; -1 if it is unknown.
constexpr int32_t CallerIndexOf(ShadowEntry entry) {
  return static_cast<int32_t>(entry >> 32) - static_cast<int32_t>(kKnownCaller);
}
constexpr ShadowEntry WithCallerIndex(ShadowEntry entry, int32_t bci) {
  return NumberOf(entry) | uint64_t{static_cast<uint32_t>(bci) + kKnownCaller} << 32;
}

struct ShadowStack {
  static constexpr size_t kBytes = 16 * 1024;
  static constexpr size_t kHeader = 64;
  static constexpr size_t kMost = (kBytes - kHeader) / sizeof(ShadowEntry);

  // The number of methods. The stack has the entries of the first kMost of them.
  std::atomic<int64_t> depth;
  // Not 0 after a StackOverflowError, until a later call ends normally: the stack might have entries
  // of methods that were left without an exit probe.
  std::atomic<int64_t> is_doubtful;
  char unused[kHeader - 2 * sizeof(int64_t)];
  std::atomic<ShadowEntry> entries[kMost];  // the outermost method first
};
static_assert(sizeof(ShadowStack) == ShadowStack::kBytes);

class ShadowStacks {
 public:
  static constexpr int kPlaceBits = 14;
  static constexpr size_t kPlaces = size_t{1} << kPlaceBits;
  static constexpr size_t kProbes = 8;
  static constexpr size_t kOwnerBytes = kPlaces * sizeof(int64_t);
  static constexpr size_t kBytes = kOwnerBytes + kPlaces * ShadowStack::kBytes;

  // Uses `memory`, which is zeroed and has kBytes. REQUIRES: `memory` is never freed.
  explicit ShadowStacks(Region memory) : memory_(memory) {}

  std::atomic<int64_t>* owners() const { return static_cast<std::atomic<int64_t>*>(memory_.data); }
  ShadowStack* stacks() const {
    return reinterpret_cast<ShadowStack*>(static_cast<char*>(memory_.data) + kOwnerBytes);
  }

  // Returns the stack of the thread; nullptr if the thread has none.
  ShadowStack* Find(int64_t thread) const;
  // Gives the thread an empty stack and returns it; nullptr if no place is free. Called on the
  // thread. REQUIRES: the thread has no stack.
  ShadowStack* Claim(int64_t thread) const;

 private:
  static size_t FirstPlaceOf(int64_t thread);

  Region memory_;
};

}  // namespace jprof

// Plain types of the sampling path: StackBounds, and strong types for ids and addresses, so that
// the compiler tells them apart.
//
// Async-signal-safe: plain values.
#pragma once

#include <cstdint>

namespace jprof {

// The address range of a thread's stack. Both bounds are 0 if the range is unknown.
struct StackBounds {
  uintptr_t low = 0;   // the lowest address, guard pages included
  uintptr_t high = 0;  // the first address above the stack

  bool Contains(uintptr_t address) const { return address >= low && address < high; }
};

// A kernel thread id (gettid), or 0 for no thread. Linux tids are below pid_max <= 2^22 (Linux
// include/linux/threads.h, PID_MAX_LIMIT).
enum class Tid : int32_t {};

// An address in code.
enum class Pc : uint64_t {};

// Identifies one stored stack: epoch << 32 | place in the arena (CallTraceHashTable). Ids are never
// written to files. Ids of epoch 0 are reserved and identify no stack.
enum class CallTraceId : uint64_t {};
inline constexpr CallTraceId kNoCallTrace{0};
inline constexpr CallTraceId kDroppedCallTrace{1};

// A point in time or an interval on CLOCK_MONOTONIC, in nanoseconds.
using Nanos = int64_t;
inline constexpr Nanos kNanosPerSecond = 1'000'000'000;

constexpr int32_t Value(Tid tid) { return static_cast<int32_t>(tid); }
constexpr uint64_t Value(Pc pc) { return static_cast<uint64_t>(pc); }
constexpr uint64_t Value(CallTraceId id) { return static_cast<uint64_t>(id); }

}  // namespace jprof

// WaitType: the ways in which a thread waits for another one.
//
// Any thread: constants.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof {

enum class WaitType : uint8_t {
  kMonitorEnter,
  kMonitorWait,
  kPark,
  // Of native code (engines/nativelock).
  kMutex,
  kReadLock,
  kWriteLock,
  kCondition,
};

inline constexpr const char* kWaitNames[] = {
    "monitor enter",     "Object.wait",     "park", "native mutex", "native read lock",
    "native write lock", "native condition"};
inline constexpr size_t kWaitTypeCount = sizeof kWaitNames / sizeof kWaitNames[0];

constexpr const char* NameOf(WaitType type) { return kWaitNames[static_cast<size_t>(type)]; }

}  // namespace jprof

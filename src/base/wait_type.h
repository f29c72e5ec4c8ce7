// WaitType: the ways in which a thread waits for another one, and their names in answers, recordings
// and views.
//
// Any thread: constants.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace jprof {

enum class WaitType : uint8_t {
  kMonitorEnter,
  kMonitorWait,
  kPark,
  // Waits of native code (engines/nativelock).
  kMutex,
  kReadLock,
  kWriteLock,
  kCondition,
  // Waits that are told apart in recordings alone.
  kNativeLock,  // of another profiler's recording, which does not say how
  kSocket,      // a virtual thread is parked for input or output
  kClassInitialization,
};

inline constexpr auto kWaitNames = std::to_array<const char*>(
    {"monitor enter", "Object.wait", "park", "native mutex", "native read lock",
     "native write lock", "native condition", "native lock", "socket", "class initialization"});

// The first types: those of which there are sums.
inline constexpr size_t kWaitTypeCount = static_cast<size_t>(WaitType::kNativeLock);

constexpr const char* NameOf(WaitType type) { return kWaitNames[static_cast<size_t>(type)]; }

// nullopt: no type has the name.
constexpr std::optional<WaitType> WaitTypeNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kWaitNames, name);
  if (found == kWaitNames.end()) return std::nullopt;
  return static_cast<WaitType>(found - kWaitNames.begin());
}

}  // namespace jprof

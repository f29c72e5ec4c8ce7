// WaitType: the ways in which a thread waits for another one, and their names in answers,
// recordings and views.
//
// Thread-safe: constants.
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
  // Types that only recordings distinguish.
  kNativeLock,  // a native wait of unknown type, in another profiler's recording
  kSocket,      // the wait of a virtual thread that is parked for input or output
  kClassInitialization,
};

inline constexpr auto kWaitNames = std::to_array<const char*>(
    {"monitor enter", "Object.wait", "park", "native mutex", "native read lock",
     "native write lock", "native condition", "native lock", "socket", "class initialization"});

// The number of types for which waits are summed. These are the types before kNativeLock.
inline constexpr size_t kWaitTypeCount = static_cast<size_t>(WaitType::kNativeLock);

constexpr const char* NameOf(WaitType type) { return kWaitNames[static_cast<size_t>(type)]; }

// Returns the type with the name; nullopt if there is none.
constexpr std::optional<WaitType> WaitTypeNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kWaitNames, name);
  if (found == kWaitNames.end()) return std::nullopt;
  return static_cast<WaitType>(found - kWaitNames.begin());
}

}  // namespace jprof

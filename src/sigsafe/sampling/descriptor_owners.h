// The owners of the profiler's perf_event descriptors: the slots of their threads. Signals of
// perf_events carry a descriptor and no value, so the owner takes the place of the cookie
// (signal_cookie.h).
//
// OwnerOfDescriptor is async-signal-safe. The other functions are for the engine: the owner is set
// before the event is enabled and cleared before the descriptor is closed.
#pragma once

#include <cstdint>

namespace jprof {

inline constexpr int kMaxOwnedDescriptor = 1 << 18;
inline constexpr uint32_t kNoOwner = 0xffffffff;
// Values in place of a slot's index: the signal reports a call to a function of begin=, of end=, or
// of both.
inline constexpr uint32_t kWindowBegins = 0xfffffffe;
inline constexpr uint32_t kWindowEnds = 0xfffffffd;
inline constexpr uint32_t kWindowTurns = 0xfffffffc;
inline constexpr uint32_t kFirstOfWindows = kWindowTurns;

// REQUIRES: 0 <= fd < kMaxOwnedDescriptor.
void SetDescriptorOwner(int fd, uint32_t slot_index);
void ClearDescriptorOwner(int fd);

// Returns the owner; kNoOwner: the descriptor is not ours.
uint32_t OwnerOfDescriptor(int fd);

}  // namespace jprof

// The profiler's perf_event descriptors, and the slot of each one's thread. They take the place
// of the cookie (signal_cookie.h), because signals of perf_events carry a descriptor and no value.
//
// OwnerOfDescriptor: Async-signal-safe. The other functions are for the engine: the owner is set
// before the event is enabled and cleared before the descriptor is closed.
#pragma once

#include <cstdint>

namespace jprof {

inline constexpr int kMaxOwnedDescriptor = 1 << 18;
inline constexpr uint32_t kNoOwner = 0xffffffff;
// In place of a slot's index: the signal says that a function of begin= or end=, or of both, is
// called.
inline constexpr uint32_t kWindowBegins = 0xfffffffe;
inline constexpr uint32_t kWindowEnds = 0xfffffffd;
inline constexpr uint32_t kWindowTurns = 0xfffffffc;
inline constexpr uint32_t kFirstOfWindows = kWindowTurns;

// REQUIRES: 0 <= fd < kMaxOwnedDescriptor.
void SetDescriptorOwner(int fd, uint32_t slot_index);
void ClearDescriptorOwner(int fd);

// kNoOwner: not ours.
uint32_t OwnerOfDescriptor(int fd);

}  // namespace jprof

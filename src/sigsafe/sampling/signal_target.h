// A handler learns from a signal whether the profiler has sent it, and which thread's slot the
// signal is for.
//
//   timers, queued signals   a cookie: the value of the signal
//   perf_events              the owner of the descriptor: these signals have a descriptor, no value
//
// Async-signal-safe, except SetDescriptorOwner and ClearDescriptorOwner.
#pragma once

#include <csignal>
#include <cstdint>

namespace jprof {

// A cookie is a mark and the index of a slot. It is never a pointer: a forged signal can at most
// name a slot, which is then checked.
inline constexpr uint64_t kCookieMark = 0x6a70726f;  // "jpro"

inline sigval MakeCookie(uint32_t slot_index) {
  sigval value;
  value.sival_ptr = reinterpret_cast<void*>(kCookieMark << 32 | slot_index);
  return value;
}

// True if the profiler has sent the signal, and its si_code is `code` (SI_TIMER or SI_QUEUE).
inline bool IsOurs(const siginfo_t& info, int code) {
  return info.si_code == code &&
         reinterpret_cast<uint64_t>(info.si_value.sival_ptr) >> 32 == kCookieMark;
}

inline uint32_t SlotIndex(const siginfo_t& info) {
  return static_cast<uint32_t>(reinterpret_cast<uint64_t>(info.si_value.sival_ptr));
}

// The owner of a perf_event's descriptor is the index of the slot of the event's thread, or one of
// the values from kFirstOfWindows on.
inline constexpr int kMaxOwnedDescriptor = 1 << 18;
inline constexpr uint32_t kNoOwner = 0xffffffff;
// Owners of the breakpoints that open and close windows: on a function of the option `begin=`, of
// `end=`, or of both. A function of both opens a window if none is open, else closes it.
inline constexpr uint32_t kWindowBegins = 0xfffffffe;
inline constexpr uint32_t kWindowEnds = 0xfffffffd;
inline constexpr uint32_t kWindowTurns = 0xfffffffc;
inline constexpr uint32_t kFirstOfWindows = kWindowTurns;

// Set and clear the owner of the descriptor `fd`. The engine sets the owner before it enables the
// event, and clears the owner before it closes the descriptor. REQUIRES: 0 <= fd <
// kMaxOwnedDescriptor.
void SetDescriptorOwner(int fd, uint32_t slot_index);
void ClearDescriptorOwner(int fd);

// Returns the owner, or kNoOwner if the descriptor is not the profiler's.
uint32_t OwnerOfDescriptor(int fd);

}  // namespace jprof

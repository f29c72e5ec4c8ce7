// The cookie: the value of our signals, which is a mark and the index of the thread's slot. It is
// never a pointer: a forged signal can at most name a slot, which is then checked.
//
// Async-signal-safe.
#pragma once

#include <csignal>
#include <cstdint>

namespace jprof {

inline constexpr uint64_t kCookieMark = 0x6a70726f;  // "jpro"

inline sigval MakeCookie(uint32_t slot_index) {
  sigval value;
  value.sival_ptr = reinterpret_cast<void*>(kCookieMark << 32 | slot_index);
  return value;
}

// True if the profiler sent the signal with `code` (SI_TIMER, SI_QUEUE).
inline bool IsOurs(const siginfo_t& info, int code) {
  return info.si_code == code &&
         reinterpret_cast<uint64_t>(info.si_value.sival_ptr) >> 32 == kCookieMark;
}

inline uint32_t SlotIndex(const siginfo_t& info) {
  return static_cast<uint32_t>(reinterpret_cast<uint64_t>(info.si_value.sival_ptr));
}

}  // namespace jprof

// The rule that determines when a thread counts as asleep, and when an engine has to check a
// sleeping thread again. A check compares the thread's CPU clock with an earlier reading of that
// clock. The time between two checks is called a gap.
//
// A thread whose CPU clock stands still has not run, so its stack has not changed. Our own signal
// handler advances the clock without changing the stack, and uses some more CPU time after it has
// read the clock. Therefore a check does not compare the clock with the handler's reading, but with
// a later one: the first reading after the handler that is at most kSettlingCpu above the handler's
// reading and does not change during the check.
//
// The thread itself can also run for less than kSettlingCpu and reach another wait. Therefore the
// stack pointer of the waiting thread, as the kernel reports it, has to equal the stack pointer
// that the handler saw. If the kernel does not report the stack pointer, such a short run is not
// detected.
//
// Gaps become longer the longer a thread sleeps. When a check finds that the thread has run, it is
// unknown when in the gap the run began. So the whole gap, except one interval, is attributed to
// the old stack. For each run this is at most kMaxGap intervals, and at most 1/kIdlePerGap of the
// sleep before the run.
//
// All functions are pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// The CPU time that a thread may use after the handler's reading and still count as asleep. The
// thread uses it to return from the signal, and to restart the wait that the signal has
// interrupted.
inline constexpr Nanos kSettlingCpu = 50'000;

// The longest gap, in intervals.
inline constexpr int64_t kMaxGap = 64;

// An engine waits this number of intervals before it reads the signal mask of a thread. The
// intervals count from the signal that no handler has answered. If no signal came although one was
// due, they count from the CPU time at which it was due.
inline constexpr int64_t kPatience = 8;
// The time that a thread has slept is divided by this to get the next gap (GapAfter).
inline constexpr int64_t kIdlePerGap = 8;

// True if the thread has used at most kSettlingCpu since its handler read the CPU clock.
// `answer_ns` is the handler's reading, and `cpu_ns` is a later reading.
constexpr bool IsJustAfter(Nanos answer_ns, Nanos cpu_ns) {
  return cpu_ns - answer_ns <= kSettlingCpu;
}

// True if the thread waits with the stack pointer `sp`, which our handler saw, or waits with an
// unknown stack pointer. `syscall` is the text of TaskSyscall for the thread.
inline bool WaitsAt(std::string_view syscall, uint64_t sp) {
  if (syscall.starts_with("running")) return false;
  // The text is "number arguments sp pc".
  const size_t pc_at = syscall.rfind(" 0x");
  const size_t sp_at = pc_at == std::string_view::npos ? pc_at : syscall.rfind(" 0x", pc_at - 1);
  if (sp_at == std::string_view::npos || sp_at == pc_at) return true;
  const std::string_view digits = syscall.substr(sp_at + 3, pc_at - sp_at - 3);
  uint64_t waits_at = 0;
  const auto parsed = std::from_chars(digits.begin(), digits.end(), waits_at, 16);
  return parsed.ec != std::errc() || parsed.ptr != digits.end() || waits_at == sp;
}

// Returns the number of intervals until the next check of a thread that has slept for
// `idle_intervals`.
constexpr int64_t GapAfter(int64_t idle_intervals) {
  return std::clamp<int64_t>(idle_intervals / kIdlePerGap, 1, kMaxGap);
}

}  // namespace jprof

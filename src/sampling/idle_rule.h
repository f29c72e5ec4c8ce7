// When a thread counts as asleep, and how long it may then be left alone.
//
// A thread's CPU clock stands still exactly while the thread does not run, and what does not run
// keeps its stack. Only the handler of our own signal runs without changing it: the clock always
// reads more afterwards than within. So the reading to compare with, the baseline, is the first one
// after the handler that is close to the handler's own and does not move.
//
// A thread that runs so briefly may go on to another wait all the same: the kernel tells the stack
// pointer of a thread that waits, and that has to be the handler's. Where the kernel does not tell,
// such a run is not seen.
//
// The longer a thread has slept the rarer are the looks at it. The beginning of a run that is
// discovered late is not known: the time since the last look but one interval stays with the old
// stack. Per run that is at most kMaxGap intervals, and at most 1/kIdlePerGap of the time that the
// thread was known to sleep before.
//
// Plain functions, Thread-safe.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// What a thread may use between our handler's reading and its next wait: the way out of the signal,
// and a program that calls its interrupted wait again.
inline constexpr Nanos kSettlingCpu = 50'000;

inline constexpr int64_t kMaxGap = 64;

// Intervals without an answer to the signal, or without a signal for CPU time that is due, after
// which the kernel is asked whether the thread blocks the signal.
inline constexpr int64_t kPatience = 8;
inline constexpr int64_t kIdlePerGap = 8;

// `answer_ns`: the CPU clock in the handler; `cpu_ns`: later.
constexpr bool IsJustAfter(Nanos answer_ns, Nanos cpu_ns) {
  return cpu_ns - answer_ns <= kSettlingCpu;
}

// `syscall`: what TaskSyscall says of a thread whose stack pointer was `sp` in the handler. Whether
// it waits there; true where that cannot be told.
inline bool WaitsAt(std::string_view syscall, uint64_t sp) {
  if (syscall.starts_with("running")) return false;
  // "number arguments sp pc": the last but one.
  const size_t pc_at = syscall.rfind(" 0x");
  const size_t sp_at = pc_at == std::string_view::npos ? pc_at : syscall.rfind(" 0x", pc_at - 1);
  if (sp_at == std::string_view::npos || sp_at == pc_at) return true;
  const std::string_view digits = syscall.substr(sp_at + 3, pc_at - sp_at - 3);
  uint64_t waits_at = 0;
  const auto parsed = std::from_chars(digits.begin(), digits.end(), waits_at, 16);
  return parsed.ec != std::errc() || parsed.ptr != digits.end() || waits_at == sp;
}

// Intervals until the next look at a thread that has slept for that many.
constexpr int64_t GapAfter(int64_t idle_intervals) {
  return std::clamp<int64_t>(idle_intervals / kIdlePerGap, 1, kMaxGap);
}

}  // namespace jprof

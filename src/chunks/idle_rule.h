// The rule for when a thread counts as asleep, and for when an engine has to look at it again. A
// look compares the thread's CPU clock with an earlier reading; the time between two looks is a
// gap.
//
// A thread whose CPU clock stands still has not run, and has kept its stack. Only the handler of
// our own signal uses CPU time without changing the stack: the clock always shows more after the
// handler than in it. Therefore later readings are compared with the first reading after the
// handler that is close to the handler's own reading and stable.
//
// Within the CPU time that counts as close, the thread can also have run on to another wait.
// Therefore the stack pointer of the waiting thread, as the kernel reports it, has to equal the
// stack pointer in the handler. If the kernel does not report it, a run as short as that is not
// detected.
//
// The longer a thread has slept, the longer are the gaps. When a look finds that the thread has
// run, the moment within the gap at which the run began is unknown: the time of the gap, except one
// interval, is attributed to the old stack. For each run that is at most kMaxGap intervals, and at
// most 1/kIdlePerGap of the sleep before the run.
//
// All functions are pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// The CPU time that a thread may use between the handler's reading and its next wait: the return
// from the signal, and the restart of the interrupted wait by the program.
inline constexpr Nanos kSettlingCpu = 50'000;

// The longest gap, in intervals.
inline constexpr int64_t kMaxGap = 64;

// The number of intervals for which no handler has answered the signal, or no signal has come
// although CPU time was due, after which the thread's signal mask is read.
inline constexpr int64_t kPatience = 8;
// A gap is one interval long for every kIdlePerGap intervals that the thread has slept.
inline constexpr int64_t kIdlePerGap = 8;

// True if the thread has used at most kSettlingCpu since its handler. `answer_ns` is the CPU clock
// in the handler, `cpu_ns` a later reading.
constexpr bool IsJustAfter(Nanos answer_ns, Nanos cpu_ns) {
  return cpu_ns - answer_ns <= kSettlingCpu;
}

// True if the thread waits with the stack pointer `sp`, which it had in our handler; also true if
// the stack pointer with which it waits is unknown. `syscall` is the text of TaskSyscall for the
// thread.
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

// Returns the number of intervals until the next look at a thread that has slept for
// `idle_intervals`.
constexpr int64_t GapAfter(int64_t idle_intervals) {
  return std::clamp<int64_t>(idle_intervals / kIdlePerGap, 1, kMaxGap);
}

}  // namespace jprof

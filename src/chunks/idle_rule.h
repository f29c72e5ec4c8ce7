// The rule for when a thread counts as asleep, and when it has to be looked at again.
//
// A thread's CPU clock stands still exactly while the thread does not run, and a thread that does
// not run keeps its stack. Only the handler of our own signal uses CPU time without changing the
// stack: the clock always reads more after the handler than in it. So the baseline for comparisons
// is the first reading after the handler that is close to the handler's reading and stable.
//
// Even in such a short run a thread can reach another wait. Therefore the stack pointer of the
// waiting thread, as reported by the kernel, has to equal the stack pointer in the handler. Without
// the kernel's report such a run is not detected.
//
// The longer a thread has slept, the rarer are the looks at it. The start of a run is known only to
// within one gap between looks: the time since the last look, except one interval, stays with the
// old stack. Per run that is at most kMaxGap intervals, and at most 1/kIdlePerGap of the sleep
// before the run.
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

// The longest gap between looks, in intervals.
inline constexpr int64_t kMaxGap = 64;

// The number of intervals without an answer to the signal, or without a signal for due CPU time,
// after which the thread's signal mask is read.
inline constexpr int64_t kPatience = 8;
// The number of intervals of sleep for each interval of a gap.
inline constexpr int64_t kIdlePerGap = 8;

// True if the thread has used at most kSettlingCpu since its handler. `answer_ns` is the CPU clock
// in the handler, `cpu_ns` a later reading.
constexpr bool IsJustAfter(Nanos answer_ns, Nanos cpu_ns) {
  return cpu_ns - answer_ns <= kSettlingCpu;
}

// True if a thread waits at the stack pointer `sp` of its handler, or if that is unknown. `syscall`
// is TaskSyscall of the thread.
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

// ChooseCpuTrigger: which trigger runs for what was asked, and what to say of it.
//
//   interval       asked for   runs            unless it is refused
//   >= kernel tick the best    thread timers   perf_events, then the process timer
//   <  kernel tick the best    perf_events     thread timers, then the process timer
//   any            one         that one        as above
//   any            the best,   perf_events     as above, and without kernel frames
//                  with kernel frames
//
// Where perf_events run only because the interval is below the tick, threads that are switched to
// very often have timers: their events would cost more than all else (docs/clocks.md).
//
// Totals are right with each of them, for a sample stands for what the thread's clock shows
// (cpu_accounting.h); they differ in resolution and cost.
//
// The process timer sends SIGPROF and nothing else: it is refused where another signal is taken
// (cpu_signal.h).
//
// Thread-safe: no state. ReadCpuFacilities asks the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/engine_signals.h"
#include "base/result.h"
#include "engines/cpu/cpu_signal.h"
#include "session/options/cpu_trigger.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct CpuRequest {
  CpuTrigger trigger = CpuTrigger::kBest;
  Nanos interval_ns = 0;
  KernelFrames kernel_frames = KernelFrames::kNo;
  std::optional<int> signal = {};  // not engaged: the first that is free
};

struct CpuFacilities {
  CpuSignalChoice signal{kCpuSignal, ""};
  Nanos tick_ns = 0;
  Status thread_timers;                  // why they cannot be had
  Status perf_events;                    // fine where nobody asked
  uint64_t perf_samples_per_second = 0;  // that an event may take at most; 0: not known
  bool counts_switches = false;          // of each thread
  Status kernel_frames;                  // why perf_events cannot tell them, if that was asked
};

// Asks for perf_events only where they may be chosen: for the first one on a machine the kernel
// rewrites the code of its scheduler, which takes 15 ms and concerns everybody. An Error where no
// signal can be had.
Result<CpuFacilities> ReadCpuFacilities(const CpuRequest& asked);

struct CpuChoice {
  CpuTrigger trigger = CpuTrigger::kThreadTimers;  // never kBest
  Nanos interval_ns = 0;
  // "thread timers (kernel tick 4 ms)": for the start line, status and the recording.
  std::string text;
  KernelFrames kernel_frames = KernelFrames::kNo;
  // Whether a thread for which a perf_event costs much may have a timer instead.
  bool may_take_timers = false;
  int signal = kCpuSignal;
};

// An Error where every trigger is refused.
Result<CpuChoice> ChooseCpuTrigger(const CpuRequest& asked, const CpuFacilities& facilities);

// Both of the above.
Result<CpuChoice> ChooseCpuTrigger(const CpuRequest& asked);

}  // namespace jprof

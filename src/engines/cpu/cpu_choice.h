// ChooseCpuTrigger chooses the trigger, which interrupts threads, and describes the choice. The
// trigger is a timer of each thread, a perf_event of each thread, or one timer of the process.
// ChooseCpuSignal chooses the signal that the trigger sends.
//
//   interval         requested         trigger        if that is not available
//   >= kernel tick   the best          thread timers  perf_events, then the process timer
//   <  kernel tick   the best          perf_events    thread timers, then the process timer
//   any              the best, with    perf_events    thread timers, then the process timer, both
//                    kernel frames                    without kernel frames
//   any              a certain one     that one       the other two, thread timers before
//                                                     perf_events before the process timer
//
// Even if perf_events are chosen because the interval is below the tick, a thread with very many
// context switches gets a timer, because a perf_event makes each switch more expensive
// (docs/clocks.md).
//
// Totals are right with every trigger, because the weight of each sample comes from the CPU clock
// of the sampled thread (cpu_sampling.h). Triggers differ in resolution and cost.
//
// The process timer can only send SIGPROF, so it is not available if another signal is chosen.
//
// Not for signal handlers. Thread-safe: there is no state. ReadCpuFacilities and ChooseCpuSignal
// read the kernel's settings and the signal actions of the process, and change neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/engine_signals.h"
#include "base/result.h"
#include "options/options.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct CpuSignalChoice {
  int signal = 0;
  // A text on the preferred signals that are in use, such as "SIGPROF is handled already, by
  // /path/lib.so"; empty if no preferred signal is in use.
  std::string refused;
};

// Returns the signal `asked` if there is one, else the first of kCpuSignals without a handler. Thus
// other profilers of the process, including the JDK's own (jdk.CPUTimeSample), keep their signals.
// Returns an Error if `asked` has a handler already, or, without `asked`, if every signal of
// kCpuSignals has one.
Result<CpuSignalChoice> ChooseCpuSignal(std::optional<int> asked);

struct CpuRequest {
  CpuTrigger trigger = CpuTrigger::kBest;
  Nanos interval_ns = 0;
  KernelFrames kernel_frames = KernelFrames::kNo;
  std::optional<int> signal = {};  // nullopt for the first unused signal
};

struct CpuFacilities {
  CpuSignalChoice signal{kCpuSignal, ""};
  Nanos tick_ns = 0;                     // the kernel's tick
  Status thread_timers;                  // an Error with the reason if timers are unavailable
  Status perf_events;                    // an Error with the reason if refused; ok if not tried
  uint64_t perf_samples_per_second = 0;  // the kernel's limit for a thread; 0 if unknown
  bool counts_switches = false;          // true if the kernel counts each thread's context switches
  Status kernel_frames;                  // an Error with the reason if refused; ok if not requested
};

// Finds out which triggers the kernel offers. Tries perf_events only if they might be chosen: when
// a machine opens its first perf_event, the kernel patches its scheduler, which takes 15 ms and
// affects all processes. Returns an Error if no signal is available.
Result<CpuFacilities> ReadCpuFacilities(const CpuRequest& asked);

struct CpuChoice {
  CpuTrigger trigger = CpuTrigger::kThreadTimers;  // never kBest
  Nanos interval_ns = 0;
  // Describes the choice in the message at start, the status and the recording, such as "thread
  // timers (kernel tick 4 ms)".
  std::string text;
  KernelFrames kernel_frames = KernelFrames::kNo;
  // True if a thread whose perf_event costs too much may get a timer instead.
  bool may_take_timers = false;
  int signal = kCpuSignal;
};

// Returns the choice, or an Error if every trigger is refused.
Result<CpuChoice> ChooseCpuTrigger(const CpuRequest& asked, const CpuFacilities& facilities);

// Calls ReadCpuFacilities and chooses by its result.
Result<CpuChoice> ChooseCpuTrigger(const CpuRequest& asked);

}  // namespace jprof

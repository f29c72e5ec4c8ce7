// ChooseCpuTrigger: chooses what interrupts threads, a timer or perf_event of each thread or a timer
// of the process, and describes the choice. ChooseCpuSignal: chooses the signal.
//
//   interval         requested         trigger        if that is not available
//   >= kernel tick   the best          thread timers  perf_events, then the process timer
//   <  kernel tick   the best          perf_events    thread timers, then the process timer
//   any              the best, with    perf_events    thread timers, then the process timer, both
//                    kernel frames                    without kernel frames
//   any              a certain one     that one       the other two, thread timers before
//                                                     perf_events before the process timer
//
// If perf_events are chosen only because the interval is below the tick, threads with very many
// context switches still get timers, because a perf_event makes each switch more expensive
// (docs/clocks.md).
//
// Totals are right with every trigger, because the weights of samples come from the thread's clock
// (cpu_sampling.h). Triggers differ in resolution and cost.
//
// The process timer can only send SIGPROF, so it is not available if another signal is chosen.
//
// Not for signal handlers. Thread-safe: there is no state. ReadCpuFacilities and ChooseCpuSignal
// look at the kernel's settings and the signal actions of the process, and change none.
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
  // /path/lib.so"; empty if none is.
  std::string refused;
};

// Returns the signal `asked`, or else the first of kCpuSignals without a handler: other profilers of
// the process, including the JDK's own (jdk.CPUTimeSample), keep their signals. Returns an Error if
// the requested signal, or every signal, has a handler already.
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
  Status thread_timers;                  // an Error with the reason if they are unavailable
  Status perf_events;                    // the same; ok if it was not tried
  uint64_t perf_samples_per_second = 0;  // the kernel's limit for a thread; 0 if unknown
  bool counts_switches = false;          // true if the kernel counts each thread's context switches
  Status kernel_frames;                  // as thread_timers; ok if not requested
};

// Asks the kernel what is available. Tries perf_events only if they might be chosen: when a machine
// opens its first perf_event, the kernel patches its scheduler, which takes 15 ms and affects all
// processes. Returns an Error if no signal is available.
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

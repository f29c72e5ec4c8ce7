// ChooseCpuTrigger: chooses the trigger for a request, and describes it.
//
//   interval       requested   trigger         if it is refused
//   >= kernel tick the best    thread timers   perf_events, then the process timer
//   <  kernel tick the best    perf_events     thread timers, then the process timer
//   any            one         that one        as above
//   any            the best,   perf_events     as above, and without kernel frames
//                  with kernel frames
//
// If perf_events are used only because the interval is below the tick, threads with very many
// context switches have timers: their perf_events would cost more than everything else
// (docs/clocks.md).
//
// Totals are right with every trigger, because weights come from the thread's clock
// (cpu_sampling.h). Triggers differ in resolution and cost.
//
// The process timer sends only SIGPROF: it is refused if another signal is chosen.
//
// Thread-safe: no state. ReadCpuFacilities asks the kernel.
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
  // The preferred signals that are in use, "SIGPROF is handled already, by /path/lib.so"; "" if
  // there are none.
  std::string refused;
};

// Returns the choice, or an Error if the requested signal, or every signal, has a handler already.
Result<CpuSignalChoice> ChooseCpuSignal(std::optional<int> asked);

struct CpuRequest {
  CpuTrigger trigger = CpuTrigger::kBest;
  Nanos interval_ns = 0;
  KernelFrames kernel_frames = KernelFrames::kNo;
  std::optional<int> signal = {};  // nullopt: the first unused signal
};

struct CpuFacilities {
  CpuSignalChoice signal{kCpuSignal, ""};
  Nanos tick_ns = 0;
  Status thread_timers;                  // an Error: why they are unavailable
  Status perf_events;                    // ok also if not requested
  uint64_t perf_samples_per_second = 0;  // the kernel's limit; 0: not known
  bool counts_switches = false;          // the kernel counts the switches of each thread
  Status kernel_frames;                  // an Error: why they are unavailable; ok if not requested
};

// Asks the kernel what is available. Tries perf_events only if they might be chosen: for the first
// perf_event of a machine the kernel patches its scheduler, which takes 15 ms and affects all
// processes. Returns an Error if no signal is available.
Result<CpuFacilities> ReadCpuFacilities(const CpuRequest& asked);

struct CpuChoice {
  CpuTrigger trigger = CpuTrigger::kThreadTimers;  // never kBest
  Nanos interval_ns = 0;
  // The text for the message at start, the status and the recording: "thread timers (kernel tick 4
  // ms)".
  std::string text;
  KernelFrames kernel_frames = KernelFrames::kNo;
  // True if a thread with a costly perf_event may have a timer instead.
  bool may_take_timers = false;
  int signal = kCpuSignal;
};

// Returns the choice, or an Error if every trigger is refused.
Result<CpuChoice> ChooseCpuTrigger(const CpuRequest& asked, const CpuFacilities& facilities);

// Reads the facilities and chooses by them.
Result<CpuChoice> ChooseCpuTrigger(const CpuRequest& asked);

}  // namespace jprof

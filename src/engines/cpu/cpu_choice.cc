#include "engines/cpu/cpu_choice.h"

#include <array>
#include <csignal>
#include <initializer_list>
#include <utility>

#include "base/engine_signals.h"
#include "base/scaled_text.h"
#include "os/cpu_clock.h"
#include "os/cpu_timer.h"
#include "os/kernel_symbols.h"
#include "os/perf_event.h"
#include "os/process_load.h"
#include "os/signal_action.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/signal_handlers.h"
#include "sigsafe/sampling/signal_target.h"

namespace jprof {
namespace {

// Returns the reason why the signal cannot be used; empty if the signal is free. The text on Flight
// Recorder says "until the JVM ends" because the JDK leaves its handler installed after a recording
// of Flight Recorder has ended (jdk-25+36
// src/hotspot/share/jfr/periodic/sampling/jfrCPUTimeThreadSampler.cpp).
std::string WhyRefused(int signal) {
  const Status free = SignalAction::CheckIsFree(signal, CpuHandler);
  if (free) return "";
  std::string why = free.error().message();
  if (signal == SIGPROF && why.ends_with("/libjvm.so")) {
    why += ", as jdk.CPUTimeSample of Flight Recorder does until the JVM ends";
  }
  return why;
}

using Order = std::array<CpuTrigger, 3>;

Order OrderFor(const CpuRequest& asked, bool below_tick) {
  using enum CpuTrigger;
  if (asked.trigger == kProcessTimer) return {kProcessTimer, kThreadTimers, kPerfEvents};
  const bool finest = below_tick || asked.kernel_frames == KernelFrames::kYes;
  const bool perf_first = asked.trigger == kPerfEvents || (asked.trigger == kBest && finest);
  return perf_first ? Order{kPerfEvents, kThreadTimers, kProcessTimer}
                    : Order{kThreadTimers, kPerfEvents, kProcessTimer};
}

const char* NameOf(CpuTrigger trigger) {
  switch (trigger) {
    case CpuTrigger::kPerfEvents:
      return "perf_events";
    case CpuTrigger::kProcessTimer:
      return "the process timer";
    case CpuTrigger::kThreadTimers:
    case CpuTrigger::kBest:
      break;
  }
  return "thread timers";
}

Status StateOf(CpuTrigger trigger, const CpuFacilities& facilities) {
  if (trigger == CpuTrigger::kThreadTimers) return facilities.thread_timers;
  if (trigger == CpuTrigger::kPerfEvents) return facilities.perf_events;
  return facilities.signal.signal == SIGPROF ? Status() : Error("the kernel sends SIGPROF for it");
}

// Sets `choice->kernel_frames`. Appends to `choice->text` that there are kernel frames, or the
// reason why there are none.
void ChooseKernelFrames(const CpuFacilities& facilities, CpuChoice* choice) {
  if (choice->trigger != CpuTrigger::kPerfEvents) {
    choice->text += "; no kernel frames: only perf_events tell them";
  } else if (!facilities.kernel_frames) {
    choice->text += "; no kernel frames: " + facilities.kernel_frames.error().message();
  } else {
    choice->text += "; with kernel frames";
    choice->kernel_frames = KernelFrames::kYes;
  }
}

}  // namespace

Result<CpuSignalChoice> ChooseCpuSignal(std::optional<int> asked) {
  if (asked) {
    const std::string refused = WhyRefused(*asked);
    if (refused.empty()) return CpuSignalChoice{*asked, ""};
    return Error(refused + "; without signal= the first signal that is free is taken");
  }
  CpuSignalChoice choice;
  for (const SignalRow& row : kCpuSignals) {
    const std::string refused = WhyRefused(row.number);
    if (refused.empty()) {
      choice.signal = row.number;
      return choice;
    }
    choice.refused += (choice.refused.empty() ? "" : "; ") + refused;
  }
  return Error("no signal is free for CPU samples: " + choice.refused +
               "; stop one of these profilers");
}

Result<CpuFacilities> ReadCpuFacilities(const CpuRequest& asked) {
  Result<CpuSignalChoice> signal = ChooseCpuSignal(asked.signal);
  if (!signal) return signal.error();
  CpuFacilities facilities;
  facilities.signal = std::move(signal).value();
  facilities.tick_ns = KernelTickNanos();
  const Result<CpuTimer> timer =
      CpuTimer::Create(CurrentTid(), facilities.signal.signal, MakeCookie(0),
                       {3600 * kNanosPerSecond, 3600 * kNanosPerSecond});
  if (!timer) facilities.thread_timers = timer.error();
  const bool perf_first =
      OrderFor(asked, asked.interval_ns < facilities.tick_ns).front() == CpuTrigger::kPerfEvents;
  if (!perf_first && facilities.thread_timers) return facilities;
  facilities.perf_events = PerfEvent::CheckIsAllowed();
  facilities.perf_samples_per_second = PerfEvent::MaxSamplesPerSecond();
  facilities.counts_switches = TaskRunQueue(CurrentTid()).has_value();
  if (asked.kernel_frames == KernelFrames::kNo) return facilities;
  facilities.kernel_frames = PerfEvent::CheckIsAllowed(PerfEvent::Kernel::kStacks);
  if (facilities.kernel_frames) facilities.kernel_frames = KernelSymbols::CheckIsAllowed();
  return facilities;
}

Result<CpuChoice> ChooseCpuTrigger(const CpuRequest& asked, const CpuFacilities& facilities) {
  const bool below_tick = asked.interval_ns < facilities.tick_ns;
  CpuChoice choice;
  choice.interval_ns = asked.interval_ns;
  choice.signal = facilities.signal.signal;
  choice.trigger = CpuTrigger::kBest;
  std::string refused = facilities.signal.refused.empty() ? "" : "; " + facilities.signal.refused;
  for (const CpuTrigger trigger : OrderFor(asked, below_tick)) {
    const Status state = StateOf(trigger, facilities);
    if (state) {
      choice.trigger = trigger;
      break;
    }
    refused += std::string("; not ") + NameOf(trigger) + ": " + state.error().message();
  }
  if (choice.trigger == CpuTrigger::kBest) return Error("CPU time cannot be sampled" + refused);
  choice.text = NameOf(choice.trigger);
  if (choice.signal != kCpuSignal) choice.text += ", by " + SignalName(choice.signal);
  choice.text += " (kernel tick " + DurationText(facilities.tick_ns) + refused;
  if (below_tick && choice.trigger != CpuTrigger::kPerfEvents) {
    choice.text += "; at most a sample per tick, which stands for all the intervals in it";
  }
  const uint64_t most = facilities.perf_samples_per_second;
  if (choice.trigger == CpuTrigger::kPerfEvents && most != 0 &&
      most < static_cast<uint64_t>(kNanosPerSecond / asked.interval_ns)) {
    choice.text += "; at most " + std::to_string(most) +
                   " samples a second of a thread: kernel.perf_event_max_sample_rate";
  }
  choice.may_take_timers = choice.trigger == CpuTrigger::kPerfEvents &&
                           asked.trigger == CpuTrigger::kBest &&
                           asked.kernel_frames == KernelFrames::kNo && facilities.thread_timers &&
                           facilities.counts_switches;
  if (choice.may_take_timers) choice.text += "; thread timers for threads that switch very often";
  if (asked.kernel_frames == KernelFrames::kYes) ChooseKernelFrames(facilities, &choice);
  choice.text += ')';
  return choice;
}

Result<CpuChoice> ChooseCpuTrigger(const CpuRequest& asked) {
  const Result<CpuFacilities> facilities = ReadCpuFacilities(asked);
  if (!facilities) return facilities.error();
  return ChooseCpuTrigger(asked, facilities.value());
}

}  // namespace jprof

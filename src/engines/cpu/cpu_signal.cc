#include "engines/cpu/cpu_signal.h"

#include "base/engine_signals.h"
#include "os/signal_action.h"
#include "sigsafe/sampling/signal_handlers.h"

namespace jprof {
namespace {

// Returns why the signal cannot be used; "" if it is free. The JDK's handler stays when its
// recording ends (jdk-25+36 src/hotspot/share/jfr/periodic/sampling/jfrCPUTimeThreadSampler.cpp),
// so waiting for the end of the recording would not free the signal.
std::string WhyRefused(int signal) {
  const Status free = SignalAction::CheckIsFree(signal, CpuHandler);
  if (free) return "";
  std::string why = free.error().message();
  if (signal == SIGPROF && why.ends_with("/libjvm.so")) {
    why += ", as jdk.CPUTimeSample of Flight Recorder does until the JVM ends";
  }
  return why;
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

}  // namespace jprof

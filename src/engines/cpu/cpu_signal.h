// ChooseCpuSignal: chooses the signal of the cpu engine: the requested one, else the first of
// kCpuSignals without a handler. Other profilers of the process, including the JDK's own
// (jdk.CPUTimeSample), keep their signals.
//
// Not for handlers. Looks at the signal actions of the process and changes none.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace jprof {

struct CpuSignalChoice {
  int signal = 0;
  // The preferred signals that are in use, "SIGPROF is handled already, by /path/lib.so"; "" if
  // there are none.
  std::string refused;
};

// Returns the choice, or an Error if the requested signal, or every signal, has a handler already.
Result<CpuSignalChoice> ChooseCpuSignal(std::optional<int> asked);

}  // namespace jprof

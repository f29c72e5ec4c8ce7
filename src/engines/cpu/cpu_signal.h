// ChooseCpuSignal: the signal of the cpu engine.
//
// The requested signal, else the first of kCpuSignals without a handler: other profilers of the
// process, including the JDK's own (jdk.CPUTimeSample), keep their signals.
//
// Outside handlers. Looks at the signal actions of the process and changes none.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace jprof {

struct CpuSignalChoice {
  int signal = 0;
  // "SIGPROF is handled already, by /path/lib.so", for each preferred signal that is in use; else
  // "".
  std::string refused;
};

// An Error if the requested signal, or every signal, has a handler already.
Result<CpuSignalChoice> ChooseCpuSignal(std::optional<int> asked);

}  // namespace jprof

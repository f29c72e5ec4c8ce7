// ChooseCpuSignal: which signal the cpu engine takes.
//
// The one that was asked for, else the first of kCpuSignals that nobody handles: other profilers of
// this process, the JDK's own among them (jdk.CPUTimeSample), go on with theirs.
//
// Outside handlers. Looks at the signal actions of the process and changes none.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace jprof {

struct CpuSignalChoice {
  int signal = 0;
  // "SIGPROF is handled already, by /path/lib.so", of each that would have been preferred; else "".
  std::string refused;
};

// An Error where the signal that was asked for, or every one, is handled by somebody else.
Result<CpuSignalChoice> ChooseCpuSignal(std::optional<int> asked);

}  // namespace jprof

// The signals of the engines.
#pragma once

#include <csignal>

namespace jprof {

inline constexpr int kCpuSignal = SIGPROF;
inline constexpr int kWallSignal = SIGVTALRM;

}  // namespace jprof

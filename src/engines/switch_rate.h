// SwitchRate: how often the kernel switches to a thread, for the CPU time that the thread uses.
//
// Not for handlers; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/base/types.h"

namespace jprof {

class SwitchRate {
 public:
  // Least CPU time that an answer is about.
  static constexpr Nanos kLeastCpu = kNanosPerSecond / 100;

  // For each second of CPU time that the thread has used since the last answer, or since it began;
  // nullopt: that is too little to tell, or the kernel does not count. A system call for a thread
  // that does not run, reading a file for one that does.
  std::optional<double> SinceLast(Tid tid);

 private:
  // Of the thread, at the last answer.
  Nanos cpu_ns_ = 0;
  uint64_t runs_ = 0;
};

}  // namespace jprof

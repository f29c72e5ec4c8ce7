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

  SwitchRate() = default;  // of a thread that begins

  // Of a thread that has used so much CPU time before: what it did then does not count.
  explicit SwitchRate(Nanos used_ns) : cpu_ns_(used_ns), runs_(std::nullopt) {}

  // For each second of CPU time that the thread has used since the last call that looked at enough
  // of it; nullopt: that is too little to tell, or there was no such call. A system call for a
  // thread that does not run, reading a file for one that does.
  std::optional<double> SinceLast(Tid tid);

 private:
  // Of the thread, when it was last looked at.
  Nanos cpu_ns_ = 0;
  std::optional<uint64_t> runs_ = 0;  // nullopt: nobody knows
};

}  // namespace jprof

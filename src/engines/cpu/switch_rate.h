// SwitchRate: the rate of context switches to a thread, per CPU time of the thread.
//
// Not for handlers; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/base/types.h"

namespace jprof {

class SwitchRate {
 public:
  // The least CPU time for a rate.
  static constexpr Nanos kLeastCpu = kNanosPerSecond / 100;

  SwitchRate() = default;  // for a new thread

  // For a thread that has used `used_ns` of CPU time already, which does not count.
  explicit SwitchRate(Nanos used_ns) : cpu_ns_(used_ns), runs_(std::nullopt) {}

  // Switches per second of CPU time since the last call with a result. nullopt: less than kLeastCpu
  // since then, or no earlier call. Costs a system call for a thread that did not run, else the
  // read of a file.
  std::optional<double> SinceLast(Tid tid);

 private:
  // Of the thread, at the last call.
  Nanos cpu_ns_ = 0;
  std::optional<uint64_t> runs_ = 0;  // nullopt: not known
};

}  // namespace jprof

#include "engines/switch_rate.h"

#include <utility>

#include "os/cpu_clock.h"
#include "os/process_load.h"

namespace jprof {

std::optional<double> SwitchRate::SinceLast(Tid tid) {
  const Nanos cpu_ns = TaskCpuNanos(tid);
  const Nanos used_ns = cpu_ns - cpu_ns_;
  if (used_ns < kLeastCpu) return std::nullopt;
  const std::optional<uint64_t> runs = TaskRuns(tid);
  if (!runs) return std::nullopt;
  cpu_ns_ = cpu_ns;
  const uint64_t switches = *runs - std::exchange(runs_, *runs);
  return static_cast<double>(switches) * kNanosPerSecond / static_cast<double>(used_ns);
}

}  // namespace jprof

#include "engines/cpu/switch_rate.h"

#include <utility>

#include "os/cpu_clock.h"
#include "os/process_load.h"

namespace jprof {

std::optional<double> SwitchRate::SinceLast(Tid tid) {
  const Nanos cpu_ns = TaskCpuNanos(tid);
  const Nanos used_ns = cpu_ns - cpu_ns_;
  if (used_ns < kLeastCpu) return std::nullopt;
  cpu_ns_ = cpu_ns;
  std::optional<uint64_t> runs;
  if (const std::optional<RunQueueCounts> queue = TaskRunQueue(tid)) runs = queue->runs;
  const std::optional<uint64_t> before = std::exchange(runs_, runs);
  if (!runs || !before) return std::nullopt;
  return static_cast<double>(*runs - *before) * kNanosPerSecond / static_cast<double>(used_ns);
}

}  // namespace jprof

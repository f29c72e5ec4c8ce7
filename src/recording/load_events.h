// LoadEvents: what the process costs the machine: jdk.CPULoad each second, jdk.ThreadCPULoad and
// jdk.ResidentSetSize every ten. What the kernel does not tell is not written.
//
// The recorder's thread.
#pragma once

#include <optional>
#include <unordered_map>

#include "os/process_load.h"
#include "recording/jfr/jfr_writer.h"
#include "recording/thread_constants.h"
#include "threads/thread_registry.h"

namespace jprof {

class LoadEvents {
 public:
  static constexpr Nanos kCpuPeriod = kNanosPerSecond;
  static constexpr Nanos kThreadPeriod = 10 * kNanosPerSecond;

  // The first loads are those since now.
  LoadEvents(ThreadRegistry& registry, Nanos now_ns);

  // Writes what is due.
  void WriteTo(JfrWriter& writer, ThreadConstants& threads, Nanos now_ns);

 private:
  struct ThreadUse {
    Nanos cpu_ns;
    Nanos system_ns;
    bool seen;
  };

  void WriteCpu(JfrWriter& writer, Nanos now_ns);
  void WriteThreads(JfrWriter& writer, ThreadConstants& threads, Nanos now_ns);

  ThreadRegistry& registry_;
  const double processors_;
  Nanos cpu_since_ns_;
  CpuTimes process_;
  std::optional<MachineTicks> machine_;
  Nanos threads_since_ns_;
  std::unordered_map<uint32_t, ThreadUse> threads_;  // by serial, as of the last time
};

}  // namespace jprof

// LoadEvents: writes the load of the machine and of the process: jdk.CPULoad each second,
// jdk.ThreadCPULoad and jdk.ResidentSetSize every ten seconds.
//
// Numbers that the kernel does not report are not written. While no chunk can be written, nothing
// is read: the next loads cover the longer time. Runs on the recorder's thread.
#pragma once

#include <optional>
#include <unordered_map>

#include "chunks/chunk_participant.h"
#include "os/process_load.h"
#include "threads/thread_registry.h"

namespace jprof {

class LoadEvents final : public ChunkParticipant {
 public:
  static constexpr Nanos kCpuPeriod = kNanosPerSecond;
  static constexpr Nanos kThreadPeriod = 10 * kNanosPerSecond;

  // `now_ns` is the start of the first loads.
  LoadEvents(ThreadRegistry& registry, Nanos now_ns);

  void AddSettings(EventSettings& settings) const override;

  // Writes the events that are due.
  void AfterSamples(OpenChunk& chunk) override;

 private:
  struct ThreadUse {
    Nanos cpu_ns;
    Nanos system_ns;
    bool seen;
  };

  void WriteCpu(JfrWriter& writer, Nanos now_ns);
  void WriteThreads(OpenChunk& chunk);

  ThreadRegistry& registry_;
  const double processors_;
  Nanos cpu_since_ns_;
  CpuTimes process_;
  std::optional<MachineTicks> machine_;
  Nanos threads_since_ns_;
  std::unordered_map<uint32_t, ThreadUse> threads_;  // keyed by serial, as of the last reading
};

}  // namespace jprof

// LifeEvents: what the exact sums of waits and of virtual threads have grown by since the chunk
// before, as profiler.ThreadWaits and profiler.VirtualThreadTime. A thread that ends has its event
// at the next drain, while its name is still known.
//
// Start and Stop: one call at a time. All else: the recorder's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chunks/chunk_participant.h"
#include "engines/lock/thread_waits.h"
#include "engines/lock/virtual_lives.h"
#include "jfr/writer/jfr_events.h"
#include "threads/thread_registry.h"

namespace jprof {

class LifeEvents final : private ThreadListener {
 public:
  // REQUIRES: `registry` outlives the object.
  explicit LifeEvents(ThreadRegistry& registry) : registry_(registry) {}
  ~LifeEvents() override { Stop(); }
  LifeEvents(const LifeEvents&) = delete;
  LifeEvents& operator=(const LifeEvents&) = delete;

  void Start();
  // May be called again.
  void Stop();

  // Reads the sums.
  void Collect(const VirtualLives& lives);
  // What has been collected, and what is of ended threads, once.
  void Write(OpenChunk& chunk);
  // Drops it: the number of events.
  uint64_t Forget();

 private:
  void OnThreadStart(ThreadSlot&, Observed) override {}
  void OnThreadEnd(ThreadSlot& thread, EndedBy) override { ThreadWaits::OfProcess().End(thread); }

  ThreadRegistry& registry_;
  bool is_started_ = false;
  std::vector<ThreadWaits::OfThread> threads_;
  std::optional<VirtualThreadTime> virtual_;
  VirtualThreadTime before_ = {};  // all of virtual threads that Collect has had
};

}  // namespace jprof

// SamplingWorld: everything that handlers need to take samples, under the test's control: thread
// slots, walk buffers, a fake walker, a table of stacks, and blocks for samples. Only one may exist
// at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "os/pages.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/stack/walk_buffers.h"
#include "sigsafe/threads/thread_slots.h"
#include "support/fake_walker.h"

namespace jprof::test {

struct WorldSizes {
  Nanos cpu_interval_ns = 1'000'000;
  Nanos wall_interval_ns = 1'000'000;
  uint32_t trace_slots = 1024;  // a power of two
  size_t arena_bytes = 1 << 20;
  size_t sample_blocks = 1024;  // a multiple of 64
};

// Returns how many intervals of the latest world `weight` is.
uint64_t IntervalsOf(SampleKind kind, uint64_t weight);
inline uint64_t IntervalsOf(const Sample& sample) {
  return IntervalsOf(sample.kind, sample.weight);
}

class SamplingWorld {
 public:
  static constexpr uint32_t kDepth = 16;

  explicit SamplingWorld(WorldSizes sizes = {});
  ~SamplingWorld();  // REQUIRES: no handler is running
  SamplingWorld(const SamplingWorld&) = delete;
  SamplingWorld& operator=(const SamplingWorld&) = delete;

  void Activate() { Sampling().traces.Activate(&table_); }
  void Deactivate() { Sampling().traces.Activate(nullptr); }

  // Claims a slot for the calling thread, as if it were a Java thread.
  ThreadSlot* RegisterCurrentThread();

  std::vector<Sample> Drain();

  // Returns how many intervals all threads together have lost for `reason` since the last call.
  uint64_t TakeLost(SampleKind kind, LostReason reason);
  uint64_t TakeLostWithoutThread(SampleKind kind) {
    return IntervalsOf(kind, LostWithoutThread(kind).exchange(0));
  }
  uint64_t TakeAllLost();

  ThreadSlots& slots() { return slots_; }
  WalkBuffers& buffers() { return buffers_; }
  CallTraceHashTable& table() { return table_; }
  FakeWalker& walker() { return walker_; }

 private:
  Pages records_pages_;
  Pages buffer_pages_;
  Pages index_;
  Pages arena_;
  Pages sample_pages_;
  FakeWalker walker_;
  ThreadSlots slots_;
  WalkBuffers buffers_;
  CallTraceHashTable table_;
  SampleBlocks samples_;
};

}  // namespace jprof::test

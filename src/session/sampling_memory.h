// SamplingMemory: owns the memory that one session shares with its handlers, and reclaims it
// safely.
//
// Built, activated and destroyed by the session, one at a time. Handlers see it from Activate on;
// Deactivate returns when no handler can touch it any more.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/pages.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_records.h"
#include "traces/trace_rotation.h"

namespace jprof {

class SamplingMemory {
 public:
  struct Plan {
    uint32_t session;     // > 0, another one each time
    uint32_t max_depth;   // frames kept per stack,
    uint32_t root_depth;  // of them at the root
    size_t memory_bytes;  // for stacks and samples together
    PrimingPaths priming = PrimingPaths::All();
  };

  // `records` outlives the object.
  static Result<std::unique_ptr<SamplingMemory>> Reserve(const Plan& plan, ThreadRecords& records);

  // REQUIRES: not active.
  ~SamplingMemory() = default;

  TraceRotation& traces() { return *traces_; }
  SampleBlocks& samples() { return samples_; }
  const Pages& sample_pages() const { return sample_pages_; }
  VirtualThreadNames& names() { return names_; }

  // RAM that it takes at this moment.
  size_t ResidentBytes() const;

  // REQUIRES: no other SamplingMemory is active.
  void Activate();

  // False if a handler stays inside for seconds: the object must then be leaked (Abandon).
  bool Deactivate();

  // Leaks the memory that a handler may still use when the kernel lets its thread run again.
  static void Abandon(std::unique_ptr<SamplingMemory> memory);

 private:
  SamplingMemory(const Plan& plan, ThreadRecords& records, std::unique_ptr<TraceRotation> traces,
                 Pages sample_pages, size_t blocks, Pages name_pages);

  const Plan plan_;
  ThreadRecords& records_;
  const std::unique_ptr<TraceRotation> traces_;
  const Pages sample_pages_;
  SampleBlocks samples_;
  const Pages name_pages_;
  VirtualThreadNames names_;
};

}  // namespace jprof

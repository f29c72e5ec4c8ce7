// SamplingMemory: owns the memory that one run of the sampler shares with its handlers, and
// reclaims it safely.
//
// The sampler creates, activates and destroys the objects, one at a time. Handlers use the memory
// after Activate; when Deactivate has returned true, no handler uses it any more.
#pragma once

#include <memory>

#include "base/result.h"
#include "call_traces/call_trace_rotation.h"
#include "os/pages.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {

class SamplingMemory {
 public:
  struct Plan {
    uint32_t run;         // > 0, unique in the process
    uint32_t max_depth;   // frames kept per stack
    uint32_t root_depth;  // frames at the root, included in max_depth
    size_t memory_bytes;  // for stacks and samples together
    PrimingPaths priming = PrimingPaths::All();
  };

  // Reserves the memory. `slots` must outlive the object.
  static Result<std::unique_ptr<SamplingMemory>> Reserve(const Plan& plan, ThreadSlots& slots);

  // REQUIRES: the memory is not active.
  ~SamplingMemory() = default;

  CallTraceRotation& traces() { return *traces_; }
  SampleBlocks& samples() { return samples_; }
  const Pages& sample_pages() const { return sample_pages_; }
  VirtualThreadNames& names() { return names_; }

  // Returns the RAM that the memory uses now, in bytes.
  size_t ResidentBytes() const;

  // Publishes the memory to handlers. REQUIRES: no other SamplingMemory is active.
  void Activate();

  // Withdraws the memory from handlers. Returns false if a handler has been using the memory for
  // seconds; the caller must then leak the object (Abandon).
  bool Deactivate();

  // Leaks the memory, because a handler might still use it when the thread of the handler runs
  // again.
  static void Abandon(std::unique_ptr<SamplingMemory> memory);

 private:
  SamplingMemory(const Plan& plan, ThreadSlots& slots, std::unique_ptr<CallTraceRotation> traces,
                 Pages sample_pages, size_t blocks, Pages name_pages);

  const Plan plan_;
  ThreadSlots& slots_;
  const std::unique_ptr<CallTraceRotation> traces_;
  const Pages sample_pages_;
  SampleBlocks samples_;
  const Pages name_pages_;
  VirtualThreadNames names_;
};

}  // namespace jprof

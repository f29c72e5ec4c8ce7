// WriteAllocation: a sampled object as events: the JDK's, and ours with the object's size and the
// standard error of its weight (docs/formats/jfr.md).
//
// The recorder's thread.
#pragma once

#include <cstdint>

#include "chunks/sample_sink.h"
#include "jfr/writer/jfr_writer.h"
#include "sigsafe/base/types.h"

namespace jprof {

enum class AllocationEvents : bool { kSample, kTlabPair };

// Keys are of the open chunk, sizes in bytes.
struct Allocation {
  Nanos time_ns;
  uint32_t thread_key;
  uint32_t stack_key;
  uint32_t class_key;
  bool is_outside_tlab;
  uint16_t interval_factor;  // it stands for others at so many intervals; 0: for none
  uint64_t object_bytes;     // 0: a loss, of which no more than the weight is known
  uint64_t weight_bytes;
  uint64_t error_bytes;
};

// REQUIRES: a sample or a loss of the kind. `interval_bytes`: the shortest at which it may have
// been taken.
Allocation AllocationOf(const ResolvedSample& resolved, int64_t interval_bytes);

void WriteAllocation(const Allocation& allocation, AllocationEvents events, JfrWriter& writer);

}  // namespace jprof

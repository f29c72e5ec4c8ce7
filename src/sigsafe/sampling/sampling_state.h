// SamplingState: all that one session shares with its handlers.
//
// Created outside handlers, found by them through ActiveSampling() and kept alive by a
// RefCountGuard. Stop exchanges the pointer with nullptr, waits until no record's cells hold it,
// then drains.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample_ring.h"
#include "sigsafe/traces/call_trace_storage.h"

namespace jprof {

class ThreadRecords;

struct SamplingState {
  SamplingState(uint32_t session_number, Nanos start, Nanos wall_interval, Region slots,
                Region arena, Region ring_region)
      : session(session_number),
        start_ns(start),
        wall_interval_ns(wall_interval),
        traces(session_number, slots, arena),
        ring(ring_region) {}

  const uint32_t session;  // > 0, different for each session of the process
  const Nanos start_ns;
  const Nanos wall_interval_ns;  // 0: the wall clock is not sampled
  CallTraceStorage traces;
  SampleRing ring;
};

// seq_cst on both sides, see ref_count_guard.h.
std::atomic<SamplingState*>& ActiveSampling();

// The records in which handlers look for their thread. Set once, before the first signal.
void SetThreadRecords(ThreadRecords* records);

// Intervals of samples that found no free record, by kind: nobody to charge them to. Taken by the
// recorder with exchange(0).
std::atomic<uint64_t>& LostWithoutThread(SampleKind kind);

}  // namespace jprof

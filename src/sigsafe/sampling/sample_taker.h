// TakeSample: one sample of the running thread, from record to ring. The common half of the
// handlers.
//
// Async-signal-safe. Whatever fails is counted with its weight; nothing is dropped silently. A
// sample that arrives after the session has stopped is nobody's and is ignored.
#pragma once

#include <cstdint>

#include "sigsafe/sampling/sample.h"

namespace jprof {

struct SampleRequest {
  SampleKind kind;
  ThreadActivity activity;
  uint32_t record_index;  // from the signal's cookie
  uint32_t intervals;     // cpu: timer expiries that this signal stands for; wall: ignored
  void* ucontext;
};

void TakeSample(const SampleRequest& request);

}  // namespace jprof

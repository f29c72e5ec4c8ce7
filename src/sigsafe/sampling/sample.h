// Sample: what a handler tells the recorder. Plain data; ids and numbers, no pointers.
#pragma once

#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

// What the thread was found doing. A CPU sample is kDefault: it was running by construction.
enum class ThreadActivity : uint8_t { kDefault, kRunning, kSleeping };

struct Sample {
  Nanos time_ns;  // CLOCK_MONOTONIC
  TraceId trace;
  Nanos span_ns;           // wall: elapsed since the previous sample; cpu: 0
  uint32_t thread_serial;  // ProfiledThread::serial
  Tid tid;
  uint32_t intervals;  // weight: intervals that this sample stands for, >= 1
  SampleKind kind;
  ThreadActivity activity;
};

}  // namespace jprof

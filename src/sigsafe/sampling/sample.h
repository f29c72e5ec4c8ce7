// Sample: what a handler tells the recorder. Plain data; ids and numbers, no pointers.
#pragma once

#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/threads/profiled_thread.h"
#include "sigsafe/threads/thread_activity.h"

namespace jprof {

struct Sample {
  Nanos time_ns;  // CLOCK_MONOTONIC
  TraceId trace;
  Nanos span_ns;           // wall: elapsed since the previous sample; cpu: 0
  int64_t virtual_thread;  // threadId() of the virtual thread whose sample it is; 0: the thread's
  uint32_t thread_serial;  // ProfiledThread::serial
  Tid tid;
  uint32_t intervals;  // weight: intervals that this sample stands for, >= 1
  SampleKind kind;
  ThreadActivity activity;
};

}  // namespace jprof

// HandlerCost: the time that our signal handlers have taken from the program's threads.
#pragma once

#include <cstdint>

#include "sigsafe/threads/thread_records.h"

namespace jprof {

// Nanoseconds.
struct HandlerCost {
  uint64_t handler_ns = 0;
  uint64_t walk_ns = 0;  // the part that walking stacks took
};

// The cost since the last call, over all records. Thread-safe.
HandlerCost TakeHandlerCost(ThreadRecords& records);

}  // namespace jprof

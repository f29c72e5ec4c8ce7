// HandlerCost: the CPU time that our signal handlers have used on the program's threads.
#pragma once

#include <cstdint>

#include "sigsafe/threads/thread_slots.h"

namespace jprof {

// Nanoseconds.
struct HandlerCost {
  uint64_t handler_ns = 0;
  uint64_t walk_ns = 0;  // the part of handler_ns for stack walks
};

// Returns the sum over all slots since the last call, and resets the slots. Thread-safe; not
// for handlers.
HandlerCost TakeHandlerCost(ThreadSlots& slots);

}  // namespace jprof

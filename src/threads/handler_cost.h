// HandlerCost: what our signal handlers have taken of the program's threads.
#pragma once

#include <cstdint>

namespace jprof {

// Nanoseconds.
struct HandlerCost {
  uint64_t handler_ns = 0;
  uint64_t walk_ns = 0;  // of them, walking stacks
};

}  // namespace jprof

// StackBounds: the address range of a thread's stack. Plain value; 0: not known.
#pragma once

#include <cstdint>

namespace jprof {

struct StackBounds {
  uintptr_t low = 0;   // its lowest address, guard pages included
  uintptr_t high = 0;  // the first address above it
};

}  // namespace jprof

// StackMode: which frames a walk records, and how it walks native frames.
#pragma once

#include <cstdint>

namespace jprof {

enum class StackMode : uint8_t {
  kVm,    // native frames above the topmost Java frame, then Java frames
  kVmx,   // all frames: also native frames between and below Java frames
  kFp,    // as kVmx, native frames by the chain of frame pointers
  kAgct,  // Java frames by AsyncGetCallTrace, else the interrupted code
  kNo,    // Java frames
};

}  // namespace jprof

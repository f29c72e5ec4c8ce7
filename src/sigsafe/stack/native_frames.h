// PushNativeFrames: the part of a walk that lies in code of libraries.
//
// Async-signal-safe.
#pragma once

#include <ucontext.h>

#include "sigsafe/native/native_cursor.h"
#include "sigsafe/stack/frame_sink.h"
#include "sigsafe/stack/stack_mode.h"

namespace jprof {

struct CodeRangeLimits {
  uint64_t low = 0;
  uint64_t high = 0;  // exclusive

  bool Contains(uint64_t pc) const { return pc - low < high - low; }
};

struct NativePart {
  NativeRegisters registers;  // where it starts, later: where it ended
  // The registers are these; nullptr: the part starts at a return address.
  const ucontext_t* interrupted;
  StackBounds bounds;
  CodeRangeLimits until;  // the walk ends in front of code in this range
  StackMode mode;
};

enum class NativeEnd : uint8_t {
  kReached,    // the code that it should go up to
  kOutermost,  // the thread's first frame
  kFull,       // the sink has no more room
  kLost,       // the last frame's caller cannot be told
};

// Pushes the frames from `part` upwards; part->registers are then those of the first frame that was
// not pushed. In mode kNo it walks without pushing.
NativeEnd PushNativeFrames(NativePart* part, FrameSink* sink);

}  // namespace jprof

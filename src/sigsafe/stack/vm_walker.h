// WalkVmStack: all frames of a Java thread (vm_cursor.h) into a sink.
//
// Async-signal-safe.
#pragma once

#include "sigsafe/stack/frame_sink.h"
#include "sigsafe/stack/vm_cursor.h"

namespace jprof {

enum class WalkEnd : uint8_t {
  kRoot,    // the entry of the thread
  kMount,   // the entry of the mounted virtual thread
  kFull,    // the sink has no room left
  kBroken,  // the last frame is the outcome
};

// REQUIRES: as VmCursor.
WalkEnd WalkVmStack(const WalkContext& context, const WalkStart& start, WalkUntil until,
                    FrameSink* sink);

}  // namespace jprof

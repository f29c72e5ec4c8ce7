// WalkVmStack: all frames of a Java thread (vm_cursor.h) into a sink.
//
// Async-signal-safe.
#pragma once

#include "sigsafe/stack/frame_sink.h"
#include "sigsafe/stack/vm_cursor.h"

namespace jprof {

enum class WalkEnd : uint8_t {
  kRoot,    // the entry of the thread
  kMount,   // the entry of the virtual thread that it runs
  kFull,    // the sink has no more room
  kBroken,  // the last frame is an outcome that says why
};

// REQUIRES: as VmCursor.
WalkEnd WalkVmStack(const WalkContext& context, const WalkStart& start, WalkUntil until,
                    FrameSink* sink);

}  // namespace jprof

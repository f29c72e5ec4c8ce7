// WalkVmStack: pushes all frames of a Java thread (vm_cursor.h) to a sink.
//
// Async-signal-safe.
#pragma once

#include "sigsafe/stack/frame_sink.h"
#include "sigsafe/stack/vm_cursor.h"

namespace jprof {

// Where a walk has ended.
enum class WalkEnd : uint8_t {
  kRoot,    // at the entry of the thread
  kMount,   // at the entry of the mounted virtual thread
  kFull,    // at a frame that the sink has refused
  kBroken,  // at a frame whose caller is unknown; the last frame is the outcome
};

struct VmWalk {
  WalkEnd end;
  bool lacks_tables;  // VmCursor::lacks_tables
};

// Pushes the frames from `start` up to `until` to `sink`. REQUIRES: all that the constructor of
// VmCursor requires.
VmWalk WalkVmStack(const WalkContext& context, const WalkStart& start, WalkUntil until,
                   FrameSink* sink);

}  // namespace jprof

#include "sigsafe/stack/vm_walker.h"

namespace jprof {

WalkEnd WalkVmStack(const WalkContext& context, const WalkStart& start, WalkUntil until,
                    FrameSink* sink) {
  VmCursor cursor(context, start, until);
  VmStep step = cursor.Step();
  for (; step == VmStep::kFrame; step = cursor.Step()) {
    if (!sink->Push(cursor.frame())) return WalkEnd::kFull;
  }
  if (step == VmStep::kBroken) {
    return sink->Push(OutcomeFrame(cursor.why())) ? WalkEnd::kBroken : WalkEnd::kFull;
  }
  if (step == VmStep::kMount) return WalkEnd::kMount;
  // Native frames were not asked for, and there are no others.
  if (sink->empty()) sink->Push(NativeFrame(Pc{start.position.pc}));
  return WalkEnd::kRoot;
}

}  // namespace jprof

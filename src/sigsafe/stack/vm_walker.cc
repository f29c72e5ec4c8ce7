#include "sigsafe/stack/vm_walker.h"

namespace jprof {

namespace {

WalkEnd WalkBy(VmCursor& cursor, uint64_t start_pc, FrameSink* sink) {
  VmStep step = cursor.Step();
  for (; step == VmStep::kFrame; step = cursor.Step()) {
    if (!sink->Push(cursor.frame(), cursor.method())) return WalkEnd::kFull;
  }
  if (step == VmStep::kBroken) {
    return sink->Push(OutcomeFrame(cursor.why())) ? WalkEnd::kBroken : WalkEnd::kFull;
  }
  if (step == VmStep::kMount) return WalkEnd::kMount;
  // The stack has only native frames, and these were not requested.
  if (sink->empty()) sink->Push(NativeFrame(Pc{start_pc}));
  return WalkEnd::kRoot;
}

}  // namespace

VmWalk WalkVmStack(const WalkContext& context, const WalkStart& start, WalkUntil until,
                   FrameSink* sink) {
  VmCursor cursor(context, start, until);
  const WalkEnd end = WalkBy(cursor, start.position.pc, sink);
  return {end, cursor.lacks_tables()};
}

}  // namespace jprof

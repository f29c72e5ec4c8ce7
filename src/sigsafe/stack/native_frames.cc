#include "sigsafe/stack/native_frames.h"

#include "sigsafe/hotspot/frame_shape.h"

namespace jprof {
namespace {

// Where frames are not pushed, the sink does not bound the walk.
constexpr int kMaxFrames = 1 << 16;

NativeCursor CursorOf(const NativePart& part, StackMemory* memory) {
  const NativeCode* code = &NativeCode::OfProcess();
  if (part.interrupted == nullptr) return NativeCursor::AtCall(code, memory, part.registers);
  return {code, memory, part.registers, part.interrupted};
}

StepOutcome ToCaller(NativeCursor& cursor, StackMode mode) {
  if (mode == StackMode::kFp) return cursor.StepByFramePointer();
  const StepOutcome outcome = cursor.Step();
  return outcome == StepOutcome::kNoInformation ? cursor.StepWithoutRule() : outcome;
}

// While tables are still being made, what a frame pointer leads to need not be code.
bool IsNoCode(const NativePart& part, uint64_t pc) {
  return part.until.high != 0 && !part.until.Contains(pc) &&
         NativeCode::OfProcess().FindRule(pc - 1) == nullptr && !FollowsCall(pc);
}

bool Push(const NativeCursor& cursor, FrameSink* sink) {
  // A call may be the last instruction of its function.
  const uint64_t pc = cursor.registers().pc - (cursor.is_interrupted() ? 0 : 1);
  return sink->Push(NativeFrame(Pc{pc}));
}

}  // namespace

NativeEnd PushNativeFrames(NativePart* part, FrameSink* sink) {
  StackMemory memory(part->registers.sp, part->bounds);
  NativeCursor cursor = CursorOf(*part, &memory);
  for (int i = 0; i < kMaxFrames; ++i) {
    part->registers = cursor.registers();
    if (part->until.Contains(part->registers.pc)) return NativeEnd::kReached;
    if (part->mode != StackMode::kNo && !Push(cursor, sink)) return NativeEnd::kFull;
    const StepOutcome outcome = ToCaller(cursor, part->mode);
    if (outcome == StepOutcome::kOutermost) return NativeEnd::kOutermost;
    if (outcome != StepOutcome::kFrame) return NativeEnd::kLost;
    if (IsNoCode(*part, cursor.registers().pc)) return NativeEnd::kLost;
  }
  return NativeEnd::kLost;
}

}  // namespace jprof

#include "sigsafe/stack/native_frames.h"

#include "sigsafe/base/check.h"
#include "sigsafe/hotspot/frame_shape.h"

namespace jprof {
namespace {

// The maximum number of steps of one part. Because of this limit, code that calls Step in a loop
// need not bound the loop.
constexpr int kMaxSteps = 1 << 16;

// Returns an address in the function of the cursor's frame. The return address itself can lie
// outside the function, because a call can be the last instruction of its function.
uint64_t CodeAt(const NativeCursor& cursor) {
  return cursor.registers().pc - (cursor.is_interrupted() ? 0 : 1);
}

}  // namespace

void NativeFrames::BeginInterrupted(const NativeRegisters& start, const ucontext_t* interrupted) {
  memory_.emplace(start.sp, stack_, faults_);
  cursor_.emplace(&code_, &*memory_, start, interrupted);
  Begin();
}

void NativeFrames::BeginAtCall(const NativeRegisters& start) {
  memory_.emplace(start.sp, stack_, faults_);
  cursor_ = NativeCursor::AtCall(&code_, &*memory_, start);
  Begin();
}

void NativeFrames::Begin() {
  steps_ = 0;
  follows_rules_ = mode_ != StackMode::kFp;
}

// True if `pc` cannot be a return address. A frame pointer can lead to such an address while unwind
// tables are still being made.
bool NativeFrames::IsNoCode(uint64_t pc) const {
  return until_.high != 0 && !until_.Contains(pc) && !code_.Find(pc - 1).has_rules() &&
         !FollowsCall(pc);
}

StepOutcome NativeFrames::CursorToCaller() {
  if (mode_ == StackMode::kFp) return cursor_->StepByFramePointer();
  const StepOutcome outcome = cursor_->Step();
  // After a step by the frame pointer, the rule might need a register that is lost.
  if (!kCallsPush && outcome == StepOutcome::kUnknownRegister && !follows_rules_) {
    return cursor_->StepByFramePointer();
  }
  if (outcome != StepOutcome::kNoInformation) return outcome;
  if (cursor_->StepByLink(until_.low, until_.high)) return StepOutcome::kFrame;
  follows_rules_ = false;
  lacks_tables_ = lacks_tables_ || code_.Find(CodeAt(*cursor_)).table == nullptr;
  return cursor_->StepWithoutRule();
}

// Steps to the caller. After kFrame the cursor is at the caller, which can be in `until`.
NativeStep NativeFrames::ToCaller() {
  if (steps_++ == 0) return NativeStep::kFrame;
  if (steps_ > kMaxSteps) return NativeStep::kLost;
  const StepOutcome outcome = CursorToCaller();
  if (outcome == StepOutcome::kOutermost) return NativeStep::kOutermost;
  if (outcome != StepOutcome::kFrame || IsNoCode(registers().pc)) return NativeStep::kLost;
  return NativeStep::kFrame;
}

NativeStep NativeFrames::Step() {
  JPROF_CHECK(cursor_.has_value());
  for (;;) {  // ends: ToCaller returns kFrame at most kMaxSteps times
    const NativeStep step = ToCaller();
    if (step != NativeStep::kFrame) return step;
    if (until_.Contains(registers().pc)) return NativeStep::kReached;
    if (mode_ == StackMode::kNo) continue;
    frame_ = NativeFrame(Pc{CodeAt(*cursor_)});
    return NativeStep::kFrame;
  }
}

}  // namespace jprof

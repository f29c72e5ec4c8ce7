#include "sigsafe/sampling/sample_source.h"

#include "sigsafe/hotspot/virtual_thread.h"
#include "sigsafe/os/signal_mask.h"
#include "sigsafe/sampling/kernel_frames.h"

namespace jprof {
namespace {

StackBounds StackOf(const ThreadSlot& thread) {
  const StackBounds bounds{thread.stack_low.load(std::memory_order_relaxed),
                           thread.stack_high.load(std::memory_order_relaxed)};
  return bounds.low != 0 && bounds.high != 0 ? bounds : StackBounds();
}

// Returns the id of the virtual thread that the thread runs; 0 if none.
int64_t VirtualThreadOn(const WalkEnvironment& environment, const ThreadSlot& thread) {
  if (environment.vm == nullptr) return 0;
  const int64_t id = MountedThreadId(*environment.vm, environment.faults,
                                     thread.jni_env.load(std::memory_order_acquire),
                                     thread.java_id.load(std::memory_order_relaxed));
  return id > 0 ? id : 0;
}

WalkedThread Walked(const ThreadSlot& thread, int64_t mounted) {
  return {thread.jni_env.load(std::memory_order_acquire), StackOf(thread),
          mounted == 0 ? WalkUntil::kThreadEntry : WalkUntil::kMount};
}

// Returns the part of the buffer after its first `leading` frames.
WalkBuffer PartAfter(uint32_t leading, WalkBuffer buffer) {
  buffer.frames += leading;
  buffer.methods += leading;
  buffer.depth -= leading;
  return buffer;
}

}  // namespace

SampledWalk InterruptedThread::Walk(const WalkEnvironment& environment, ThreadSlot& taker,
                                    const Subject&, const WalkBuffer& buffer) const {
  if (!OpenFaultSignals(static_cast<const ucontext_t*>(ucontext_))) {
    return {UnwalkedStack(WalkOutcome::kFaultsBlocked, ucontext_, buffer), false};
  }
  const int64_t mounted = VirtualThreadOn(environment, taker);
  const uint32_t leading =
      kernel_frames_ == KernelFrames::kNone
          ? 0
          : PushKernelFrames(taker.index, buffer.frames, buffer.depth - buffer.root_depth - 1);
  SampledWalk walk{
      WalkStack(environment, Walked(taker, mounted), ucontext_, PartAfter(leading, buffer)), true,
      mounted};
  walk.stack.MoveBegin(-static_cast<int32_t>(leading));
  return walk;
}

int64_t CallingThread::MountedOn(const WalkEnvironment& environment, const ThreadSlot& taker,
                                 const Subject& subject) {
  return subject.is_reported() ? subject.reported_id() : VirtualThreadOn(environment, taker);
}

SampledWalk CallingThread::WalkFrom(int64_t mounted, uint32_t leaf_frames,
                                    const WalkEnvironment& environment, ThreadSlot& taker,
                                    const WalkBuffer& buffer) {
  const Stack stack = WalkOnBudget(taker, leaf_frames, buffer, [&](const WalkBuffer& bounded) {
    return WalkFromAnchor(environment, Walked(taker, mounted), bounded);
  });
  return {stack, true, mounted};
}

SampledWalk CallerOfHook::Walk(const WalkEnvironment& environment, ThreadSlot& taker,
                               const Subject&, const WalkBuffer& buffer) const {
  if (!may_read_) {
    buffer.frames[0] = NativeFrame(Pc{call_.pc - 1});
    buffer.frames[1] = OutcomeFrame(WalkOutcome::kFaultsBlocked);
    return {{buffer.frames, 2, false}, false};
  }
  const int64_t mounted = VirtualThreadOn(environment, taker);
  const Stack stack =
      WalkOnBudget(taker, RootBudget::kLeafFrames, buffer, [&](const WalkBuffer& bounded) {
        return WalkFromCall(environment, Walked(taker, mounted), call_, bounded);
      });
  return {stack, true, mounted};
}

}  // namespace jprof

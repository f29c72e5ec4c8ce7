// MethodSampling is the policy by which TakeSample records slow calls. ThreadOfCall is the source
// of the stacks. EndedCall limits the frames that are walked for a call around another slow call.
//
// Used on the thread whose call has ended, in the probe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/sampling/sample_source.h"

namespace jprof {

struct [[gnu::packed]] MethodPayload {
  static constexpr SampleKind kKind = SampleKind::kMethod;

  uint32_t number;  // number in TracedMethods
  Nanos start_ns;
  bool is_exception;
  uint32_t thrown_class;  // number in SampledClasses; 0 without an exception
};

// A slow call that has ended. Nested calls end from the innermost outwards, and a call around a
// slow call is slow as well. A stack that is too deep is recorded without its root. If the recorded
// stack of an inner call lacks its root, and the outer call is at most kNearBytes of stack away,
// then the stack of the inner call already contains the innermost frames of the outer call. In this
// case only kFramesAroundCall frames are walked for the outer call. Thus the stack of a recursion
// of slow calls is walked about once in all, not once for each call.
class EndedCall {
 public:
  static constexpr uint32_t kFramesAroundCall = 16;
  // The stack size of some ten to a hundred frames.
  static constexpr uint64_t kNearBytes = 8 * 1024;

  // `sp` is an address on the stack within the call.
  EndedCall(Nanos start_ns, uint64_t duration_ns, uintptr_t sp)
      : start_ns_(start_ns), end_ns_(start_ns + static_cast<Nanos>(duration_ns)), sp_(sp) {}

  // Returns the number of innermost frames that the walk always records. It is kFramesAroundCall if
  // the stack of a call inside this one was recorded without its root and both calls are near each
  // other on the stack, else RootBudget::kLeafFrames. A call is inside this one if it ended on the
  // same thread after the start of this call. `virtual_thread` is the id of the mounted virtual
  // thread; 0 without one.
  uint32_t LeafFrames(const ThreadSlot& thread, int64_t virtual_thread) const {
    const bool is_around =
        thread.rootless_call_end_ns.load(std::memory_order_relaxed) > start_ns_ &&
        PlaceOf(virtual_thread) - thread.rootless_call_place.load(std::memory_order_relaxed) <=
            kNearBytes;
    return is_around ? kFramesAroundCall : RootBudget::kLeafFrames;
  }

  // Notes that the sample of the call lacks its root.
  void NoteRootless(ThreadSlot& thread, int64_t virtual_thread) const {
    thread.rootless_call_place.store(PlaceOf(virtual_thread), std::memory_order_relaxed);
    thread.rootless_call_end_ns.store(end_ns_, std::memory_order_relaxed);
  }

 private:
  // Returns the call's stack address plus an offset that depends on its virtual thread. Virtual
  // threads use the stack of a carrier one after another; with the offset, calls of different
  // virtual threads are not taken for neighbours on the stack.
  uint64_t PlaceOf(int64_t virtual_thread) const {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    return sp_ + static_cast<uint64_t>(virtual_thread) * kGoldenRatio;
  }

  const Nanos start_ns_;
  const Nanos end_ns_;
  const uintptr_t sp_;
};

// ThreadOfCall is the source of the stack of the calling thread, in the probe that runs at the end
// of the call.
class ThreadOfCall : public CallingThread {
 public:
  explicit ThreadOfCall(const EndedCall& call) : call_(call) {}

  SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& taker, const Subject& subject,
                   const WalkBuffer& buffer) const {
    const int64_t mounted = MountedOn(environment, taker, subject);
    return WalkFrom(mounted, call_.LeafFrames(taker, mounted), environment, taker, buffer);
  }

 private:
  const EndedCall& call_;
};

class MethodSampling : public WeighedSampling<MethodPayload> {
 public:
  // `call` outlives the object.
  MethodSampling(uint64_t duration_ns, const MethodPayload& payload, const EndedCall& call)
      : WeighedSampling(duration_ns, payload), call_(call) {}

  // Returns the number of innermost frames to leave out: slow, end, exit or exception, and the
  // method itself. The walk starts at `slow`, which is native. Stacks begin with the method's
  // caller, as in the JDK's own events. If the walk could not start, there is nothing to leave out.
  uint32_t OwnFrames(const Stack& stack) const {
    constexpr uint32_t kFrames = 4;
    const bool is_known = stack.count > kFrames && stack.frames[0].kind == FrameKind::kJavaNative &&
                          std::all_of(stack.frames, stack.frames + kFrames, IsJava);
    return is_known ? kFrames : 0;
  }

  void OnRecorded(ThreadSlot& thread, const WalkedStack& walked) const {
    if (walked.stack->lacks_root) call_.NoteRootless(thread, walked.virtual_thread);
  }

 private:
  const EndedCall& call_;
};

}  // namespace jprof

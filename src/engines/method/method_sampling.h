// MethodSampling: the policy of slow calls. ThreadOfCall: the source of their stacks. EndedCall:
// limits the frames that are walked for a call around another slow call.
//
// Used on the thread whose call has ended, in the probe.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/sampling/sample_source.h"

namespace jprof {

struct [[gnu::packed]] MethodPayload {
  static constexpr SampleKind kKind = SampleKind::kMethod;

  uint32_t number;  // number in TracedMethods
  Nanos start_ns;
  bool is_exception;
  uint32_t thrown_class;  // number in SampledClasses; 0: none
};

// The ids of frames of ProbeClass; 0 before there is a class.
struct ProbeFrames {
  uint64_t slow = 0;
  uint64_t end = 0;
};

// A call that has ended. Calls end from the innermost outwards, and a call around a slow call is
// slow as well. If the sample of the inner call lacks its root, and the outer call is at most
// kNearBytes of stack away, the inner stack has the frames that the leaf of the outer one would
// have: so that leaf has only kFramesAroundCall frames. Thus a recursion of slow calls is walked
// about once, not once for each call.
class EndedCall {
 public:
  static constexpr uint32_t kFramesAroundCall = 16;
  // The size of some ten to a hundred frames.
  static constexpr uint64_t kNearBytes = 8 * 1024;

  // `sp`: a place on the stack in the call.
  EndedCall(Nanos start_ns, uint64_t duration_ns, uintptr_t sp)
      : start_ns_(start_ns), end_ns_(start_ns + static_cast<Nanos>(duration_ns)), sp_(sp) {}

  // Returns the number of frames that the walk of the call takes in any case. A call that ended on
  // the same thread after this call's start was inside this call. `virtual_thread`: the mounted
  // one; 0: none.
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
  // Returns the call's place on the stack, moved by a distance that depends on its virtual thread:
  // virtual threads use the same stack in turn, and their places must not be near each other.
  uint64_t PlaceOf(int64_t virtual_thread) const {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    return sp_ + static_cast<uint64_t>(virtual_thread) * kGoldenRatio;
  }

  const Nanos start_ns_;
  const Nanos end_ns_;
  const uintptr_t sp_;
};

// ThreadOfCall: the calling thread, in the probe at the end of the call.
class ThreadOfCall : public CallingThread {
 public:
  ThreadOfCall(std::optional<int64_t> told, const EndedCall& call)
      : CallingThread(told), call_(call) {}

  SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& thread,
                   const WalkBuffer& buffer) const {
    const int64_t mounted = MountedOn(environment, thread);
    return WalkFrom(mounted, call_.LeafFrames(thread, mounted), environment, thread, buffer);
  }

 private:
  const EndedCall& call_;
};

class MethodSampling : public WeighedSampling<MethodPayload> {
 public:
  // `call` outlives the object.
  MethodSampling(uint64_t duration_ns, const MethodPayload& payload, const ProbeFrames& frames,
                 const EndedCall& call)
      : WeighedSampling(duration_ns, payload), frames_(frames), call_(call) {}

  // Returns the number of frames that are left out: slow, end, exit or exception, and the method
  // itself. Stacks begin with the method's caller, as those of the JDK do.
  uint32_t OwnFrames(const Stack& stack) const {
    constexpr uint32_t kFrames = 4;
    const bool is_known = stack.count > kFrames && stack.frames[0].id == frames_.slow &&
                          stack.frames[1].id == frames_.end;
    return is_known ? kFrames : 0;
  }

  void OnRecorded(ThreadSlot& thread, const WalkedStack& walked) const {
    if (walked.stack->lacks_root) call_.NoteRootless(thread, walked.virtual_thread);
  }

 private:
  const ProbeFrames frames_;
  const EndedCall& call_;
};

}  // namespace jprof

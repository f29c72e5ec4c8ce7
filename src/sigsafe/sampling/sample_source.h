// The sources of samples: InterruptedThread, CallingThread, CallerOfHook. A source knows the thread
// of a sample's stack and the start of the walk. It has
//
//   SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& thread,
//                    const WalkBuffer& buffer) const;
//
// The program waits for the walk of a synchronous source, so a RootBudget bounds that walk
// (WalkOnBudget). The walk in a handler goes to the root: the thread's HandlerThrottle, or the
// ticks of the wall clock, bound the number of such walks.
//
// Async-signal-safe, on the thread that takes the sample.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/stack/root_budget.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

struct SampledWalk {
  Stack stack{};
  bool may_read = false;  // true if guarded loads may be used
  int64_t mounted = 0;    // id of the virtual thread that the walked thread runs; 0 if none
  bool is_told = false;   // true if the JVM has reported `mounted`, so that it is certain
};

// Calls walk(buffer) with a budget for the frames beyond the first `leaf_frames`.
template <typename WalkFrames>
Stack WalkOnBudget(ThreadSlot& thread, uint32_t leaf_frames, WalkBuffer buffer, WalkFrames&& walk) {
  RootBudget budget(thread, leaf_frames);
  buffer.root_budget = &budget;
  const Stack stack = walk(buffer);
  budget.Pay();
  return stack;
}

// The interrupted thread, in a handler. It is walked from its registers.
class InterruptedThread {
 public:
  // With kInFront, the kernel's frames come before those of the walk, if the thread's perf_event
  // records them.
  enum class KernelFrames : bool { kNone, kInFront };

  explicit InterruptedThread(void* ucontext, KernelFrames kernel_frames = KernelFrames::kNone)
      : ucontext_(ucontext), kernel_frames_(kernel_frames) {}

  SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& thread,
                   const WalkBuffer& buffer) const;

 private:
  void* const ucontext_;
  const KernelFrames kernel_frames_;
};

// The calling thread, in a callback, a hook or a probe called by Java code. It is walked from its
// frame anchor. A signal can interrupt the walk for a sample of another kind. REQUIRES: the thread
// does not block SIGSEGV and SIGBUS.
class CallingThread {
 public:
  // `reported` is the id of the mounted virtual thread if the JVM has reported it, 0 if the JVM has
  // reported that none is mounted. With nullopt, Walk reads the id from the VM's memory.
  explicit CallingThread(std::optional<int64_t> reported = std::nullopt) : reported_(reported) {}

  SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& thread,
                   const WalkBuffer& buffer) const {
    return WalkFrom(MountedOn(environment, thread), RootBudget::kLeafFrames, environment, thread,
                    buffer);
  }

 protected:
  // The two steps of Walk, for a source whose number of leaf frames depends on the mounted virtual
  // thread.
  int64_t MountedOn(const WalkEnvironment& environment, const ThreadSlot& thread) const;
  SampledWalk WalkFrom(int64_t mounted, uint32_t leaf_frames, const WalkEnvironment& environment,
                       ThreadSlot& thread, const WalkBuffer& buffer) const;

 private:
  const std::optional<int64_t> reported_;
};

// The calling thread, in a hook called by native code. It is walked from that call, native frames
// first.
class CallerOfHook {
 public:
  // `may_read` is true if the thread blocks neither SIGSEGV nor SIGBUS (os/signal_mask.h).
  CallerOfHook(const StackPosition& call, bool may_read) : call_(call), may_read_(may_read) {}

  SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& thread,
                   const WalkBuffer& buffer) const;

 private:
  const StackPosition call_;
  const bool may_read_;
};

}  // namespace jprof

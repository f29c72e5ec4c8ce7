// A Subject is the thread that a sample belongs to. The sources of stacks are InterruptedThread,
// CallingThread, CallerOfHook and NoStack. A thread that is asked for its stack walks itself
// (stack_requests.h). A source knows where the stack of the subject starts.
// Each source has
//
//   // False if the source needs no WalkBuffer; then `buffer` can be empty.
//   static constexpr bool kNeedsBuffer;
//   SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& taker, const Subject& subject,
//                    const WalkBuffer& buffer) const;
//
// The program waits for the walks of CallingThread and CallerOfHook, so a RootBudget bounds each of
// these walks (WalkOnBudget). A walk of InterruptedThread, in a handler, goes to the root of the
// stack. The number of such walks is bounded: for cpu samples by the thread's HandlerThrottle, for
// wall samples by the ticks of the wall engine.
//
// Async-signal-safe, on the taker: the thread that takes the sample.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/hotspot/virtual_thread.h"
#include "sigsafe/sampling/sample.h"
#include "sigsafe/stack/root_budget.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// The thread that a sample belongs to. It is the taker, a virtual thread that the taker runs, or
// another thread. The taker provides the guard, the block and the counters of losses in any case.
class Subject {
 public:
  // Returns the taker, or the virtual thread that the taker runs. The source reads from the VM's
  // memory which of the two is the subject.
  static Subject Taker() { return {Relation::kUnknown, {}, nullptr}; }

  // Returns the virtual thread that the taker runs, as the JVM has reported it. `id` is the id of
  // that virtual thread, or 0 for the taker itself. If `id` is nullopt, returns Taker(). `name` is
  // the name of the virtual thread, and outlives the Subject. If `name` is nullptr, TakeSample
  // reads the name from the VM's memory, if that can be read.
  static Subject Reported(std::optional<int64_t> id, const ThreadNameBytes* name = nullptr) {
    if (!id) return Taker();
    return {Relation::kReported, *id == 0 ? SampledThread() : SampledThread::Virtual(*id), name};
  }

  // Returns a thread other than the taker. That thread waits during the sample, and its trace
  // context is unknown.
  static Subject Other(const SampledThread& thread, const ThreadNameBytes* name = nullptr) {
    return {Relation::kOther, thread, name};
  }

  bool is_other() const { return relation_ == Relation::kOther; }
  bool is_reported() const { return relation_ == Relation::kReported; }
  // Returns the other thread. REQUIRES: is_other().
  const SampledThread& other() const { return thread_; }
  // Returns the id of the virtual thread that the taker runs; 0 without one. REQUIRES:
  // is_reported().
  int64_t reported_id() const { return thread_.virtual_id(); }
  const ThreadNameBytes* name() const { return name_; }

 private:
  enum class Relation : uint8_t { kUnknown, kReported, kOther };

  Subject(Relation relation, const SampledThread& thread, const ThreadNameBytes* name)
      : relation_(relation), thread_(thread), name_(name) {}

  Relation relation_;
  SampledThread thread_;
  const ThreadNameBytes* name_;
};

struct SampledWalk {
  Stack stack{};
  bool may_read = false;  // true if guarded loads may be used
  int64_t mounted = 0;    // id of the virtual thread that the taker runs; 0 if none
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

  static constexpr bool kNeedsBuffer = true;
  SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& taker, const Subject& subject,
                   const WalkBuffer& buffer) const;

 private:
  void* const ucontext_;
  const KernelFrames kernel_frames_;
};

// The calling thread, in a callback, a hook or a probe called by Java code. It is walked from its
// frame anchor. A signal can interrupt the walk, and its handler can take a sample of another kind.
// REQUIRES: the thread blocks neither SIGSEGV nor SIGBUS.
class CallingThread {
 public:
  static constexpr bool kNeedsBuffer = true;
  SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& taker, const Subject& subject,
                   const WalkBuffer& buffer) const {
    return WalkFrom(MountedOn(environment, taker, subject), RootBudget::kLeafFrames, environment,
                    taker, buffer);
  }

 protected:
  // The two steps of Walk, for a source whose number of leaf frames depends on the mounted virtual
  // thread.
  static int64_t MountedOn(const WalkEnvironment& environment, const ThreadSlot& taker,
                           const Subject& subject);
  static SampledWalk WalkFrom(int64_t mounted, uint32_t leaf_frames,
                              const WalkEnvironment& environment, ThreadSlot& taker,
                              const WalkBuffer& buffer);
};

// The calling thread, in a hook called by native code. It is walked from the call of the hook,
// native frames first.
class CallerOfHook {
 public:
  // `may_read` is true if the thread blocks neither SIGSEGV nor SIGBUS (os/signal_mask.h).
  CallerOfHook(const StackPosition& call, bool may_read) : call_(call), may_read_(may_read) {}

  static constexpr bool kNeedsBuffer = true;
  SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& taker, const Subject& subject,
                   const WalkBuffer& buffer) const;

 private:
  const StackPosition call_;
  const bool may_read_;
};

// The source for kinds whose samples need no stack. The subject comes from Subject::Reported or
// Subject::Other.
class NoStack {
 public:
  static constexpr bool kNeedsBuffer = false;
  SampledWalk Walk(const WalkEnvironment&, ThreadSlot&, const Subject& subject,
                   const WalkBuffer&) const {
    return {{}, false, subject.reported_id()};
  }
};

}  // namespace jprof

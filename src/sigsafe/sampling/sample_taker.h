// TakeSample: one sample of the running thread, from its slot to a block. The part that all kinds
// have in common; the policy of the kind supplies the rest (sample_policy.h).
//
//   slot ─▶ admitted? ─▶ in a window? ─▶ walk ─▶ CPU clock ─┐
//           ┌─────────────────────────────────────────────────┘
//           └▶ guard { time, account, Put, Push } ─▶ answer
//
// Async-signal-safe, and for synchronous callers. Failures are counted with their weight; no sample
// is dropped silently. A sample that arrives after the stop of the sampler is ignored.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sample.h"
#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/time_in_handler.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/stack/walk_scope.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

namespace sample_taker {

// nullptr: no slot is free, or the thread has given up its slot and is accounted for.
ThreadSlot* SlotOf(uint32_t slot_index);
void LoseWithoutSlot(SampleKind kind, uint64_t weight);

// The terms on which a thread may be walked.
struct WalkTerms {
  bool may_read;         // whether the VM's memory may be read by guarded loads
  int64_t mounted;       // the mounted virtual thread; 0: none
  bool is_told = false;  // by the JVM: `mounted` is right where memory does not tell
};

// A sample with time, kind and thread.
inline Sample Begun(const ThreadSlot& thread, SampleKind kind) {
  Sample sample{};
  sample.time_ns = MonotonicNanos();
  sample.kind = kind;
  sample.thread = SampledThread::Platform(thread.serial.load(std::memory_order_relaxed),
                                          thread.tid.load(std::memory_order_relaxed));
  return sample;
}

// The buffer without its first `leading` frames.
inline WalkBuffer Behind(uint32_t leading, WalkBuffer buffer) {
  buffer.frames += leading;
  buffer.depth -= leading;
  return buffer;
}

// Publishes the name of the sample's virtual thread, before the sample itself. Guarded loads are
// allowed under the guard of the tables: they return in any case.
void PublishName(const ThreadSlot& thread, const WalkedStack& walked);
// The trace context of the sample's thread, for Sample::context. After Put of its stack.
uint32_t PutContextOf(const ThreadSlot& thread, CallTraceHashTable* table,
                      const WalkedStack& walked);
void Deliver(ThreadSlot& thread, const CallTraceStorage::Guard& table, const Sample& sample);

// Sets the sample's call trace to the thread's last stack of the kind, or to `[thread end]`.
void SetLastStack(const ThreadSlot& thread, CallTraceHashTable* table, Sample* sample);

}  // namespace sample_taker

// Under one guard from the timestamp to the push: once the guards of an epoch have cleared, no
// sample of it can still appear. No system call under the guard.
template <typename Policy>
void RecordSample(Policy& policy, ThreadSlot& thread, const WalkedStack& walked) {
  policy.BeforeGuard(thread);
  const CallTraceStorage::Guard table = Sampling().traces.Enter(thread.guards);
  static_assert(CanBeLost(Policy::kKind, LostReason::kGuardRefused));
  if (table.refused()) {
    const uint64_t weight = policy.WeightWithoutGuard(thread);
    if (weight != 0) thread.AddLost(Policy::kKind, LostReason::kGuardRefused, weight);
  }
  if (!table) return;
  Sample sample = sample_taker::Begun(thread, Policy::kKind);
  policy.Account(thread, &sample);
  if (sample.weight == 0) return;
  if (!walked.is_in_window) {
    AddOutsideWindows(Policy::kKind, sample.weight);
    policy.OnOutside(thread);
    return;
  }
  if constexpr (CanBeLost(Policy::kKind, LostReason::kNoWalkBuffer)) {
    if (walked.stack == nullptr) {
      thread.AddLost(Policy::kKind, LostReason::kNoWalkBuffer, sample.weight);
      return;
    }
  }
  if (walked.virtual_thread != 0) {
    sample.thread = SampledThread::Virtual(walked.virtual_thread);
    sample_taker::PublishName(thread, walked);
  }
  sample.trace = table->Put(*walked.stack);
  if (walked.stack->lacks_root) CountWithoutRoot(Policy::kKind);
  sample.context = sample_taker::PutContextOf(thread, table.get(), walked);
  policy.OnStored(thread, sample);
  sample_taker::Deliver(thread, table, sample);
}

// Sources: the thread of a sample's stack, and the start of the walk. Synchronous sources have
// walks that the program waits for: a RootBudget bounds them.

// The interrupted thread, in a handler: walked from its registers.
class InterruptedThread {
 public:
  static constexpr bool kIsSynchronous = false;

  explicit InterruptedThread(void* ucontext) : ucontext_(ucontext) {}

  sample_taker::WalkTerms TermsOf(const WalkEnvironment& environment,
                                  const ThreadSlot& thread) const;
  Stack Walk(const WalkEnvironment& environment, const ThreadSlot& thread,
             const sample_taker::WalkTerms& terms, const WalkBuffer& buffer) const;

 private:
  void* const ucontext_;
};

// The calling thread, in a callback, a hook or a probe called by Java code: walked from its frame
// anchor. A signal may interrupt the walk for a sample of another kind. REQUIRES: the thread does
// not block SIGSEGV and SIGBUS.
class CallingThread {
 public:
  static constexpr bool kIsSynchronous = true;

  // `told`: the mounted virtual thread, as the JVM has told it; 0: none; nullopt: the walk looks.
  explicit CallingThread(std::optional<int64_t> told = std::nullopt) : told_(told) {}

  sample_taker::WalkTerms TermsOf(const WalkEnvironment& environment,
                                  const ThreadSlot& thread) const;
  Stack Walk(const WalkEnvironment& environment, const ThreadSlot& thread,
             const sample_taker::WalkTerms& terms, const WalkBuffer& buffer) const;

 private:
  const std::optional<int64_t> told_;
};

// The calling thread, in a hook called by native code: walked from that call, native frames first.
class CallerOfHook {
 public:
  static constexpr bool kIsSynchronous = true;

  // `may_read`: whether the thread blocks neither SIGSEGV nor SIGBUS (os/fault_mask.h).
  CallerOfHook(const StackPosition& call, bool may_read) : call_(call), may_read_(may_read) {}

  sample_taker::WalkTerms TermsOf(const WalkEnvironment& environment,
                                  const ThreadSlot& thread) const;
  Stack Walk(const WalkEnvironment& environment, const ThreadSlot& thread,
             const sample_taker::WalkTerms& terms, const WalkBuffer& buffer) const;

 private:
  const StackPosition call_;
  const bool may_read_;
};

namespace sample_taker {

// A handler's walk goes to the root: the thread's HandlerThrottle, or the ticks of the wall clock,
// bound how many there are.
template <typename Policy, typename Source>
Stack Walk(const Policy& policy, const Source& source, const WalkEnvironment& environment,
           ThreadSlot& thread, const WalkTerms& terms, WalkBuffer buffer) {
  if constexpr (Source::kIsSynchronous) {
    RootBudget budget(thread, policy.LeafFrames(thread, terms.mounted));
    buffer.root_budget = &budget;
    const Stack stack = source.Walk(environment, thread, terms, buffer);
    budget.Pay();
    return stack;
  } else {
    return source.Walk(environment, thread, terms, buffer);
  }
}

}  // namespace sample_taker

// Walk first, guard second: a walk that has to be abandoned must not leave a guard behind.
template <typename Policy, typename Source>
void WalkAndRecord(Policy& policy, ThreadSlot& thread, const Source& source, TimeInHandler& time) {
  const WalkScope scope;
  if (!scope) {
    RecordSample(policy, thread, {});
    return;
  }
  const WalkEnvironment& environment = scope.environment();
  const WalkBuffer& buffer = scope.buffer();
  const sample_taker::WalkTerms terms = source.TermsOf(environment, thread);
  const uint32_t leading = terms.may_read ? policy.PushFrames(thread, buffer.frames,
                                                              buffer.depth - buffer.root_depth - 1)
                                          : 0;
  Stack stack = sample_taker::Walk(policy, source, environment, thread, terms,
                                   sample_taker::Behind(leading, buffer));
  const uint32_t own = policy.OwnFrames(stack);
  stack.frames += own;
  stack.count -= own;
  stack.frames -= leading;
  stack.count += leading;
  time.AddWalk();
  policy.OnWalked(thread, environment, terms.may_read ? environment.faults : LoadFaults::kFatal);
  // A stack that does not end at a mount belongs to the carrier.
  const WalkedStack walked{&environment, &stack, stack.reaches_entry ? 0 : terms.mounted,
                           terms.is_told};
  RecordSample(policy, thread, walked);
  policy.OnRecorded(thread, walked);
}

// `thread`: the slot of the running thread; nullptr: it has none.
template <typename Policy, typename Source>
void TakeSample(Policy policy, const Source& source, ThreadSlot* thread) {
  // A late signal is not walked and not charged to the next run. RecordSample checks again.
  if (!Sampling().traces.active()) return;
  if (thread == nullptr) {
    sample_taker::LoseWithoutSlot(Policy::kKind, policy.WeightWithoutSlot());
    return;
  }
  if (!policy.Admit(*thread)) return;
  TimeInHandler time(*thread);
  policy.Begin(*thread);
  if (policy.IsInWindow(*thread)) {
    WalkAndRecord(policy, *thread, source, time);
  } else {
    RecordSample(policy, *thread, {.is_in_window = false});
  }
  policy.End(*thread);
  policy.OnTimeSpent(time.End());
}

template <typename Policy, typename Source>
void TakeSample(Policy policy, const Source& source) {
  if (!Sampling().traces.active()) return;
  TakeSample(policy, source, sample_taker::SlotOf(policy.slot_index()));
}

// Accounts for the weight due since the thread's last sample of the kind, with the stack of that
// sample or, if it is no longer stored, `[thread end]`. On the ending thread itself, with the
// profiling signals blocked. REQUIRES: the sampler does not stop meanwhile.
template <typename Policy>
void RecordThreadEnd(Policy policy, ThreadSlot& thread) {
  policy.BeforeGuard(thread);
  const CallTraceStorage::Guard table = Sampling().traces.Enter(thread.guards);
  if (!table && !table.refused()) return;
  Sample sample = sample_taker::Begun(thread, Policy::kKind);
  const bool is_in_window = policy.IsInWindow(thread);
  policy.Account(thread, &sample);
  if (sample.weight == 0) return;
  if (!is_in_window) {
    AddOutsideWindows(Policy::kKind, sample.weight);
    return;
  }
  if (table.refused()) {  // no later sample will stand for the weight
    thread.AddLost(Policy::kKind, LostReason::kGuardRefused, sample.weight);
    return;
  }
  sample_taker::SetLastStack(thread, table.get(), &sample);
  sample_taker::Deliver(thread, table, sample);
}

// Sets the slot of the running thread, unless set. A slot of another thread is refused.
void AdoptSlot(uint32_t slot_index);

}  // namespace jprof

// TakeSample takes one sample: from finding the slot of the taker to pushing the sample into a
// block. The taker is the running thread. The sample belongs to its subject, which is mostly the
// taker (sample_source.h). RecordThreadEnd takes the last sample of an ending thread, without a
// walk.
//
// Both functions do what all kinds have in common. The policy of a kind supplies the rest
// (sample_policy.h).
//
//   slot ─▶ in a window? ─▶ walk, by the source ─▶ BeforeGuard ─┐
//           ┌────────────────────────────────────────────────────┘
//           └▶ guard { time, Account, Put, Push } ─▶ OnRecorded
//
// Async-signal-safe; called in handlers and by synchronous callers. If a sample is lost, its weight
// is counted as lost. A sample after the stop of the sampler is ignored.
#pragma once

#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/left_out.h"
#include "sigsafe/sampling/sample.h"
#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/sampling/sample_source.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/stack/walk_environment.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// Adds the duration of a handler to the thread's counters. This is elapsed time, which includes
// time without a processor: reading the CPU clock would cost more than the rest of the handler.
//
// One object for each handler, on the sampled thread. Async-signal-safe.
class TimeInHandler {
 public:
  explicit TimeInHandler(ThreadSlot& thread) : thread_(thread), start_ns_(MonotonicNanos()) {
    thread_.in_handler.store(true, std::memory_order_relaxed);
  }
  TimeInHandler(const TimeInHandler&) = delete;
  TimeInHandler& operator=(const TimeInHandler&) = delete;

  // Adds the time since the construction to the thread's walk_ns.
  void AddWalk() {
    thread_.walk_ns.fetch_add(static_cast<uint64_t>(Elapsed()), std::memory_order_relaxed);
  }

  // Ends the handler, and returns the time since the construction. Called once.
  Nanos End() {
    const Nanos elapsed_ns = Elapsed();
    thread_.in_handler.store(false, std::memory_order_relaxed);
    thread_.handler_ns.fetch_add(static_cast<uint64_t>(elapsed_ns), std::memory_order_relaxed);
    return elapsed_ns;
  }

 private:
  Nanos Elapsed() const { return MonotonicNanos() - start_ns_; }

  ThreadSlot& thread_;
  const Nanos start_ns_;
};

// A value in place of a slot index. It means the slot of the running thread, if that thread has
// one.
inline constexpr uint32_t kCurrentThread = 0xffffffff;

namespace sample_taker {

// Returns the slot of the running thread; nullptr if the thread has no slot and cannot get one.
// `slot_index` is the index in the signal, or kCurrentThread.
ThreadSlot* SlotOf(uint32_t slot_index);
// Counts the weight as lost, or as outside of the windows while no window is open. Called on a
// thread without a slot. Does nothing if the thread has given up its slot at its end, because its
// weight was accounted for then.
void LoseWithoutSlot(SampleKind kind, uint64_t weight);

// Returns a sample with its time, kind and thread set.
inline Sample NewSample(const ThreadSlot& thread, SampleKind kind) {
  Sample sample{};
  sample.time_ns = MonotonicNanos();
  sample.kind = kind;
  sample.thread = SampledThread::Platform(thread.serial.load(std::memory_order_relaxed),
                                          thread.tid.load(std::memory_order_relaxed));
  return sample;
}

// Publishes the name of the virtual thread `id`, if it is not published yet and can be read. Called
// under the guard.
void PublishName(const ThreadSlot& taker, const WalkedStack& walked, int64_t id);

// Stores the stack and the trace context, publishes the name of a virtual thread, and pushes the
// sample. REQUIRES: walked.stack != nullptr.
void Deliver(ThreadSlot& taker, const CallTraceStorage::Guard& table, const WalkedStack& walked,
             Sample* sample);

// Pushes the sample with the thread's last stack of the kind, or with `[thread end]`.
void DeliverLastStack(ThreadSlot& thread, const CallTraceStorage::Guard& table, Sample* sample);

}  // namespace sample_taker

// Records a sample. One guard is held from the timestamp to the push, so that no sample of an epoch
// can appear after all guards of that epoch have been left. Makes no system call under the guard.
template <typename Policy>
void RecordSample(Policy& policy, ThreadSlot& thread, const WalkedStack& walked) {
  policy.BeforeGuard(thread, walked);
  const CallTraceStorage::Guard table = Sampling().traces.Enter(thread.guards);
  static_assert(CanBeLost(Policy::kKind, LostReason::kGuardRefused));
  if (table.refused()) {
    const uint64_t weight = policy.WeightWithoutGuard(thread);
    if (weight != 0) thread.AddLost(Policy::kKind, LostReason::kGuardRefused, weight);
  }
  if (!table) return;
  Sample sample = sample_taker::NewSample(thread, Policy::kKind);
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
  sample_taker::Deliver(thread, table, walked, &sample);
  policy.OnStored(thread, sample);
}

// Walks first and then takes the guard: if the walk is left by longjmp, no guard stays entered.
// Inlined, so that a handler has one call less.
template <typename Policy, typename Source>
[[gnu::always_inline]] inline void WalkAndRecord(Policy& policy, ThreadSlot& taker,
                                                 const Subject& subject, const Source& source,
                                                 TimeInHandler& time) {
  const WalkScope scope;
  SampledWalk walk =
      scope ? source.Walk(scope.environment(), taker, subject, scope.buffer()) : SampledWalk();
  WalkedStack walked;
  walked.subject = subject;
  if (subject.is_reported()) walked.virtual_thread = subject.reported_id();
  if (!Source::kNeedsBuffer) walked.stack = &walk.stack;
  if (scope) {
    walk.stack.MoveBegin(static_cast<int32_t>(policy.OwnFrames(walk.stack)));
    time.AddWalk();
    walked.environment = &scope.environment();
    walked.stack = &walk.stack;
    // A stack that goes on past the mount of a virtual thread belongs to the carrier.
    walked.virtual_thread = walk.stack.reaches_entry ? 0 : walk.mounted;
    if (walk.may_read) walked.faults = scope.environment().faults;
  }
  if constexpr (kLeftOutOfSamples >= LeftOut::kWriting) return;
  RecordSample(policy, taker, walked);
  if (scope) policy.OnRecorded(taker, walked);
}

// Takes a sample of `subject` on the running thread. `taker` is the slot of the running thread, or
// a slot that the thread has claimed to take samples of other threads. If `taker` is nullptr, the
// weight is lost. Returns the time that the sample took; 0 if none was taken.
template <typename Policy, typename Source>
Nanos TakeSample(ThreadSlot* taker, const Subject& subject, const Source& source, Policy policy) {
  // Ignores a signal that arrives after the stop of the sampler, so that it is not counted for the
  // next run. RecordSample checks again.
  if (!Sampling().traces.active()) return 0;
  if (taker == nullptr) {
    sample_taker::LoseWithoutSlot(Policy::kKind, policy.WeightWithoutSlot());
    return 0;
  }
  TimeInHandler time(*taker);
  if constexpr (kLeftOutOfSamples >= LeftOut::kWalking) return time.End();
  if (policy.is_in_window()) {
    WalkAndRecord(policy, *taker, subject, source, time);
  } else {
    RecordSample(policy, *taker, {.is_in_window = false});
  }
  return time.End();
}

// Does the same as the TakeSample above, with the slot that the running thread has.
template <typename Policy, typename Source>
void TakeSample(const Subject& subject, const Source& source, Policy policy) {
  if (!Sampling().traces.active()) return;
  TakeSample(sample_taker::SlotOf(kCurrentThread), subject, source, policy);
}

// Records the weight since the thread's last sample of the kind, with the stack of that sample or,
// if that stack is no longer stored, with the frame `[thread end]`. Runs on the ending thread
// itself, with the profiling signals blocked. REQUIRES: the sampler does not stop during the call.
template <typename Policy>
void RecordThreadEnd(Policy policy, ThreadSlot& thread) {
  policy.BeforeGuard(thread, {});
  const CallTraceStorage::Guard table = Sampling().traces.Enter(thread.guards);
  if (!table && !table.refused()) return;
  Sample sample = sample_taker::NewSample(thread, Policy::kKind);
  policy.Account(thread, &sample);
  if (sample.weight == 0) return;
  if (!policy.is_in_window()) {
    AddOutsideWindows(Policy::kKind, sample.weight);
    return;
  }
  if (table.refused()) {  // there is no later sample to account for the weight
    thread.AddLost(Policy::kKind, LostReason::kGuardRefused, sample.weight);
    return;
  }
  sample_taker::DeliverLastStack(thread, table, &sample);
}

// Makes the slot at `slot_index` the slot of the running thread. Does nothing if the thread has a
// slot already, or if the slot at `slot_index` has the tid of another thread.
void AdoptSlot(uint32_t slot_index);

}  // namespace jprof

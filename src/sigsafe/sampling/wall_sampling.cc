#include "sigsafe/sampling/wall_sampling.h"

#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/activity.h"
#include "sigsafe/sampling/cpu_sampling.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {

// Returns one interval, because for a thread without a slot it is unknown how many intervals have
// passed.
uint64_t WallSampling::WeightWithoutSlot() const {
  return static_cast<uint64_t>(Sampling().IntervalOf(kKind));
}

void WallSampling::BeforeGuard(const ThreadSlot& thread, const WalkedStack& walked) {
  if (walked.environment == nullptr) return;
  activity_ = Refined(signalled_activity_, thread, walked.environment->vm, walked.faults);
}

void WallSampling::Account(ThreadSlot& thread, Sample* sample) {
  const WallInterval interval = AccountWallTime(thread, Sampling(), sample->time_ns);
  sample->weight = interval.weight;
  if (interval.weight == 0) return;
  sample->SetPayload(WallPayload{interval.elapsed_ns, activity_});
}

void WallSampling::OnStored(ThreadSlot& thread, const Sample& sample) const {
  if (sample.trace == kDroppedCallTrace) return;
  LastStack& last = thread.LastStackOf(kKind);
  const ThreadActivity activity = sample.Payload<WallPayload>().activity;
  thread.wall_activity.store(activity, std::memory_order_relaxed);
  thread.wall_sp.store(stack_pointer_, std::memory_order_relaxed);
  last.virtual_thread.store(sample.thread.virtual_id(), std::memory_order_relaxed);
  last.context.store(sample.context, std::memory_order_relaxed);
  last.time_ns.store(sample.time_ns, std::memory_order_relaxed);
  last.trace.store(sample.trace, std::memory_order_relaxed);
}

void WallSampling::OnRecorded(ThreadSlot& thread, const WalkedStack& walked) {
  thread.wall_lacks_tables.store(walked.stack->lacks_tables, std::memory_order_relaxed);
  if (signalled_activity_ == ThreadActivity::kRunning) PiggybackCpuSample(thread, walked);
}

void TakeWallSample(uint32_t slot_index, ThreadActivity activity, uint64_t stack_pointer,
                    void* ucontext) {
  if (!Sampling().traces.active()) return;
  ThreadSlot* const thread = sample_taker::SlotOf(slot_index);
  bool is_in_window = true;
  if (thread != nullptr) {
    thread->LastStackOf(SampleKind::kWall).trace.store(kNoCallTrace, std::memory_order_relaxed);
    is_in_window = HasWallTicksInWindows(*thread, Sampling());
  }
  TakeSample(thread, Subject::Taker(), InterruptedThread(ucontext),
             WallSampling(is_in_window, activity, stack_pointer));
  if (thread == nullptr) return;
  // The CPU clock is read last, because this takes a system call, and code runs slowly after a
  // system call. release: hands the members of the slot for wall samples over to the engine.
  thread->wall_answer_ns.store(ThreadCpuNanos(), std::memory_order_release);
}

std::optional<uint32_t> UnansweredSlot() {
  ThreadSlots* slots = GetThreadSlots();
  const ThreadSlot* thread = slots == nullptr ? nullptr : slots->FindForCurrentThread();
  const bool owes =
      thread != nullptr && thread->wall_answer_ns.load(std::memory_order_relaxed) == 0;
  return owes ? std::optional(thread->index) : std::nullopt;
}

void RecordWallThreadEnd(ThreadSlot& thread) {
  const bool is_in_window = HasWallTicksInWindows(thread, Sampling());
  RecordThreadEnd(WallSampling(is_in_window, ThreadActivity::kDefault, 0), thread);
}

}  // namespace jprof

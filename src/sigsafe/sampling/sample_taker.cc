#include "sigsafe/sampling/sample_taker.h"

#include <algorithm>

#include "sigsafe/hotspot/virtual_thread.h"
#include "sigsafe/sampling/context_reader.h"
#include "sigsafe/threads/current_thread.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace sample_taker {
namespace {

// Publishes the name of the sample's virtual thread, before the sample itself is pushed. Guarded
// loads are allowed under the guard of the tables, because they return even after a fault.
void PublishName(const ThreadSlot& thread, const WalkedStack& walked) {
  VirtualThreadNames* names = Sampling().names;
  if (names == nullptr || walked.environment == nullptr || names->Has(walked.virtual_thread)) {
    return;
  }
  ThreadNameBytes name;
  if (CopyMountedThreadName(*walked.environment->vm, walked.environment->faults,
                            thread.jni_env.load(std::memory_order_acquire), walked.virtual_thread,
                            &name)) {
    names->Publish(walked.virtual_thread, name);
  }
}

// Stores the trace context of the sample's thread, and returns the value of Sample::context. Called
// after Put of the sample's stack.
uint32_t PutContextOf(const ThreadSlot& thread, CallTraceHashTable* table,
                      const WalkedStack& walked) {
  if (!ContextsAreRead()) return 0;
  ContextOwner owner{walked.virtual_thread, false};
  if (owner.virtual_thread == 0 && !walked.is_told && walked.environment->vm != nullptr) {
    owner.is_unknown = !CanReadMountedThread(*walked.environment->vm, walked.environment->faults,
                                             thread.jni_env.load(std::memory_order_acquire));
  }
  return PutContext(*table, owner);
}

// Samples of every kind can be lost for these two reasons.
static_assert(std::ranges::all_of(kSampleKinds, [](const SampleKindRow& row) {
  return Has(row.losses, LostReason::kStorageFull) && Has(row.losses, LostReason::kSamplesFull);
}));

void Push(ThreadSlot& thread, const CallTraceStorage::Guard& table, const Sample& sample) {
  if (sample.trace == kDroppedCallTrace) {
    thread.AddLost(sample.kind, LostReason::kStorageFull, sample.weight);
  } else if (!Sampling().samples->Push(thread, table.level(), sample)) {
    thread.AddLost(sample.kind, LostReason::kSamplesFull, sample.weight);
  }
}

}  // namespace

ThreadSlot* SlotOf(uint32_t slot_index) {
  ThreadSlots* slots = GetThreadSlots();
  if (slots == nullptr) return nullptr;
  if (slot_index == kCurrentThread) return slots->FindForCurrentThread();
  return Sampling().unknown_threads.load(std::memory_order_relaxed) == UnknownThreads::kClaimSlot
             ? slots->ForCurrentThread(slot_index)
             : slots->Adopt(slot_index);
}

void LoseWithoutSlot(SampleKind kind, uint64_t weight) {
  if (CurrentThreadHasEnded()) return;  // accounted for at the thread's end
  auto& counter = Sampling().window.IsOpen() ? LostWithoutThread(kind) : OutsideWindows(kind);
  counter.fetch_add(weight, std::memory_order_relaxed);
}

void Deliver(ThreadSlot& thread, const CallTraceStorage::Guard& table, const WalkedStack& walked,
             Sample* sample) {
  if (walked.virtual_thread != 0) {
    sample->thread = SampledThread::Virtual(walked.virtual_thread);
    PublishName(thread, walked);
  }
  sample->trace = table->Put(*walked.stack);
  if (walked.stack->lacks_root) CountWithoutRoot(sample->kind);
  sample->context = PutContextOf(thread, table.get(), walked);
  Push(thread, table, *sample);
}

void DeliverLastStack(ThreadSlot& thread, const CallTraceStorage::Guard& table, Sample* sample) {
  const LastStack& last = thread.LastStackOf(sample->kind);
  sample->trace = last.trace.load(std::memory_order_relaxed);
  if (Value(sample->trace) >> 32 == table->epoch()) {
    sample->SetLastStackTime(last.time_ns.load(std::memory_order_relaxed));
    sample->context = last.context.load(std::memory_order_relaxed);
    const int64_t virtual_thread = last.virtual_thread.load(std::memory_order_relaxed);
    if (virtual_thread != 0) sample->thread = SampledThread::Virtual(virtual_thread);
  } else {
    const Frame frame = OutcomeFrame(WalkOutcome::kThreadEnd);
    sample->trace = table->Put({&frame, 1, false});
  }
  Push(thread, table, *sample);
}

}  // namespace sample_taker

void AdoptSlot(uint32_t slot_index) {
  ThreadSlots* slots = GetThreadSlots();
  if (slots != nullptr) slots->Adopt(slot_index);
}

}  // namespace jprof

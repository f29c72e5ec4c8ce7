#include "sigsafe/sampling/sample_taker.h"

#include <algorithm>

#include "sigsafe/hotspot/virtual_thread.h"
#include "sigsafe/sampling/context_reader.h"
#include "sigsafe/threads/current_thread.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace sample_taker {
namespace {

// Stores the trace context of the sample's subject, and returns the value of Sample::context.
// Returns 0 if the subject is another thread than the taker, because the context of that thread is
// unknown. Called after Put of the sample's stack.
uint32_t PutContextOf(const ThreadSlot& taker, CallTraceHashTable* table,
                      const WalkedStack& walked) {
  if (!ContextsAreRead() || walked.subject.is_other()) return 0;
  ContextOwner owner{walked.virtual_thread, false};
  if (owner.virtual_thread == 0 && !walked.subject.is_reported() &&
      walked.environment->vm != nullptr) {
    owner.is_unknown = !CanReadMountedThread(*walked.environment->vm, walked.environment->faults,
                                             taker.jni_env.load(std::memory_order_acquire));
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

// Guarded loads are allowed under the guard of the tables, because a guarded load returns even
// after a fault.
void PublishName(const ThreadSlot& taker, const WalkedStack& walked, int64_t id) {
  VirtualThreadNames* names = Sampling().names;
  if (names == nullptr || names->Has(id)) return;
  if (walked.subject.name() != nullptr) {
    if (walked.subject.name()->size != 0) names->Publish(id, *walked.subject.name());
    return;
  }
  ThreadNameBytes name;
  if (!walked.subject.is_other() && walked.environment != nullptr &&
      walked.environment->vm != nullptr &&
      CopyMountedThreadName(*walked.environment->vm, walked.environment->faults,
                            taker.jni_env.load(std::memory_order_acquire), id, &name)) {
    names->Publish(id, name);
  }
}

void Deliver(ThreadSlot& taker, const CallTraceStorage::Guard& table, const WalkedStack& walked,
             Sample* sample) {
  if (walked.subject.is_other()) {
    sample->thread = walked.subject.other();
  } else if (walked.virtual_thread != 0) {
    sample->thread = SampledThread::Virtual(walked.virtual_thread);
  }
  if (sample->thread.is_virtual()) PublishName(taker, walked, sample->thread.virtual_id());
  sample->trace = table->Put(*walked.stack);
  if (walked.stack->lacks_root) CountWithoutRoot(sample->kind);
  sample->context = PutContextOf(taker, table.get(), walked);
  Push(taker, table, *sample);
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

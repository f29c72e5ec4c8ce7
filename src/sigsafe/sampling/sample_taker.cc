#include "sigsafe/sampling/sample_taker.h"

#include <algorithm>

#include "sigsafe/context/context_reader.h"
#include "sigsafe/hotspot/virtual_thread.h"
#include "sigsafe/os/fault_mask.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/threads/current_thread.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace sample_taker {
namespace {

StackBounds StackOf(const ThreadSlot& thread) {
  const StackBounds bounds{thread.stack_low.load(std::memory_order_relaxed),
                           thread.stack_high.load(std::memory_order_relaxed)};
  return bounds.low != 0 && bounds.high != 0 ? bounds : StackBounds();
}

// The virtual thread that the thread runs; 0: none.
int64_t VirtualThreadOn(const WalkEnvironment& environment, const ThreadSlot& thread) {
  if (environment.vm == nullptr) return 0;
  const int64_t id = MountedThreadId(*environment.vm, environment.faults,
                                     thread.jni_env.load(std::memory_order_acquire),
                                     thread.java_id.load(std::memory_order_relaxed));
  return id > 0 ? id : 0;
}

WalkedThread Walked(const ThreadSlot& thread, const WalkTerms& terms) {
  return {thread.jni_env.load(std::memory_order_acquire), StackOf(thread),
          terms.mounted == 0 ? WalkUntil::kThreadEntry : WalkUntil::kMount};
}

}  // namespace

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

uint32_t PutContextOf(const ThreadSlot& thread, CallTraceHashTable* table,
                      const WalkedStack& walked) {
  if (!ContextsAreRead()) return 0;
  ContextOwner owner{walked.virtual_thread, false};
  if (owner.virtual_thread == 0 && !walked.is_told && walked.environment->vm != nullptr) {
    owner.is_unknown = !TellsMountedThread(*walked.environment->vm, walked.environment->faults,
                                           thread.jni_env.load(std::memory_order_acquire));
  }
  return PutContext(*table, owner);
}

ThreadSlot* SlotOf(uint32_t slot_index) {
  ThreadSlots* slots = GetThreadSlots();
  if (slots == nullptr) return nullptr;
  if (slot_index == kCurrentThread) return slots->FindForCurrentThread();
  return Sampling().unknown_threads.load(std::memory_order_relaxed) == UnknownThreads::kClaimSlot
             ? slots->ForCurrentThread(slot_index)
             : slots->Adopt(slot_index);
}

void LoseWithoutSlot(SampleKind kind, uint64_t weight) {
  if (CurrentThreadHasEnded()) return;  // accounted for at its end
  auto& counter = Sampling().window.IsOpen() ? LostWithoutThread(kind) : OutsideWindows(kind);
  counter.fetch_add(weight, std::memory_order_relaxed);
}

// The losses of every kind.
static_assert(std::ranges::all_of(kSampleKinds, [](const SampleKindRow& row) {
  return Has(row.losses, LostReason::kStorageFull) && Has(row.losses, LostReason::kSamplesFull);
}));

void Deliver(ThreadSlot& thread, const CallTraceStorage::Guard& table, const Sample& sample) {
  if (sample.trace == kDroppedCallTrace) {
    thread.AddLost(sample.kind, LostReason::kStorageFull, sample.weight);
  } else if (!Sampling().samples->Push(thread, table.level(), sample)) {
    thread.AddLost(sample.kind, LostReason::kSamplesFull, sample.weight);
  }
}

void SetLastStack(const ThreadSlot& thread, CallTraceHashTable* table, Sample* sample) {
  const LastStack& last = thread.LastStackOf(sample->kind);
  sample->trace = last.trace.load(std::memory_order_relaxed);
  if (Value(sample->trace) >> 32 != table->epoch()) {
    const Frame frame = OutcomeFrame(WalkOutcome::kThreadEnd);
    sample->trace = table->Put({&frame, 1, false});
    return;
  }
  sample->SetLastStackTime(last.time_ns.load(std::memory_order_relaxed));
  sample->context = last.context.load(std::memory_order_relaxed);
  const int64_t virtual_thread = last.virtual_thread.load(std::memory_order_relaxed);
  if (virtual_thread != 0) sample->thread = SampledThread::Virtual(virtual_thread);
}

}  // namespace sample_taker

using sample_taker::WalkTerms;

WalkTerms InterruptedThread::TermsOf(const WalkEnvironment& environment,
                                     const ThreadSlot& thread) const {
  const bool may_read = OpenFaultSignals(static_cast<const ucontext_t*>(ucontext_));
  return {may_read, may_read ? sample_taker::VirtualThreadOn(environment, thread) : 0};
}

Stack InterruptedThread::Walk(const WalkEnvironment& environment, const ThreadSlot& thread,
                              const WalkTerms& terms, const WalkBuffer& buffer) const {
  if (!terms.may_read) return UnwalkedStack(WalkOutcome::kFaultsBlocked, ucontext_, buffer);
  return WalkStack(environment, sample_taker::Walked(thread, terms), ucontext_, buffer);
}

WalkTerms CallingThread::TermsOf(const WalkEnvironment& environment,
                                 const ThreadSlot& thread) const {
  if (told_) return {true, *told_, true};
  return {true, sample_taker::VirtualThreadOn(environment, thread)};
}

Stack CallingThread::Walk(const WalkEnvironment& environment, const ThreadSlot& thread,
                          const WalkTerms& terms, const WalkBuffer& buffer) const {
  return WalkFromAnchor(environment, sample_taker::Walked(thread, terms), buffer);
}

WalkTerms CallerOfHook::TermsOf(const WalkEnvironment& environment,
                                const ThreadSlot& thread) const {
  return {may_read_, may_read_ ? sample_taker::VirtualThreadOn(environment, thread) : 0};
}

Stack CallerOfHook::Walk(const WalkEnvironment& environment, const ThreadSlot& thread,
                         const WalkTerms& terms, const WalkBuffer& buffer) const {
  if (terms.may_read) {
    return WalkFromCall(environment, sample_taker::Walked(thread, terms), call_, buffer);
  }
  buffer.frames[0] = NativeFrame(Pc{call_.pc - 1});
  buffer.frames[1] = OutcomeFrame(WalkOutcome::kFaultsBlocked);
  return {buffer.frames, 2, false};
}

void AdoptSlot(uint32_t slot_index) {
  ThreadSlots* slots = GetThreadSlots();
  if (slots != nullptr) slots->Adopt(slot_index);
}

}  // namespace jprof

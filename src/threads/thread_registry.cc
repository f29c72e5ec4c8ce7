#include "threads/thread_registry.h"

#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/signal_mask.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"

namespace jprof {
namespace {

void SetStack(ThreadSlot& slot, StackBounds stack) {
  slot.stack_low.store(stack.low, std::memory_order_relaxed);
  slot.stack_high.store(stack.high, std::memory_order_relaxed);
}

// Returns the stack bounds of the calling thread. Takes them from the thread's slot if the slot has
// them. When the JVM announces a thread, the hook has usually stored them in the slot already.
StackBounds OwnStackUnlessKnown() {
  const ThreadSlot* slot = CurrentThread();
  if (slot == nullptr || slot->tid.load(std::memory_order_acquire) != CurrentTid()) {
    return OwnStackBounds();
  }
  const StackBounds known{slot->stack_low.load(std::memory_order_relaxed),
                          slot->stack_high.load(std::memory_order_relaxed)};
  return known.low != 0 && known.high != 0 ? known : OwnStackBounds();
}

}  // namespace

void ThreadRegistry::Begin(ThreadFilter filter) { threads_.Lock()->Begin(std::move(filter)); }

void ThreadRegistry::Ignore(Tid tid) { threads_.Lock()->Ignore(tid); }

std::vector<Tid> ThreadRegistry::Ignored() {
  std::vector<Tid> tids;
  for (const auto roster = threads_.Lock(); const int32_t tid : roster->ignored()) {
    tids.push_back(Tid{tid});
  }
  return tids;
}

void ThreadRegistry::OnJavaThreadStart(void* jni_env, JavaThreadInfo info) {
  const StackBounds stack = OwnStackUnlessKnown();
  // The start time is needed only if the hook has not registered the thread already.
  const uint64_t start_ticks = CurrentThread() == nullptr ? files_.StartTicks(CurrentTid()) : 0;
  const AsyncSignalsBlocked blocked;
  const auto roster = threads_.Lock();
  roster->stale_java_threads().Entered(CurrentTid());
  Observed observed;
  ThreadEntry* entry = roster->EnterCurrent(PrimingPath::kJvmti, start_ticks, &observed);
  if (entry != nullptr) {
    roster->SetJava(*entry, std::move(info), observed);
    SetStack(*entry->slot, stack);
    entry->slot->jni_env.store(jni_env, std::memory_order_release);
    roster->java_threads().Set(CurrentTid());
  }
  roster->AnnounceJavaStart(entry, jni_env);
}

// Returns the end of the calling thread.
EndOfThread ThreadRegistry::EndOfCaller() {
  EndOfThread end{EndedBy::kItself};
  if (need_run_queue_.load(std::memory_order_relaxed) == 0) return end;
  if (const std::optional<RunQueueCounts> queue = files_.RunQueue(CurrentTid())) {
    end.queued_ns = queue->waited_ns;
  }
  return end;
}

void ThreadRegistry::OnJavaThreadEnd(const void* jni_env, const std::optional<std::string>& name) {
  const AsyncSignalsBlocked blocked;
  if (EndJava(jni_env, name) == NativeEnds::kAnnounced) return;
  const EndOfThread end = EndOfCaller();
  threads_.Lock()->EndDetached(CurrentTid(), end);
}

// Announces that the calling thread detaches from the JVM. Returns kSilent if the thread has a slot
// and will not announce its end.
NativeEnds ThreadRegistry::EndJava(const void* jni_env, const std::optional<std::string>& name) {
  const Tid tid = CurrentTid();
  const auto roster = threads_.Lock();
  roster->java_threads().Clear(tid);
  roster->stale_java_threads().Left(tid);
  ThreadEntry* entry = roster->Find(tid);
  if (entry != nullptr && name) roster->SetJavaName(*entry, *name, MonotonicNanos());
  roster->AnnounceJavaEnd(entry, jni_env);
  if (entry == nullptr) return NativeEnds::kAnnounced;
  entry->slot->jni_env.store(nullptr, std::memory_order_release);
  return roster->AnnouncesItsEnd(*entry) ? NativeEnds::kAnnounced : NativeEnds::kSilent;
}

void ThreadRegistry::OnNativeThreadStart(Nanos created_ns) {
  const StackBounds stack = OwnStackUnlessKnown();
  const AsyncSignalsBlocked blocked;
  const auto roster = threads_.Lock();
  // A slot that was claimed before this thread was created belongs to an earlier thread with the
  // same tid, whose end was not announced.
  const ThreadEntry* present = roster->Find(CurrentTid());
  if (present != nullptr &&
      present->slot->claimed_ns.load(std::memory_order_relaxed) < created_ns) {
    roster->End(CurrentTid(), {EndedBy::kAbsence});
  }
  Observed observed;
  ThreadEntry* entry = roster->EnterCurrent(PrimingPath::kHook, 0, &observed);
  if (entry == nullptr) return;
  entry->hooked = true;
  SetStack(*entry->slot, stack);
  if (entry->slot->path.load(std::memory_order_relaxed) == PrimingPath::kHook) {
    roster->AddLatency(PrimingPath::kHook, MonotonicNanos() - created_ns);
  }
}

void ThreadRegistry::OnNativeThreadEnd() {
  const AsyncSignalsBlocked blocked;
  const EndOfThread end = EndOfCaller();
  threads_.Lock()->End(CurrentTid(), end);
}

void ThreadRegistry::ExpectNativeEnds(NativeEnds ends) { threads_.Lock()->ExpectNativeEnds(ends); }

void ThreadRegistry::SetJavaThread(Tid tid, void* jni_env, JavaThreadInfo info, StackBounds stack) {
  const bool is_live = threads_.Lock()->Find(tid) != nullptr;
  const uint64_t start_ticks = is_live ? 0 : files_.StartTicks(tid);
  const auto roster = threads_.Lock();
  if (roster->IsIgnored(tid) || !TaskExists(tid)) return;
  if (roster->stale_java_threads().Contains(tid)) return;
  ThreadEntry* entry = roster->Find(tid);
  if (entry == nullptr) entry = roster->EnterUnannounced(tid, PrimingPath::kJvmti, start_ticks);
  if (entry == nullptr) return;
  // If the slot has a JNIEnv, the thread has announced itself since the JVM's list was made. It
  // might even be another thread, with the tid of the listed thread.
  if (entry->slot->jni_env.load(std::memory_order_acquire) != nullptr) return;
  roster->SetJava(*entry, std::move(info), Observed::kFromNow);
  SetStack(*entry->slot, stack);
  entry->slot->jni_env.store(jni_env, std::memory_order_release);
  roster->java_threads().Set(tid);
}

void ThreadRegistry::EndJavaThreadList() { threads_.Lock()->stale_java_threads().EndListing(); }

void ThreadRegistry::AddListener(ThreadListener* listener) {
  if (listener->NeedsRunQueue()) need_run_queue_.fetch_add(1, std::memory_order_relaxed);
  threads_.Lock()->AddListener(listener);
}

void ThreadRegistry::RemoveListener(ThreadListener* listener) {
  threads_.Lock()->RemoveListener(listener);
  if (listener->NeedsRunQueue()) need_run_queue_.fetch_sub(1, std::memory_order_relaxed);
}

std::vector<ThreadLoss> ThreadRegistry::TakeLosses() { return threads_.Lock()->TakeLosses(); }

PrimingCounts ThreadRegistry::Counts() { return threads_.Lock()->Counts(); }

}  // namespace jprof

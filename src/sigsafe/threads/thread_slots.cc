#include "sigsafe/threads/thread_slots.h"

#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"

namespace jprof {

// Returns the slot in the thread-local if it has the calling thread's tid, else nullptr. Loads the
// tid with acquire, which pairs with the release in Claim.
ThreadSlot* ThreadSlots::OwnSlot() {
  ThreadSlot* known = CurrentThread();
  const bool own = known != nullptr && known->tid.load(std::memory_order_acquire) == CurrentTid();
  return own ? known : nullptr;
}

ThreadSlot* ThreadSlots::Adopt(uint32_t hint) {
  if (ThreadSlot* own = OwnSlot()) return own;
  if (hint >= HighWater() || At(hint)->tid.load(std::memory_order_acquire) != CurrentTid()) {
    return nullptr;
  }
  ThreadSlot* thread = At(hint);
  SetCurrentThread(thread);
  thread->adopted.store(true, std::memory_order_relaxed);
  return thread;
}

ThreadSlot* ThreadSlots::FindForCurrentThread() {
  if (ThreadSlot* own = OwnSlot()) return own;
  if (CurrentThreadHasEnded()) return nullptr;
  const Tid tid = CurrentTid();
  const uint32_t end = HighWater();
  for (uint32_t index = 0; index < end; ++index) {
    if (At(index)->tid.load(std::memory_order_acquire) == tid) return Adopt(index);
  }
  return nullptr;
}

ThreadSlot* ThreadSlots::ForCurrentThread(uint32_t hint) {
  ThreadSlot* thread = Adopt(hint);
  if (thread != nullptr || CurrentThreadHasEnded()) return thread;
  thread = Claim(CurrentTid());
  if (thread != nullptr) {
    SetCurrentThread(thread);
    thread->adopted.store(true, std::memory_order_relaxed);
  }
  return thread;
}

ThreadSlot* ThreadSlots::Claim(Tid tid, PrimingPath path) {
  const size_t slot = taken_.Claim();
  if (slot == SlotPool<kCapacity>::kNone) return nullptr;
  const auto index = static_cast<uint32_t>(slot);
  // The load is seq_cst too, because another thread might have raised high_water_ already. In both
  // cases, scans for guarded pointers include this slot before its thread enters a guard.
  uint32_t seen = high_water_.load(std::memory_order_seq_cst);
  while (seen <= index &&
         !high_water_.compare_exchange_weak(seen, index + 1, std::memory_order_seq_cst)) {
  }
  ThreadSlot* thread = At(index);
  thread->index = index;
  thread->adopted.store(false, std::memory_order_relaxed);
  Renew(thread, path);
  thread->tid.store(tid, std::memory_order_release);
  return thread;
}

void ThreadSlots::Renew(ThreadSlot* thread, PrimingPath path) {
  thread->path.store(path, std::memory_order_relaxed);
  thread->jni_env.store(nullptr, std::memory_order_relaxed);
  thread->java_id.store(0, std::memory_order_relaxed);
  thread->stack_low.store(0, std::memory_order_relaxed);
  thread->stack_high.store(0, std::memory_order_relaxed);
  thread->claimed_ns.store(MonotonicNanos(), std::memory_order_relaxed);
  thread->run.store(0, std::memory_order_relaxed);
  for (LastStack& last : thread->last_stacks) {
    last.trace.store(kNoCallTrace, std::memory_order_relaxed);
    last.virtual_thread.store(0, std::memory_order_relaxed);
    last.context.store(0, std::memory_order_relaxed);
    last.time_ns.store(0, std::memory_order_relaxed);
  }
  thread->cpu_due_ns.store(0, std::memory_order_relaxed);
  thread->cpu_piggybacked.store(false, std::memory_order_relaxed);
  thread->cpu_throttled_until_ns.store(0, std::memory_order_relaxed);
  thread->walk_account_ns.store(0, std::memory_order_relaxed);
  thread->rootless_call_end_ns.store(0, std::memory_order_relaxed);
  thread->wall_answer_ns.store(kNotSignalled, std::memory_order_relaxed);
  thread->in_handler.store(false, std::memory_order_relaxed);
  thread->serial.store(next_serial_.fetch_add(1, std::memory_order_relaxed),
                       std::memory_order_relaxed);
}

void ThreadSlots::Release(ThreadSlot* thread) {
  thread->tid.store(Tid{0}, std::memory_order_release);
  taken_.Release(thread->index);
}

}  // namespace jprof

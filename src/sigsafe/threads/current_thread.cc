#include "sigsafe/threads/current_thread.h"

#include <atomic>

#include "sigsafe/threads/thread_slot.h"

namespace jprof {
namespace {

// The slot to which t_current points after EndCurrentThread. No code writes to this slot, so its
// tid stays 0, which means no thread.
constinit ThreadSlot g_ended{};

// relaxed: only this thread and its handlers use the variable.
constinit thread_local std::atomic<ThreadSlot*> t_current = nullptr;

}  // namespace

ThreadSlot* CurrentThread() {
  ThreadSlot* thread = t_current.load(std::memory_order_relaxed);
  return thread == &g_ended ? nullptr : thread;
}

void SetCurrentThread(ThreadSlot* thread) { t_current.store(thread, std::memory_order_relaxed); }

ThreadSlot* SetCurrentThreadIfNone(ThreadSlot* thread) {
  const Tid tid = thread->tid.load(std::memory_order_relaxed);
  ThreadSlot* present = t_current.load(std::memory_order_relaxed);
  while (present == nullptr || present->tid.load(std::memory_order_acquire) != tid) {
    if (t_current.compare_exchange_strong(present, thread, std::memory_order_relaxed)) {
      return thread;
    }
  }
  return present;
}

void EndCurrentThread() { t_current.store(&g_ended, std::memory_order_relaxed); }

bool CurrentThreadHasEnded() { return t_current.load(std::memory_order_relaxed) == &g_ended; }

}  // namespace jprof

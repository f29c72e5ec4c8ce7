#include "sigsafe/threads/current_thread.h"

#include <atomic>

namespace jprof {
namespace {

// relaxed: shared with the handlers on this thread alone.
constinit thread_local std::atomic<ProfiledThread*> t_current = nullptr;

}  // namespace

ProfiledThread* CurrentThread() { return t_current.load(std::memory_order_relaxed); }

void SetCurrentThread(ProfiledThread* thread) {
  t_current.store(thread, std::memory_order_relaxed);
}

ProfiledThread* SetCurrentThreadIfNone(ProfiledThread* thread) {
  ProfiledThread* present = nullptr;
  const bool set = t_current.compare_exchange_strong(present, thread, std::memory_order_relaxed);
  return set ? thread : present;
}

}  // namespace jprof

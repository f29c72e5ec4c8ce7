#include "loader_lock/fork_turns.h"

#include <atomic>

#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {
namespace {

constexpr Nanos kPollNs = 50'000;

// The number of walks that run or are about to run, and the number of forks that run or wait. A
// walk and a fork each increment their own count first and then read the other count, all with
// seq_cst. So at least one of the two sees the other.
std::atomic<int> g_walks{0};
std::atomic<int> g_forks{0};

bool AwaitNone(const std::atomic<int>& count, Nanos deadline_ns) {
  while (count.load(std::memory_order_seq_cst) != 0) {
    if (MonotonicNanos() >= deadline_ns) return false;
    RawSleep(kPollNs);
  }
  return true;
}

}  // namespace

ObjectWalkTurn::ObjectWalkTurn() {
  const Nanos deadline_ns = MonotonicNanos() + kForkTimeoutNs;
  // In a forked child nothing waits, because the counts there keep the values that they had at the
  // fork.
  while (!InForkedChild()) {
    const bool is_in_time = AwaitNone(g_forks, deadline_ns);
    g_walks.fetch_add(1, std::memory_order_seq_cst);
    if (!is_in_time || g_forks.load(std::memory_order_seq_cst) == 0) return;
    g_walks.fetch_sub(1, std::memory_order_seq_cst);
  }
}

ObjectWalkTurn::~ObjectWalkTurn() { g_walks.fetch_sub(1, std::memory_order_seq_cst); }

void HoldObjectWalks() {
  if (InForkedChild()) return;
  g_forks.fetch_add(1, std::memory_order_seq_cst);
  static_cast<void>(AwaitNone(g_walks, MonotonicNanos() + kForkTimeoutNs));
}

void ReleaseObjectWalks() {
  if (!InForkedChild()) g_forks.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace jprof

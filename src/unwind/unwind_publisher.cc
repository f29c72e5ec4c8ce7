#include "unwind/unwind_publisher.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <utility>

#include "base/memory_reserve.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/base/types.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// Wakes the waiting thread of the profiler, from any thread of the program.
//
// Uses a futex and not an eventfd, because the program might close the descriptor of an eventfd and
// reuse its number for another file. Call takes no lock, allocates nothing and leaves errno
// unchanged.
class WakeUp {
 public:
  constexpr WakeUp() = default;
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  // Wakes the waiting thread. Called by any thread. The call has no effect after the waiting thread
  // has exited.
  void Call();

  // Returns the number of calls so far, for WaitUntil.
  uint32_t calls() const { return calls_.load(std::memory_order_acquire); }

  // Sleeps until there have been more than `seen` calls, and returns true; or until `deadline_ns`
  // on CLOCK_MONOTONIC, and returns false. Called by one thread at a time.
  bool WaitUntil(Nanos deadline_ns, uint32_t seen) const;

 private:
  std::atomic<uint32_t> calls_{0};
};

static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4,
              "the kernel reads it");

void WakeUp::Call() {
  const ErrnoSaver errno_saver;
  calls_.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &calls_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

bool WakeUp::WaitUntil(Nanos deadline_ns, uint32_t seen) const {
  const timespec deadline{static_cast<time_t>(deadline_ns / kNanosPerSecond),
                          static_cast<long>(deadline_ns % kNanosPerSecond)};
  while (calls() == seen) {
    if (MonotonicNanos() >= deadline_ns) return false;
    // The deadline is absolute, on CLOCK_MONOTONIC (futex(2), FUTEX_WAIT_BITSET).
    syscall(SYS_futex, &calls_, FUTEX_WAIT_BITSET_PRIVATE, seen, &deadline, nullptr,
            FUTEX_BITSET_MATCH_ANY);
  }
  return true;
}

constexpr Nanos kLookEvery = kNanosPerSecond / 10;
constexpr Nanos kFirstLook = kNanosPerSecond / 1000;
// kGiveWayEvery is how long the thread compiles before it yields its processor. Without yields, the
// kernel might queue a new thread behind this thread for a time slice of some milliseconds,
// although another processor is free. The creator of the new thread would wait meanwhile. If no
// processor is free, a yield lasts a time slice. After such a yield the thread compiles for as long
// as the yield took, but at most for kMostBetweenYields, so that new code gets its tables soon.
constexpr Nanos kGiveWayEvery = kNanosPerSecond / 2000;
constexpr Nanos kMostBetweenYields = kNanosPerSecond / 100;

constinit WakeUp g_look_soon;

}  // namespace

Result<std::unique_ptr<UnwindPublisher>> UnwindPublisher::Start(std::function<void()> after_look) {
  std::unique_ptr<UnwindPublisher> publisher(new UnwindPublisher(std::move(after_look)));
  Result<StoppableThread> thread = StoppableThread::Start(
      "jprof-unwind", [self = publisher.get()](const StopEvent& stop) { self->Run(stop); });
  if (!thread) return thread.error();
  publisher->thread_ = std::move(thread).value();
  return publisher;
}

void UnwindPublisher::Run(const StopEvent& stop) {
  Nanos gave_way_ns = MonotonicNanos();
  Nanos until_next_ns = kGiveWayEvery;
  const IsCancelled give_way_or_stop = [&] {
    if (const Nanos before_ns = MonotonicNanos(); before_ns - gave_way_ns > until_next_ns) {
      sched_yield();
      gave_way_ns = MonotonicNanos();
      until_next_ns = std::clamp(gave_way_ns - before_ns, kGiveWayEvery, kMostBetweenYields);
    }
    return MemoryIsShort() || stop.WaitUntil(0);
  };
  Nanos pause_ns = kLookEvery;
  do {
    const uint32_t calls = g_look_soon.calls();
    ProcessTables::OfProcess().Update(give_way_or_stop);
    after_look_();
    const bool is_called = g_look_soon.WaitUntil(MonotonicNanos() + pause_ns, calls);
    pause_ns = is_called ? kFirstLook : std::min(2 * pause_ns, kLookEvery);
  } while (!stop.WaitUntil(MonotonicNanos() + kFirstLook));
}

void UnwindPublisher::RequestCheck() { g_look_soon.Call(); }

UnwindPublisher::~UnwindPublisher() {
  thread_.RequestStop();
  g_look_soon.Call();
}

bool UnwindPublisher::Update() { return ProcessTables::OfProcess().Update(MemoryIsShort); }

void UnwindPublisher::RemoveUnloaded() { ProcessTables::OfProcess().RemoveUnloaded(); }

UnwindTotals UnwindPublisher::Totals() { return ProcessTables::OfProcess().Totals(); }

}  // namespace jprof

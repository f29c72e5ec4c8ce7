#include "engines/cpu/switch_cost.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "os/native_thread.h"
#include "os/perf_event.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

constexpr int kRounds = 25;                       // of each sort
constexpr Nanos kLongest = kNanosPerSecond / 10;  // no round begins later
constexpr int kSwitches = 20;                     // to each of the two threads, in a round
constexpr Nanos kLeastCost = 100;

// The state of two threads that wake each other in turn.
class Turns {
 public:
  // Waits until it is the turn of `thread`, which is 0 or 1. Returns false if the turns have ended.
  bool Await(int thread) {
    for (;;) {
      const int turn = turn_.load(std::memory_order_acquire);
      if (ended_.load(std::memory_order_acquire)) return false;
      if (turn == thread) return true;
      syscall(SYS_futex, &turn_, FUTEX_WAIT_PRIVATE, turn, nullptr, nullptr, 0);
    }
  }

  void PassTo(int thread) {
    turn_.store(thread, std::memory_order_release);
    syscall(SYS_futex, &turn_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

  // Ends all waits of both threads.
  void End() {
    ended_.store(true, std::memory_order_release);
    turn_.store(kNobody, std::memory_order_release);
    syscall(SYS_futex, &turn_, FUTEX_WAKE_PRIVATE, 2, nullptr, nullptr, 0);
  }

 private:
  static constexpr int kNobody = 2;

  std::atomic<int> turn_{0};
  std::atomic<bool> ended_{false};
};

// The CPU time that one thread has used in its complete rounds of both sorts.
struct Sums {
  int rounds = 0;
  Nanos without_ns = 0;
  Nanos with_ns = 0;
};

bool BindTo(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  if (cpu < 0 || cpu >= CPU_SETSIZE) return false;
  CPU_SET(static_cast<size_t>(cpu), &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

// Takes part in one round. Returns the CPU time that the calling thread has used for it; nullopt if
// the turns have ended.
std::optional<Nanos> PlayRound(Turns& turns, int thread) {
  if (!turns.Await(thread)) return std::nullopt;
  const Nanos before_ns = ThreadCpuNanos();
  for (int i = 0; i < kSwitches; ++i) {
    turns.PassTo(1 - thread);
    if (!turns.Await(thread)) return std::nullopt;
  }
  const Nanos used_ns = ThreadCpuNanos() - before_ns;
  turns.PassTo(1 - thread);
  return used_ns;
}

// The body of one of the two threads. Ends the turns when it returns.
Sums Play(Turns& turns, int thread, int cpu, Nanos interval_ns) {
  Sums sums;
  const Result<PerfEvent> event = PerfEvent::Open(CurrentTid(), 0, interval_ns);
  const Nanos deadline_ns = MonotonicNanos() + kLongest;
  while (event && BindTo(cpu) && sums.rounds < kRounds && MonotonicNanos() < deadline_ns) {
    event.value().Disable();
    const std::optional<Nanos> without_ns = PlayRound(turns, thread);
    event.value().Enable();
    const std::optional<Nanos> with_ns = PlayRound(turns, thread);
    if (!without_ns || !with_ns) break;
    sums = {sums.rounds + 1, sums.without_ns + *without_ns, sums.with_ns + *with_ns};
  }
  turns.End();
  return sums;
}

}  // namespace

std::optional<Nanos> MeasureSwitchCost(Nanos interval_ns,
                                       const std::function<void(Tid)>& on_start) {
  Turns turns;
  const int cpu = sched_getcpu();
  std::array<Sums, 2> sums;
  std::array<NativeThread, 2> threads;
  for (int i = 0; i < 2; ++i) {
    const auto place = static_cast<size_t>(i);
    Result<NativeThread> thread = NativeThread::Start(
        "jprof-cpu", [&, place, i] { sums[place] = Play(turns, i, cpu, interval_ns); });
    if (!thread) {
      turns.End();
      return std::nullopt;
    }
    threads[place] = std::move(thread).value();
    on_start(threads[place].tid());
  }
  for (NativeThread& thread : threads) thread.Join();
  Nanos cost_ns = 0;
  for (const Sums& of_thread : sums) {
    if (of_thread.rounds == 0) return std::nullopt;
    cost_ns += (of_thread.with_ns - of_thread.without_ns) / (of_thread.rounds * kSwitches);
  }
  return std::max<Nanos>(cost_ns / 2, kLeastCost);
}

}  // namespace jprof

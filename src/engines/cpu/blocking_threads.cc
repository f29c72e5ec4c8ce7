#include "engines/cpu/blocking_threads.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "chunks/idle_rule.h"
#include "os/cpu_clock.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/cpu_sampling.h"
#include "sigsafe/sampling/sampling_state.h"
#include "threads/thread_signal.h"

namespace jprof {
namespace {

// Far more CPU time than the kernel needs to enter a handler and to leave it.
constexpr Nanos kRun = 2'000'000;
constexpr Nanos kPause = 1'000'000;

// A thread that blocked the signal at a first look.
struct Doubt {
  const ThreadSlot* thread;
  uint32_t serial;
  Tid tid;
  Nanos cpu_ns;  // at the first look
  Nanos due_ns;

  bool HasRun() const { return TaskCpuNanos(tid) - cpu_ns >= kRun; }
  bool HasBeenSampled() const {
    return thread->cpu_due_ns.load(std::memory_order_relaxed) != due_ns;
  }
};

Doubt DoubtOf(const ThreadSlot& thread) {
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  return {&thread, thread.serial.load(std::memory_order_relaxed), tid, TaskCpuNanos(tid),
          thread.cpu_due_ns.load(std::memory_order_relaxed)};
}

// Returns nullopt if only a later look can decide. HasBeenSampled is called last, so that it sees
// the sample of a handler that was about to start.
std::optional<bool> IsBlocking(const Doubt& doubt, int signal) {
  const bool can_tell = doubt.HasRun() || TaskSleeps(doubt.tid).value_or(false);
  const bool blocks = BlocksSignal(*doubt.thread, signal);
  if (!blocks || doubt.HasBeenSampled()) return false;
  return can_tell ? std::optional(true) : std::nullopt;
}

}  // namespace

bool IsCpuTimeOverdue(const ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns) {
  static const Nanos tick_ns = KernelTickNanos();
  const Nanos due_ns = thread.cpu_due_ns.load(std::memory_order_relaxed);
  return due_ns != 0 && cpu_ns - due_ns >= std::max(kPatience * interval_ns, 2 * tick_ns);
}

bool SignalWaitsForThisThread(int signal) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

void LoseCpuTime(ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns) {
  const uint64_t weight = AccountCpuTime(thread, interval_ns, cpu_ns);
  if (weight == 0) return;
  if (Sampling().window.IsOpen()) {
    thread.AddLost(SampleKind::kCpu, LostReason::kNoSignal, weight);
  } else {
    AddOutsideWindows(SampleKind::kCpu, weight);
  }
}

std::unordered_set<uint32_t> SerialsOfBlockingThreads(const std::vector<const ThreadSlot*>& threads,
                                                      int signal) {
  std::vector<Doubt> doubts;
  for (const ThreadSlot* thread : threads) {
    const Doubt doubt = DoubtOf(*thread);
    if (BlocksSignal(*thread, signal)) doubts.push_back(doubt);
  }
  std::unordered_set<uint32_t> blocking;
  const Nanos end_ns = MonotonicNanos() + kLongestLook;
  while (!doubts.empty()) {
    std::erase_if(doubts, [&](const Doubt& doubt) {
      const std::optional<bool> blocks = IsBlocking(doubt, signal);
      if (blocks.value_or(false)) blocking.insert(doubt.serial);
      return blocks.has_value();
    });
    if (doubts.empty() || MonotonicNanos() >= end_ns) break;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kPause));
  }
  return blocking;
}

}  // namespace jprof

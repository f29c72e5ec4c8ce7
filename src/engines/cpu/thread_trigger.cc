#include "engines/cpu/thread_trigger.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "chunks/idle_rule.h"
#include "os/cpu_clock.h"
#include "os/process_load.h"
#include "os/task_list.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/cpu_sampling.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/signal_target.h"
#include "threads/thread_signal.h"

namespace jprof {
namespace {

// If a runnable thread has used this much CPU time between two reads of its signal mask, it counts
// as having run in between. The time is far more than the kernel needs to enter and leave a
// handler.
constexpr Nanos kRun = 2'000'000;
constexpr Nanos kPause = 1'000'000;  // time between two rounds of reads

// Doubt is a thread that blocked the signal when its signal mask was first read.
struct Doubt {
  const ThreadSlot* thread;
  uint32_t serial;
  Tid tid;
  Nanos cpu_ns;  // CPU time of the thread at the first read
  Nanos due_ns;  // ThreadSlot::cpu_due_ns at the first read

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

// Returns whether the thread blocks the signal; nullopt if only a later call can decide. Calls
// HasBeenSampled last. If the signal was blocked only for a handler that was about to run, the
// handler has taken its sample by then.
std::optional<bool> IsBlocking(const Doubt& doubt, int signal) {
  const bool can_tell = doubt.HasRun() || TaskSleeps(doubt.tid).value_or(false);
  const bool blocks = BlocksSignal(*doubt.thread, signal);
  if (!blocks || doubt.HasBeenSampled()) return false;
  return can_tell ? std::optional(true) : std::nullopt;
}

}  // namespace

Result<CpuSender> CpuSender::Create(CpuTrigger trigger, int signal, const ThreadSlot& thread,
                                    CpuTimer::Schedule schedule, PerfRings* rings) {
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  CpuSender sender;
  if (trigger == CpuTrigger::kThreadTimers) {
    Result<CpuTimer> timer = CpuTimer::Create(tid, signal, MakeCookie(thread.index), schedule);
    if (!timer) return timer.error();
    sender.sender_ = std::move(timer).value();
    if (rings != nullptr) sender.kernel_frames_ = Error("a thread timer tells none");
    return sender;
  }
  JPROF_CHECK(trigger == CpuTrigger::kPerfEvents);
  const auto kernel = rings == nullptr ? PerfEvent::Kernel::kNoStacks : PerfEvent::Kernel::kStacks;
  Result<PerfEvent> event = PerfEvent::Open(tid, signal, schedule.interval_ns, kernel);
  if (!event) return event.error();
  if (event.value().fd() >= kMaxOwnedDescriptor) {
    return Error("cannot perf_event_open thread " + std::to_string(Value(tid)) + ": descriptor " +
                 std::to_string(event.value().fd()) + " is beyond what can be told apart");
  }
  sender.sender_.emplace<OwnedEvent>(std::move(event).value(), thread.index, rings,
                                     &sender.kernel_frames_);
  return sender;
}

void CpuSender::Silence() {
  if (CpuTimer* timer = std::get_if<CpuTimer>(&sender_)) timer->Delete();
  if (const OwnedEvent* event = std::get_if<OwnedEvent>(&sender_)) event->Silence();
}

void CpuSender::Stop() {
  if (CpuTimer* timer = std::get_if<CpuTimer>(&sender_)) timer->Delete();
  if (OwnedEvent* event = std::get_if<OwnedEvent>(&sender_)) event->Close();
}

CpuSender::OwnedEvent::OwnedEvent(PerfEvent event, uint32_t slot_index, PerfRings* rings,
                                  Status* mapped)
    : event_(std::move(event)), slot_index_(slot_index), rings_(rings) {
  if (rings_ != nullptr) {
    *mapped = rings_->Map(event_.fd(), slot_index_);
    if (!*mapped) rings_ = nullptr;
  }
  SetDescriptorOwner(event_.fd(), slot_index);
  event_.Enable();
}

CpuSender::OwnedEvent& CpuSender::OwnedEvent::operator=(OwnedEvent&& other) noexcept {
  if (this != &other) {
    Close();
    event_ = std::move(other.event_);
    slot_index_ = other.slot_index_;
    rings_ = other.rings_;
  }
  return *this;
}

void CpuSender::OwnedEvent::Close() {
  if (event_.fd() < 0) return;
  event_.Disable();
  ClearDescriptorOwner(event_.fd());
  if (rings_ != nullptr) rings_->Unmap(slot_index_);
  event_ = PerfEvent();
}

std::optional<double> SwitchRate::SinceLast(Tid tid) {
  const Nanos cpu_ns = TaskCpuNanos(tid);
  const Nanos used_ns = cpu_ns - cpu_ns_;
  if (used_ns < kLeastCpu) return std::nullopt;
  cpu_ns_ = cpu_ns;
  std::optional<uint64_t> runs;
  if (const std::optional<RunQueueCounts> queue = TaskRunQueue(tid)) runs = queue->runs;
  const std::optional<uint64_t> before = std::exchange(runs_, runs);
  if (!runs || !before) return std::nullopt;
  return static_cast<double>(*runs - *before) * kNanosPerSecond / static_cast<double>(used_ns);
}

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

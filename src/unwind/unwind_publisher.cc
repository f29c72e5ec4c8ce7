#include "unwind/unwind_publisher.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "base/memory_reserve.h"
#include "os/wake_up.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kLookEvery = kNanosPerSecond / 10;
constexpr Nanos kFirstLook = kNanosPerSecond / 1000;
// The kernel may queue a thread that is being created behind this one for a whole slice, of some
// milliseconds, though another processor is free; its creator waits. Where none is free each time
// costs a slice, so not more often.
constexpr Nanos kGiveWayEvery = kNanosPerSecond / 2000;

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
  const IsCancelled give_way_or_stop = [&] {
    if (MonotonicNanos() - gave_way_ns > kGiveWayEvery) {
      sched_yield();
      gave_way_ns = MonotonicNanos();
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

void UnwindPublisher::LookSoon() { g_look_soon.Call(); }

UnwindPublisher::~UnwindPublisher() {
  thread_.RequestStop();
  g_look_soon.Call();
}

bool UnwindPublisher::Update() { return ProcessTables::OfProcess().Update(MemoryIsShort); }

void UnwindPublisher::RemoveUnloaded() { ProcessTables::OfProcess().RemoveUnloaded(); }

UnwindTotals UnwindPublisher::Totals() { return ProcessTables::OfProcess().Totals(); }

}  // namespace jprof

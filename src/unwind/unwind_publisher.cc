#include "unwind/unwind_publisher.h"

#include <sched.h>

#include <utility>

#include "base/memory_reserve.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kLookEvery = kNanosPerSecond / 10;
// The kernel may queue a thread that is being created behind this one for a whole slice, of some
// milliseconds, though another processor is free; its creator waits. Where none is free each time
// costs a slice, so not more often.
constexpr Nanos kGiveWayEvery = kNanosPerSecond / 2000;

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
  do {
    ProcessTables::OfProcess().Update(give_way_or_stop);
    after_look_();
  } while (!stop.WaitUntil(MonotonicNanos() + kLookEvery));
}

bool UnwindPublisher::Update() { return ProcessTables::OfProcess().Update(MemoryIsShort); }

void UnwindPublisher::RemoveUnloaded() { ProcessTables::OfProcess().RemoveUnloaded(); }

UnwindTotals UnwindPublisher::Totals() { return ProcessTables::OfProcess().Totals(); }

}  // namespace jprof

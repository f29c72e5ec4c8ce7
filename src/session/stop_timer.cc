#include "session/stop_timer.h"

#include <utility>

#include "sigsafe/os/thread_id.h"

namespace jprof {

Result<std::unique_ptr<StopTimer>> StopTimer::Start(Nanos deadline_ns, std::function<void()> body) {
  Result<StopEvent> cancelled = StopEvent::Create();
  if (!cancelled) return cancelled.error();
  std::unique_ptr<StopTimer> timer(new StopTimer(deadline_ns, std::move(cancelled).value()));
  StopTimer* raw = timer.get();
  Result<NativeThread> thread = NativeThread::Start("jprof-timeout", [raw, body = std::move(body)] {
    if (!raw->cancelled_.WaitUntil(raw->deadline_ns_)) body();
  });
  if (!thread) return thread.error();
  timer->thread_ = std::move(thread).value();
  return timer;
}

StopTimer::~StopTimer() {
  Cancel();
  thread_.Join();
}

bool StopTimer::IsOwnThread() const { return CurrentTid() == thread_.tid(); }

}  // namespace jprof

#include "recording/last_stop.h"

#include <limits>
#include <utility>

#include "jvm/jni_scope.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {
namespace {

constexpr char kIsEnding[] = "the JVM is ending";

}  // namespace

Result<Tid> LastStop::Prepare(JavaVM* vm) {
  StoppableThread cancelled;  // joined by its destructor, after the lock is released
  std::unique_lock lock(mutex_);
  if (state_ == State::kAsked) return Error(kIsEnding);
  Result<StoppableThread> thread = StoppableThread::Start(
      kThreadName, [this, vm](const StopEvent& woken) { AwaitOrder(vm, woken); });
  if (!thread) return thread.error();
  cancelled = std::exchange(thread_, std::move(thread).value());
  state_ = State::kPreparing;
  while (state_ == State::kPreparing) changed_.wait(lock);
  if (state_ == State::kAsked) return Error(kIsEnding);
  return thread_.tid();
}

void LastStop::Cancel() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kAsked) return;
  state_ = State::kNone;
  thread_.RequestStop();
}

bool LastStop::Run(Nanos patience, const std::function<bool()>& needs_heap) {
  constexpr Nanos kBetweenLooks = kNanosPerSecond / 500;
  Order();
  const Nanos deadline_ns = MonotonicNanos() + patience;
  while (!is_done_.load(std::memory_order_acquire)) {
    if (MonotonicNanos() >= deadline_ns && needs_heap()) return false;
    RawSleep(kBetweenLooks);
  }
  return true;
}

void LastStop::Order() {
  {
    const std::lock_guard lock(mutex_);
    const State before = std::exchange(state_, State::kAsked);
    if (before == State::kPrepared) return thread_.RequestStop();
  }
  changed_.notify_all();
  Result<StoppableThread> thread =
      StoppableThread::Start(kThreadName, [this](const StopEvent&) { Stop(); });
  if (!thread) return Stop();
  late_thread_ = std::move(thread).value();
}

// Runs on the prepared thread. If the JVM refuses to attach the thread, state_ becomes kNone again.
void LastStop::AwaitOrder(JavaVM* vm, const StopEvent& woken) {
  const JniScope jni(vm, kThreadName);
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kPreparing) return;
    state_ = jni ? State::kPrepared : State::kNone;
  }
  changed_.notify_all();
  if (!jni) return;
  woken.WaitUntil(std::numeric_limits<Nanos>::max());
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kAsked) return;
  }
  Stop();
}

void LastStop::Stop() {
  stop_();
  is_done_.store(true, std::memory_order_release);
}

}  // namespace jprof

#include "threads/task_watcher.h"

#include "base/log.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kLookInterval = 100'000'000;
constexpr Nanos kRescanInterval = kNanosPerSecond;

}  // namespace

Result<std::unique_ptr<TaskWatcher>> TaskWatcher::Start(ThreadRegistry& registry) {
  Result<StopEvent> stop = StopEvent::Create();
  if (!stop) return stop.error();
  std::unique_ptr<TaskWatcher> watcher(new TaskWatcher(registry, std::move(stop).value()));
  TaskWatcher* raw = watcher.get();
  Result<NativeThread> thread = NativeThread::Start("jprof-watcher", [raw] { raw->Run(); });
  if (!thread) return thread.error();
  watcher->thread_ = std::move(thread).value();
  registry.Ignore(watcher->thread_.tid());
  return watcher;
}

TaskWatcher::~TaskWatcher() { stop_.Set(); }

void TaskWatcher::Run() {
  int known_tasks = -1;
  Nanos last_scan_ns = 0;
  Nanos now_ns = MonotonicNanos();
  while (!stop_.WaitUntil(now_ns + kLookInterval)) {
    now_ns = MonotonicNanos();
    const int tasks = CountTasks();
    if (tasks == known_tasks && now_ns - last_scan_ns < kRescanInterval) continue;
    known_tasks = tasks;
    last_scan_ns = now_ns;
    const Status scanned = registry_.Rescan();
    if (!scanned) Log::Debug("thread scan: %s", scanned.error().message().c_str());
  }
}

}  // namespace jprof

#include "threads/task_watcher.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "os/native_thread.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kLookInterval = 100'000'000;
constexpr Nanos kCheckInterval = kNanosPerSecond;

// After a scan that has found the list unchanged, the watcher waits kScanShare times the CPU time
// of that scan before the next scan, unless the list changes. A scan that has found the list
// changed causes no such wait, because it can have spent its CPU time on the names of new threads.
// After a scan that checks tids, the watcher waits at least kCheckShare times the CPU time of that
// scan before the next such scan. The same holds for the calls to `look`.
constexpr Nanos kScanShare = 500;
constexpr Nanos kCheckShare = 1000;

Nanos CpuTimeOf(const std::function<void()>& work) {
  const Nanos before_ns = ThreadCpuNanos();
  work();
  return ThreadCpuNanos() - before_ns;
}

}  // namespace

TaskEvents::TaskEvents() : fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (fd_.valid()) inotify_add_watch(fd_.get(), "/proc/self/task", IN_CREATE | IN_DELETE);
}

bool TaskEvents::SelfTest() const {
  Take();
  {
    const Result<NativeThread> thread = NativeThread::Start("jprof-test", [] {});
  }
  return Take();
}

bool TaskEvents::Take() const {
  if (!fd_.valid()) return false;
  alignas(inotify_event) char events[4096];
  bool any = false;
  while (read(fd_.get(), events, sizeof events) > 0) any = true;
  return any;
}

Result<std::unique_ptr<TaskWatcher>> TaskWatcher::Start(ThreadRegistry& registry,
                                                        SlotReserve* reserve, PthreadHook* hook,
                                                        std::function<void()> look) {
  Result<std::unique_ptr<ThreadPrimer>> primer = ThreadPrimer::Start();
  if (!primer) Log::Debug("%s", primer.error().message().c_str());
  std::unique_ptr<TaskWatcher> watcher(new TaskWatcher(
      registry, reserve, hook, std::move(look), primer ? std::move(primer).value() : nullptr));
  Result<StoppableThread> thread = StoppableThread::Start(
      "jprof-watcher", [raw = watcher.get()](const StopEvent& stop) { raw->Run(stop); });
  if (!thread) return thread.error();
  watcher->thread_ = std::move(thread).value();
  registry.Ignore(watcher->thread_.tid());
  return watcher;
}

// Returns a subscription if the kernel delivers events, else nullopt. A useless subscription would
// delay a stop, because the kernel takes about ten milliseconds to end a subscription.
std::optional<TaskEvents> TaskWatcher::Subscribe() {
  std::optional<TaskEvents> events(std::in_place);
  if (events->SelfTest()) return events;
  Log::Debug("this kernel does not report new threads: the task list is scanned instead");
  return std::nullopt;
}

void TaskWatcher::Run(const StopEvent& stop) {
  std::optional<TaskEvents> events;
  int known_tasks = -1;
  Nanos next_scan_ns = 0;
  Nanos next_check_ns = 0;
  Nanos next_look_ns = 0;
  Nanos now_ns = MonotonicNanos();
  while (!stop.WaitUntil(now_ns + kLookInterval)) {
    now_ns = MonotonicNanos();
    if (known_tasks < 0) events = Subscribe();  // not earlier: short programs need no subscription
    if (reserve_ != nullptr) reserve_->KeepAhead();
    if (hook_ != nullptr) hook_->imports().CoverNewLibraries();
    if (look_ && now_ns >= next_look_ns) {
      next_look_ns = now_ns + kCheckShare * CpuTimeOf(look_);
    }
    const int tasks = CountTasks();
    const bool check = now_ns >= next_check_ns;
    const bool reported = events && events->Take();
    const bool changed = std::exchange(known_tasks, tasks) != tasks;
    if (!reported && !changed && !check && now_ns < next_scan_ns) continue;
    const Nanos cost_ns = CpuTimeOf([&] { Scan(check ? Identity::kChecked : Identity::kTrusted); });
    if (check) {
      next_check_ns = now_ns + std::max(kCheckInterval, kCheckShare * cost_ns);
    } else {
      next_scan_ns = changed || reported ? now_ns : now_ns + kScanShare * cost_ns;
    }
  }
}

void TaskWatcher::Scan(Identity identity) {
  const Status scanned = registry_.Rescan(PrimingPath::kWatcher, identity);
  if (!scanned) Log::Debug("thread scan: %s", scanned.error().message().c_str());
  if (primer_ == nullptr || identity == Identity::kTrusted) return;
  registry_.PrimeRunning([this](const ThreadSlot& thread) { return primer_->Prime(thread); });
}

}  // namespace jprof

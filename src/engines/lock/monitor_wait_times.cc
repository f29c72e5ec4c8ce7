#include "engines/lock/monitor_wait_times.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <span>
#include <string_view>

#include "engines/lock/wait_totals.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/threads/current_thread.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace {

using Wait = int (*)(pthread_cond_t*, pthread_mutex_t*);

// The last wait of the thread of a slot. Written by that thread alone. relaxed, except `monitor`,
// which is stored with release after the others and loaded with acquire before them.
struct Begun {
  std::atomic<uint64_t> monitor{0};  // ObjectMonitor*; 0: none
  std::atomic<uint32_t> serial{0};   // serial of the thread
  std::atomic<Nanos> begin_ns{0};
};
using AllBegun = std::array<Begun, ThreadSlots::kCapacity>;

uint64_t MonitorAt(const VmField& field, int64_t env_offset, const ThreadSlot& thread) {
  const void* const jni_env = thread.jni_env.load(std::memory_order_acquire);
  int64_t monitor = 0;
  if (jni_env == nullptr || !field.exists() ||
      !field.Load(JavaThreadOf(jni_env, env_offset), &monitor)) {
    return 0;
  }
  return static_cast<uint64_t>(monitor);
}

// The state of the wrapper; one for the process, never freed. Stored with release before the first
// wrapper is handed out, loaded with acquire in it.
struct Watch {
  VmField waiting_monitor;
  int64_t env_offset;
  AllBegun begun;
};
std::atomic<Watch*> g_watch{nullptr};
std::atomic<Wait> g_original{nullptr};  // release before the wrapper is handed out

void Note() {
  Watch* const watch = g_watch.load(std::memory_order_acquire);
  const ThreadSlot* const thread = CurrentThread();
  if (watch == nullptr || thread == nullptr) return;
  const uint64_t monitor = MonitorAt(watch->waiting_monitor, watch->env_offset, *thread);
  if (monitor == 0) return;
  Begun& begun = watch->begun[thread->index];
  const uint32_t serial = thread->serial.load(kRelaxed);
  // A wait that was woken spuriously goes on.
  if (begun.monitor.load(kRelaxed) == monitor && begun.serial.load(kRelaxed) == serial) return;
  begun.monitor.store(0, std::memory_order_release);
  begun.serial.store(serial, kRelaxed);
  begun.begin_ns.store(MonotonicNanos(), kRelaxed);
  begun.monitor.store(monitor, std::memory_order_release);
}

int WaitNoted(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Note();
  return g_original.load(kRelaxed)(condition, mutex);
}

// Wraps the conditions of the JVM's own library: engines/nativelock hooks those of all others.
class WaitWrappers final : public ImportWrappers {
 public:
  static WaitWrappers& OfProcess() {
    static auto* const wrappers = new WaitWrappers;
    return *wrappers;
  }

  void WatchLibraryOf(const void* address) { library_ = reinterpret_cast<uintptr_t>(address); }

  std::span<const std::string_view> names() const override { return kNames; }
  bool Wants(const ImportSlot& slot) const override {
    return slot.object.begin <= library_ && library_ < slot.object.end;
  }
  // Accepts one original, because there is one slot.
  void* For(size_t, void* original) override {
    Wait expected = nullptr;
    const auto wait = reinterpret_cast<Wait>(original);
    const bool is_new = g_original.compare_exchange_strong(expected, wait);
    return is_new || expected == wait ? reinterpret_cast<void*>(&WaitNoted) : nullptr;
  }
  void* OriginalOf(const void* function) const override {
    return function == reinterpret_cast<void*>(&WaitNoted)
               ? reinterpret_cast<void*>(g_original.load(kRelaxed))
               : nullptr;
  }

 private:
  static constexpr std::string_view kNames[] = {"pthread_cond_wait"};
  uintptr_t library_ = 0;
};

}  // namespace

void MonitorWaitTimes::Start(JavaVM* jvm, const HotspotLayout& vm) {
  if (!vm.thread_waiting_monitor.exists()) return;
  Watch* watch = g_watch.load(kRelaxed);
  if (watch == nullptr) {
    watch = new Watch{vm.thread_waiting_monitor, vm.env_offset, {}};
    g_watch.store(watch, std::memory_order_release);
  }
  for (Begun& begun : watch->begun) begun.monitor.store(0, kRelaxed);
  WaitWrappers& wrappers = WaitWrappers::OfProcess();
  wrappers.WatchLibraryOf(reinterpret_cast<const void*>(jvm->functions->DestroyJavaVM));
  hook_ = ImportHook::Install(wrappers);
}

uint64_t MonitorWaitTimes::MonitorOf(const HotspotLayout& vm, const ThreadSlot& thread) {
  return MonitorAt(vm.thread_waiting_monitor, vm.env_offset, thread);
}

std::optional<Nanos> MonitorWaitTimes::Take(const ThreadSlot& thread) {
  Watch* const watch = g_watch.load(std::memory_order_acquire);
  if (watch == nullptr) return std::nullopt;
  Begun& begun = watch->begun[thread.index];
  const std::optional<Nanos> begin_ns = BeginOf(thread, begun.monitor.load(kRelaxed));
  begun.monitor.store(0, kRelaxed);
  return begin_ns;
}

std::optional<Nanos> MonitorWaitTimes::BeginOf(const ThreadSlot& thread, uint64_t monitor) {
  const Watch* const watch = g_watch.load(std::memory_order_acquire);
  if (watch == nullptr || monitor == 0) return std::nullopt;
  const Begun& begun = watch->begun[thread.index];
  if (begun.monitor.load(std::memory_order_acquire) != monitor ||
      begun.serial.load(kRelaxed) != thread.serial.load(kRelaxed)) {
    return std::nullopt;
  }
  return begun.begin_ns.load(kRelaxed);
}

}  // namespace jprof

// MonitorWaitTimes: the times at which threads began to wait for a notification inside the JVM. The
// JVM sends an event for the start of an Object.wait, but none for the start of its own waits for
// the end of a class's initialization.
//
//   libjvm.so: ObjectMonitor::wait ─ import slot ─▶ wrapper of pthread_cond_wait ─▶ the original
//
// The wrapper reads if its thread waits for a notification (JavaThread::_current_waiting_monitor),
// and if so the clock; it takes no lock and allocates nothing, and its frame does not stay on the
// stack while the thread waits.
//
// Start and Stop are called one at a time, at the start and the stop of a recording. Take is called
// on the waiting thread. BeginOf and MonitorOf are callable on any thread.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "elf/import_hook.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class MonitorWaitTimes {
 public:
  // Installs the wrapper, unless the JVM does not export the member that the wrapper reads.
  void Start(JavaVM* jvm, const HotspotLayout& vm);
  void Stop() { hook_.reset(); }

  // Returns the start of the thread's last wait, and forgets it; nullopt: not seen.
  static std::optional<Nanos> Take(const ThreadSlot& thread);

  // Returns the monitor for whose notification the Java thread waits; 0: none, or not known. Uses
  // guarded loads.
  static uint64_t MonitorOf(const HotspotLayout& vm, const ThreadSlot& thread);

  // Returns the time when the thread began to wait for the notification of the monitor; nullopt:
  // not seen.
  static std::optional<Nanos> BeginOf(const ThreadSlot& thread, uint64_t monitor);

 private:
  std::unique_ptr<ImportHook> hook_;  // nullptr: not started
};

}  // namespace jprof

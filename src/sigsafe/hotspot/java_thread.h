// The state of a JavaThread: its stack, the kernel thread that runs it, the reason of its wait.
//
// Any thread, in handlers too. Async-signal-safe: a stale or wrong pointer, and a field that this
// JVM does not export, gives nullopt or false, never a fault.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/base/stack_bounds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// Values of OSThread's state: jdk-17+35 src/hotspot/share/runtime/osThread.hpp, ThreadState; the
// same in jdk-25.
enum OsThreadState : int32_t {
  kMonitorWait = 3,
  kCondvarWait = 4,  // LockSupport.park, and conditions inside the VM
  kObjectWait = 5,
};

// By guarded loads. REQUIRES: a layout whose frames can be walked.
[[nodiscard]] bool LoadStackBounds(const HotspotLayout& vm, uint64_t java_thread,
                                   StackBounds* stack);

// The bounds of the stack of `java_thread` (java.lang.Thread.eetop); 0: not known. By safe loads:
// of any thread, which may end meanwhile.
StackBounds SafeStackBoundsOf(const HotspotLayout& vm, uint64_t java_thread);

// The kernel thread that runs `java_thread`, as above. nullopt: the thread has not started or has
// exited, or the kernel thread is not known.
std::optional<Tid> SafeThreadIdOf(const HotspotLayout& vm, uint64_t java_thread);

// The VM's reason for the running thread's wait. By guarded loads where their faults are caught,
// else by safe loads.
std::optional<int32_t> WaitStateOf(const HotspotLayout& vm, LoadFaults faults,
                                   uint64_t java_thread);

}  // namespace jprof

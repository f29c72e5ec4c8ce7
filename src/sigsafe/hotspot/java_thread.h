// The state of a JavaThread: its stack, the kernel thread that runs it, the reason of its wait.
//
// Any thread, in handlers too. Async-signal-safe: a stale or wrong pointer, and a field that this
// JVM does not export, gives nullopt or false, never a fault.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/base/types.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// JavaFrameAnchor: the position of a thread's topmost Java frame while the thread runs VM code or
// native code.
//
// Async-signal-safe; of the running thread, or of a stopped thread.
struct JavaFrameAnchor {
  uint64_t sp;  // 0: no Java frame below
  uint64_t pc;
  uint64_t fp;  // 0: not known; the frame needs no frame pointer
};

// `address`: of a JavaFrameAnchor.
[[nodiscard]] bool LoadAnchor(const HotspotLayout& vm, uint64_t address, JavaFrameAnchor* anchor);

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

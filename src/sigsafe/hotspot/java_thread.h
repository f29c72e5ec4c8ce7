// The state of a JavaThread: its stack, its frame anchor, the kernel thread that runs it, the
// reason for its wait.
//
// Called on any thread, in handlers too. Async-signal-safe: a stale or wrong pointer, or a field
// that this JVM does not export, results in nullopt or false, never in a fault.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/base/types.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// The position of a thread's topmost Java frame while the thread runs VM code or native code.
struct JavaFrameAnchor {
  uint64_t sp;  // 0: there is no Java frame below
  uint64_t pc;
  uint64_t fp;  // 0: unknown; the frame needs no frame pointer
};

// Loads the JavaFrameAnchor at `address`, by guarded loads. REQUIRES: the thread is the running
// thread, or does not run meanwhile.
[[nodiscard]] bool LoadAnchor(const HotspotLayout& vm, uint64_t address, JavaFrameAnchor* anchor);

// The values of OSThread's state: jdk-17+35 src/hotspot/share/runtime/osThread.hpp, ThreadState;
// the same in jdk-25.
enum OsThreadState : int32_t {
  kMonitorWait = 3,
  kCondvarWait = 4,  // LockSupport.park, and conditions inside the VM
  kObjectWait = 5,
};

// Loads the bounds of the stack of `java_thread`, by guarded loads. REQUIRES: a layout whose frames
// can be walked.
[[nodiscard]] bool LoadStackBounds(const HotspotLayout& vm, uint64_t java_thread,
                                   StackBounds* stack);

// Returns the bounds of the stack of `java_thread` (java.lang.Thread.eetop); 0: unknown. Uses safe
// loads: the thread can be any thread, and can end meanwhile.
StackBounds SafeStackBoundsOf(const HotspotLayout& vm, uint64_t java_thread);

// Returns the kernel thread that runs `java_thread`, by safe loads likewise. nullopt: the thread
// has not started or has exited, or the kernel thread is unknown.
std::optional<Tid> SafeThreadIdOf(const HotspotLayout& vm, uint64_t java_thread);

// Returns the VM's reason for the running thread's wait. Uses guarded loads where their faults are
// caught, else safe loads.
std::optional<int32_t> WaitStateOf(const HotspotLayout& vm, LoadFaults faults,
                                   uint64_t java_thread);

}  // namespace jprof

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

// The position of a thread's innermost Java frame while the thread runs VM code or native code.
struct JavaFrameAnchor {
  uint64_t sp;  // 0 if the thread runs Java code or has no Java frame
  uint64_t pc;
  uint64_t fp;  // 0 if unknown; the frame then needs no frame pointer
};

// Loads the JavaFrameAnchor at `address`, by guarded loads. REQUIRES: the anchor's thread is the
// calling thread, or does not run during the call.
[[nodiscard]] bool LoadAnchor(const HotspotLayout& vm, uint64_t address, JavaFrameAnchor* anchor);

// Values of OSThread's state: jdk-17+35 src/hotspot/share/runtime/osThread.hpp, ThreadState. The
// values are the same in jdk-25.
enum OsThreadState : int32_t {
  kMonitorWait = 3,
  kCondvarWait = 4,  // LockSupport.park, and conditions inside the VM
  kObjectWait = 5,
};

// Loads the bounds of the stack of `java_thread`, by guarded loads. REQUIRES: `vm` has the fields
// for walking frames.
[[nodiscard]] bool LoadStackBounds(const HotspotLayout& vm, uint64_t java_thread,
                                   StackBounds* stack);

// Returns the bounds of the stack of `java_thread`, a value of java.lang.Thread.eetop; {} if they
// are unknown. Uses safe loads: the thread can be any thread, and can end during the call.
StackBounds SafeStackBoundsOf(const HotspotLayout& vm, uint64_t java_thread);

// Returns the kernel thread that runs `java_thread`, by safe loads; nullopt if the Java thread has
// not started or has exited, or if its kernel thread is unknown.
std::optional<Tid> SafeThreadIdOf(const HotspotLayout& vm, uint64_t java_thread);

// Returns the OsThreadState of the calling thread, `java_thread`; nullopt if the state is unknown.
// Uses guarded loads if `faults` is kCaught, else safe loads.
std::optional<int32_t> WaitStateOf(const HotspotLayout& vm, LoadFaults faults,
                                   uint64_t java_thread);

}  // namespace jprof

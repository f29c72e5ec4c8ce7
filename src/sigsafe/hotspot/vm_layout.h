// VmLayout: where fields of the running HotSpot's own objects are. Data, filled once at start by
// jvm/vm_structs from the tables libjvm.so exports; an immutable copy travels to the handlers.
//
// Called on any thread, in handlers too. Async-signal-safe: objects of the VM are read through safe
// loads, so a stale or wrong pointer gives nullopt and never a fault. A field that this JVM does
// not export is nullopt, and so is everything that depends on it.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "sigsafe/base/stack_bounds.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Values of OSThread's state: jdk-17+35 src/hotspot/share/runtime/osThread.hpp, ThreadState; the
// same in jdk-25.
enum OsThreadState : int32_t {
  kMonitorWait = 3,
  kCondvarWait = 4,  // LockSupport.park, and conditions inside the VM
  kObjectWait = 5,
};

// Byte offsets within the object of that class.
struct VmLayout {
  std::optional<uint32_t> thread_osthread;     // JavaThread -> OSThread*
  std::optional<uint32_t> osthread_thread_id;  // OSThread -> kernel thread id
  std::optional<uint32_t> flag_address;        // JVMFlag -> its value
  std::optional<uint32_t> heap_memory;         // CodeHeap -> VirtualSpace of its code
  std::optional<uint32_t> heap_segment_map;    // CodeHeap -> VirtualSpace of its segments' bytes
  std::optional<uint32_t> thread_anchor;       // JavaThread -> JavaFrameAnchor
  std::optional<uint32_t> wrapper_anchor;      // JavaCallWrapper -> JavaFrameAnchor
  std::optional<uint32_t> thread_current;      // JavaThread -> OopHandle of the Thread it runs
  std::optional<uint32_t> thread_object;       // JavaThread -> OopHandle of its Thread
  std::optional<uint32_t> list_length;         // ThreadsList -> how many there are
  std::optional<uint32_t> list_threads;        // ThreadsList -> JavaThread*[]
  std::optional<uint32_t> thread_stack_base;   // JavaThread -> first address above its stack
  std::optional<uint32_t> thread_stack_size;   // JavaThread -> bytes of stack below that

  // Where the stack of `java_thread` lies; 0 where that is not known.
  StackBounds StackOf(const void* java_thread) const;

  std::optional<uint32_t> osthread_state;  // OSThread -> why it waits

  // The kernel thread that runs `java_thread`, a JavaThread* (java.lang.Thread.eetop). nullopt: the
  // field is unknown, the memory unreadable, or the thread not started or already gone.
  std::optional<Tid> ThreadIdOf(const void* java_thread) const;

  // Why the VM has this thread wait, as OSThread says. nullopt: not known, as above.
  std::optional<int32_t> WaitStateOf(const void* java_thread) const;

 private:
  uint64_t OsThreadOf(const void* java_thread) const;
};

static_assert(std::is_trivially_copyable_v<VmLayout>);

}  // namespace jprof

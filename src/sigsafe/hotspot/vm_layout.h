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

#include "sigsafe/base/types.h"

namespace jprof {

// Byte offsets within the object of that class.
struct VmLayout {
  std::optional<uint32_t> thread_osthread;     // JavaThread -> OSThread*
  std::optional<uint32_t> osthread_thread_id;  // OSThread -> kernel thread id
  std::optional<uint32_t> flag_address;        // JVMFlag -> its value
  std::optional<uint32_t> heap_memory;         // CodeHeap -> VirtualSpace of its code
  std::optional<uint32_t> heap_segment_map;    // CodeHeap -> VirtualSpace of its segments' bytes
  std::optional<uint32_t> thread_anchor;       // JavaThread -> JavaFrameAnchor
  std::optional<uint32_t> wrapper_anchor;      // JavaCallWrapper -> JavaFrameAnchor

  // The kernel thread that runs `java_thread`, a JavaThread* (java.lang.Thread.eetop). nullopt: the
  // field is unknown, the memory unreadable, or the thread not started or already gone.
  std::optional<Tid> ThreadIdOf(const void* java_thread) const;
};

static_assert(std::is_trivially_copyable_v<VmLayout>);

}  // namespace jprof

// ReadHotspot reads the layout of the VM's memory from the tables that the JVM exports. If a part
// of the layout cannot be used, it reports why.
//
// Called once at start, on a thread attached to the JVM, at or after VMInit: before VMInit the VM
// has no code cache and no interpreter.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct HotspotReading {
  HotspotLayout layout;
  bool knows_threads;      // false: JavaThreads are not found, and the layout must not be used
  Status walk;             // an error says why our walker cannot walk Java frames
  Status virtual_threads;  // an error says why samples of virtual threads go to carriers
};

// `env_offset` is the offset of the JNIEnv within the JavaThread, in bytes; nullopt if it is not
// known: then the layout must not be used. `java_release` is 8, 11, 17, ...; 0 if it is not known.
HotspotReading ReadHotspot(const VmStructs& structs, std::optional<int64_t> env_offset,
                           int java_release, const ObjectFields& fields);

// The places of two variables that JDK 21 to 24 do not export.
struct HiddenContinuation {
  const uint64_t* return_pc;  // ContinuationEntry::_return_pc
  uint32_t entry_offset;      // offset of JavaThread::_cont_entry
};

// Finds the first place by the .symtab of libjvm.so, and the second by the code at the return
// barrier, which loads the entry into the stack pointer. nullopt if there is no .symtab, or if the
// code is unknown. REQUIRES: the code cache of `layout` is set.
std::optional<HiddenContinuation> FindHiddenContinuation(const HotspotLayout& layout);

// Returns a layout with only the fields of a JavaThread (sigsafe/hotspot/java_thread.h).
HotspotLayout ReadJavaThreadLayout(const VmStructs& structs);

}  // namespace jprof

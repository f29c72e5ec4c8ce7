// ReadHotspot: reads the layout of the VM's memory from the tables that the JVM exports, and the
// reasons why parts of the layout cannot be used.
//
// Called once at start, on a thread attached to the JVM, at or after VMInit: before VMInit the VM
// has no code cache and no interpreter.
#pragma once

#include <optional>

#include "base/result.h"
#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct HotspotReading {
  HotspotLayout layout;
  bool knows_threads;      // false: the layout must not be used, because JavaThreads are not found
  Status walk;             // an error: why our walker cannot walk Java frames
  Status virtual_threads;  // an error: why samples of virtual threads belong to their carriers
};

// `env_offset`: the offset of the JNIEnv within the JavaThread, in bytes; nullopt: not known, and
// the layout must not be used. `java_release`: 8, 11, 17, ...; 0: not known.
HotspotReading ReadHotspot(const VmStructs& structs, std::optional<int64_t> env_offset,
                           int java_release, const ObjectFields& fields);

// Returns a layout with only the fields of a JavaThread (sigsafe/hotspot/java_thread.h).
HotspotLayout ReadJavaThreadLayout(const VmStructs& structs);

}  // namespace jprof

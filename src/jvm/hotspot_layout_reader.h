// ReadHotspot reads the layout of the VM's memory from the tables that the JVM exports. The result
// says why a part of the layout cannot be used.
//
// Called once at the start of the agent, on a thread attached to the JVM, at VMInit or later:
// before VMInit the VM has no code cache and no interpreter.
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

// Reads the layout of the running JVM. `env_offset` is the offset of the JNIEnv within the
// JavaThread, in bytes. If it is nullopt, the offset is unknown, and the layout must not be used.
// `java_release` is 8, 11, 17, ...; 0 if unknown.
HotspotReading ReadHotspot(const VmStructs& structs, std::optional<int64_t> env_offset,
                           int java_release, const ObjectFields& fields);

// Returns a layout with only the fields of a JavaThread (sigsafe/hotspot/java_thread.h).
HotspotLayout ReadJavaThreadLayout(const VmStructs& structs);

}  // namespace jprof

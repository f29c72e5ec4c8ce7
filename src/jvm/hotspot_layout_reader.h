// ReadHotspot reads the layout of the VM's memory from the tables that the JVM exports. If a part
// of the layout cannot be used, it reports why.
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
  Status walk;             // an error says why our walker cannot walk Java frames
  Status virtual_threads;  // an error says why samples of virtual threads go to carriers
};

// `env_offset` is the offset of the JNIEnv within the JavaThread, in bytes; nullopt if it is not
// known: then the layout must not be used. `java_release` is 8, 11, 17, ...; 0 if it is not known.
HotspotReading ReadHotspot(const VmStructs& structs, std::optional<int64_t> env_offset,
                           int java_release, const ObjectFields& fields);

// Returns a layout with only the fields of a JavaThread (sigsafe/hotspot/java_thread.h).
HotspotLayout ReadJavaThreadLayout(const VmStructs& structs);

}  // namespace jprof

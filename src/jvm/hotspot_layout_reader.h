// ReadHotspot: the layout of the VM's memory, from the tables that the JVM exports, and the reasons
// for which parts of it cannot be used.
//
// Once at start, on a thread attached to the JVM, after its code cache and interpreter exist
// (VMInit).
#pragma once

#include <optional>

#include "base/result.h"
#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct HotspotReading {
  HotspotLayout layout;
  Status walk;             // an error says why the JVM's frames cannot be walked by us
  Status virtual_threads;  // an error says why samples of virtual threads belong to their carriers
};

// `env_offset`: of the JNIEnv within the JavaThread; nullopt: not known, then nothing of the layout
// may be used. `java_release`: 8, 11, 17, ...; 0: not known.
HotspotReading ReadHotspot(const VmStructs& structs, std::optional<int64_t> env_offset,
                           int java_release, const ObjectFields& fields);

// The fields of a JavaThread alone (sigsafe/hotspot/java_thread.h).
HotspotLayout ReadJavaThreadLayout(const VmStructs& structs);

}  // namespace jprof

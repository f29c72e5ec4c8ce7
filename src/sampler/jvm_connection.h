// JvmConnection: the agent's data about its JVM. It lives until the process ends.
//
// The object is made once, and leaked on purpose: handlers and JVMTI callbacks use its parts at any
// time.
#pragma once

#include <jvmti.h>

#include <memory>

#include "base/result.h"
#include "jvm/class_catalog.h"
#include "jvm/gc_pauses.h"
#include "jvm/hotspot_layout_reader.h"
#include "jvm/jvm_events.h"
#include "jvm/sampled_classes.h"
#include "jvm/stub_names.h"
#include "jvm/vm_structs.h"
#include "threads/slot_reserve.h"
#include "threads/thread_observation.h"
#include "threads/thread_registry.h"
#include "walking/walking.h"

namespace jprof {

struct JvmConnection {
  JvmEvents& events;
  VmStructs structs;
  HotspotReading hotspot;
  Walking walking;
  JavaThreads java_threads;
  SlotReserve& slot_reserve;
  ThreadRegistry registry;
  ThreadObservation observation;
  ClassCatalog classes;
  SampledClasses sampled_classes;
  GcPauses gc_pauses;
  HeapWatch heap;
  StubNames stubs;
  // A listener that does nothing. Its event is enabled only because the JVM then gives complete
  // stacks (Sampler::RecordDebugInformation).
  JvmEventListener frames;

  // Reads the VM's layout, finds AsyncGetCallTrace and reserves the thread slots. If the layout of
  // the VM is not known, the log names the missing features.
  static Result<JvmConnection*> Make(JvmEvents& events, JNIEnv* jni);

 private:
  JvmConnection(JvmEvents& jvm_events, VmStructs vm_structs, HotspotReading hotspot_reading,
                AsgctFunction asgct, const JavaThreads& threads, SlotReserve& reserve,
                JavaThreadFilter& filter, const PerfCounters& counters);
};

}  // namespace jprof

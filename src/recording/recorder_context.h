// RecorderContext: everything the recorder works with and does not own; all of it outlives the
// recorder.
#pragma once

#include <jvmti.h>

#include "jvm/class_catalog.h"
#include "sigsafe/sampling/sampling_state.h"
#include "threads/thread_registry.h"

namespace jprof {

struct RecorderContext {
  JavaVM* vm;
  jvmtiEnv* jvmti;
  SamplingState& sampling;
  ThreadRecords& records;
  ThreadRegistry& registry;
  const ClassCatalog& classes;
};

}  // namespace jprof

// RecorderContext: everything the recorder works with and does not own; all of it outlives the
// recorder.
#pragma once

#include <jvmti.h>

#include "jvm/class_catalog.h"
#include "jvm/gc_pauses.h"
#include "jvm/stub_names.h"
#include "os/pages.h"
#include "sigsafe/sampling/sample_blocks.h"
#include "threads/thread_registry.h"
#include "traces/trace_rotation.h"

namespace jprof {

struct RecorderContext {
  JavaVM* vm;
  jvmtiEnv* jvmti;
  TraceRotation& traces;
  SampleBlocks& samples;
  ThreadRecords& records;
  ThreadRegistry& registry;
  ClassCatalog& classes;
  const Pages& sample_pages;  // what `samples` lies in
  GcPauses& gc_pauses;
  const StubNames& stubs;
};

}  // namespace jprof

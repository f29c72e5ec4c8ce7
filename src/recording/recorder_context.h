// RecorderContext: everything the recorder works with and does not own; all of it outlives the
// recorder.
#pragma once

#include <jvmti.h>

#include "jvm/class_catalog.h"
#include "jvm/gc_pauses.h"
#include "jvm/stub_names.h"
#include "os/pages.h"
#include "recording/chunk_participant.h"
#include "sampling/outside_samples.h"
#include "sigsafe/sampling/sample_blocks.h"
#include "sigsafe/sampling/virtual_thread_names.h"
#include "threads/java_threads.h"
#include "threads/thread_registry.h"
#include "traces/trace_rotation.h"

namespace jprof {

struct RecorderContext {
  JavaVM* vm;
  jvmtiEnv* jvmti;
  TraceRotation& traces;
  SampleBlocks& samples;
  OutsideSamples& outside;
  ThreadRecords& records;
  ThreadRegistry& registry;
  const JavaThreads& java_threads;
  ClassCatalog& classes;
  const Pages& sample_pages;  // the memory of `samples`
  VirtualThreadNames& virtual_names;
  GcPauses& gc_pauses;
  const StubNames& stubs;
  ChunkParticipants& participants;
};

}  // namespace jprof

// RecorderContext: the objects that the recorder uses and does not own; all outlive the recorder.
#pragma once

#include <jvmti.h>

#include <vector>

#include "call_traces/call_trace_rotation.h"
#include "chunks/chunk_participant.h"
#include "chunks/off_thread_samples.h"
#include "jvm/class_catalog.h"
#include "jvm/gc_pauses.h"
#include "jvm/sampled_classes.h"
#include "jvm/stub_names.h"
#include "os/pages.h"
#include "sigsafe/sampling/sample_blocks.h"
#include "sigsafe/sampling/virtual_thread_names.h"
#include "threads/thread_observation.h"
#include "threads/thread_registry.h"

namespace jprof {

class SampleEventsTable;
class MethodMemory;
class SampleSink;

struct RecorderContext {
  JavaVM* vm;
  jvmtiEnv* jvmti;
  CallTraceRotation& traces;
  SampleBlocks& samples;
  OffThreadSamples& off_thread;
  ThreadSlots& slots;
  ThreadRegistry& registry;
  const JavaThreads& java_threads;
  ClassCatalog& classes;
  SampledClasses& sampled_classes;
  const Pages& sample_pages;  // the memory of `samples`
  VirtualThreadNames& virtual_names;
  GcPauses& gc_pauses;
  const StubNames& stubs;
  ChunkParticipants& participants;
  const SampleEventsTable& sample_events;
  const HeapWatch* heap = nullptr;  // nullptr: chunks always have their usual length
  // nullptr: methods that are in no class's list have no names.
  const MethodMemory* method_memory = nullptr;
  std::vector<SampleSink*> sinks = {};  // called after the recording's own sink
};

}  // namespace jprof

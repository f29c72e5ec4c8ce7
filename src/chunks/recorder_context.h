// RecorderContext: the objects that the recorder uses and does not own; all outlive the recorder.
// RecordingPlan: the files, chunks and limits of a recording.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/output_claim.h"
#include "base/result.h"
#include "call_traces/call_trace_rotation.h"
#include "chunks/chunk_participant.h"
#include "chunks/context_fields.h"
#include "chunks/off_thread_samples.h"
#include "chunks/recording_summary.h"
#include "jvm/class_catalog.h"
#include "jvm/gc_pauses.h"
#include "jvm/sampled_classes.h"
#include "jvm/stub_names.h"
#include "jvm/vm_structs.h"
#include "os/pages.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample_blocks.h"
#include "sigsafe/sampling/virtual_thread_names.h"
#include "threads/thread_observation.h"
#include "threads/thread_registry.h"

namespace jprof {

class SampleEventsTable;
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
  const HeapWatch* heap = nullptr;      // nullptr if chunks always have their usual length
  uint8_t unsigned5_bias = 0;           // HotspotLayout::unsigned5_bias
  std::vector<SampleSink*> sinks = {};  // further sinks, called after the recording's own sink
};

struct RecordingPlan {
  std::string path;  // an absolute path
  // How virtual threads are sampled, as text for the recording; empty if this JVM has no virtual
  // threads.
  std::string virtual_threads;
  Nanos chunk_time_ns = 60 * kNanosPerSecond;  // the age at which a chunk is sealed
  int64_t chunk_bytes = 64 << 20;              // the size at which a chunk is sealed
  const VmStatics* vm = nullptr;               // must be set

  // The time that one file covers; 0 for a recording in a single file. If there are several files,
  // `claim` claims the paths of the files from number 2 on, and whole files beyond max_age_ns and
  // max_bytes are removed.
  Nanos file_time_ns = 0;
  std::function<Result<OutputClaim>(uint32_t number)> claim = nullptr;
  Nanos max_age_ns = 0;   // 0: no limit
  int64_t max_bytes = 0;  // 0: no limit

  std::optional<ContextPlan> context = std::nullopt;

  // Requests the stop of the recording, without waiting. Called on the recorder's thread after a
  // failure. Returns false if the stop cannot be requested now; the function is then called again
  // later.
  std::function<bool()> stop_soon = nullptr;

  // Completes the output. Called on the recorder's thread when the last chunk before an end of the
  // JVM (jvm/exit_watch.h) is in the file, or could not be written. `is_end` is false if the JVM
  // only starts a command, after which it can go on.
  std::function<void(const Result<RecordingSummary>& summary, bool is_end)> before_exit = nullptr;
};

}  // namespace jprof

#include "chunks/own_participants.h"

#include <jvmti.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/modified_utf8.h"
#include "base/version.h"
#include "chunks/chunk_participant.h"
#include "chunks/native_names.h"
#include "chunks/recorder_context.h"
#include "chunks/thread_lifecycle_events.h"
#include "jfr/writer/jfr_events.h"
#include "jvm/gc_pauses.h"
#include "jvm/jvm_information.h"
#include "os/system_information.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/context_reader.h"

namespace jprof {
namespace {

// Writes the events that make a chunk readable on its own. They describe the recording, the machine
// and the JVM. The first chunk of a file also has events for the system properties. The constructor
// is slow: it reads files and properties.
class OpeningEvents final : public ChunkParticipant {
 public:
  // REQUIRES: `plan` outlives the object.
  OpeningEvents(jvmtiEnv* jvmti, const RecordingPlan& plan);

  void AddSettings(EventSettings& settings) const override;
  void WriteOpening(JfrWriter& writer, Nanos now_ns) override;

 private:
  const RecordingPlan& plan_;
  const std::string os_version_;
  const CpuInformation cpu_;
  const JvmInformation jvm_;
  const std::vector<std::pair<std::string, std::string>> properties_;
  const std::string host_name_;
};

OpeningEvents::OpeningEvents(jvmtiEnv* jvmti, const RecordingPlan& plan)
    : plan_(plan),
      os_version_(OsVersionText()),
      cpu_(ReadCpuInformation()),
      jvm_(ReadJvmInformation(jvmti, *plan.vm)),
      properties_(ReadSystemProperties(jvmti)),
      host_name_(HostName()) {}

void OpeningEvents::AddSettings(EventSettings& settings) const {
  for (const JfrType event :
       {JfrType::kActiveRecording, JfrType::kActiveSetting, JfrType::kOSInformation,
        JfrType::kCPUInformation, JfrType::kJVMInformation, JfrType::kInitialSystemProperty,
        JfrType::kDataLoss, JfrType::kClassSource}) {
    settings.Enable(event);
  }
  settings.Set(JfrType::kActiveRecording, "jprof", JprofVersion());
  if (!host_name_.empty()) settings.Set(JfrType::kJVMInformation, "host", host_name_);
  if (!plan_.virtual_threads.empty()) {
    settings.Set(JfrType::kExecutionSample, "virtualThreads", plan_.virtual_threads);
  }
}

void OpeningEvents::WriteOpening(JfrWriter& writer, Nanos now_ns) {
  constexpr Nanos kNanosPerMilli = 1'000'000;
  ActiveRecording recording;
  recording.time_ns = now_ns;
  recording.id = 1;
  recording.disk = true;
  recording.name = "jprof";
  recording.destination = writer.path();
  recording.max_age_ms = plan_.max_age_ns / kNanosPerMilli;
  recording.max_size_bytes = plan_.max_bytes;
  recording.recording_start_epoch_ms = writer.clock().start_epoch_ns / kNanosPerMilli;
  writer.Append(recording);
  writer.Append(OSInformation{now_ns, os_version_});
  writer.Append(CPUInformation{now_ns, cpu_.model, cpu_.description, cpu_.sockets, cpu_.cores,
                               cpu_.hardware_threads});
  writer.Append(JVMInformation{now_ns, jvm_.jvm_name, jvm_.jvm_version, jvm_.jvm_arguments,
                               jvm_.jvm_flags, jvm_.java_arguments, jvm_.start_epoch_ms, jvm_.pid});
  if (writer.sealed_chunks() != 0) return;
  for (const auto& [key, value] : properties_) {
    writer.Append(InitialSystemProperty{now_ns, key, value});
  }
}

// Writes jdk.NativeLibrary for each library once per file, when the library is first seen.
class LibraryEvents final : public ChunkParticipant {
 public:
  explicit LibraryEvents(NativeNames& natives) : natives_(natives) {}

  void AddSettings(EventSettings& settings) const override {
    settings.Enable(JfrType::kNativeLibrary);
  }
  void BeforeSamples(OpenChunk& chunk) override;
  // Writes the new libraries, including those that were found while samples were resolved.
  void AfterSamples(OpenChunk& chunk) override;
  // Returns 0, because no event is lost: the next chunk has the events of all new libraries.
  uint64_t Forget() override;
  void BeginFile() override { natives_.BeginFile(); }

 private:
  NativeNames& natives_;
};

void LibraryEvents::BeforeSamples(OpenChunk&) { natives_.LookAtLibraries(); }

uint64_t LibraryEvents::Forget() {
  natives_.LookAtLibraries();
  return 0;
}

void LibraryEvents::AfterSamples(OpenChunk& chunk) {
  for (const Library& library : natives_.TakeNewLibraries()) {
    const std::string path = Utf8FromModifiedUtf8(library.path);
    chunk.writer.Append(
        NativeLibrary{chunk.now_ns, path, library.base, library.top, library.build_id});
  }
}

// Writes jdk.GarbageCollection for every pause of the collector, and jdk.GCHeapSummary for the heap
// after the pause if the VM exports the size of the heap. The numbers are from the counters that
// the VM exports for jstat. The names of collectors and causes are those of the VM. Pauses are
// numbered from 1, because the VM's own ids are unknown.
class GcEvents final : public ChunkParticipant {
 public:
  // Drops earlier pauses, which are not part of this recording.
  explicit GcEvents(GcPauses& pauses) : pauses_(pauses) {
    pauses_.Take([](const GcPause&) {});
  }

  void AddSettings(EventSettings& settings) const override;
  void AfterSamples(OpenChunk& chunk) override;
  uint64_t Forget() override;

 private:
  static void Write(JfrWriter& writer, uint32_t gc_id, const GcPause& pause);

  GcPauses& pauses_;
  uint32_t last_id_ = 0;
};

void GcEvents::AddSettings(EventSettings& settings) const {
  settings.Enable(JfrType::kGarbageCollection);
  settings.Enable(JfrType::kGCHeapSummary);
}

void GcEvents::AfterSamples(OpenChunk& chunk) {
  pauses_.Take([&](const GcPause& pause) { Write(chunk.writer, ++last_id_, pause); });
}

uint64_t GcEvents::Forget() {
  uint64_t events = 0;
  pauses_.Take([&](const GcPause& pause) {
    ++last_id_;
    events += pause.used_bytes < 0 ? 1 : 2;  // 2: with jdk.GCHeapSummary
  });
  return events;
}

void GcEvents::Write(JfrWriter& writer, uint32_t gc_id, const GcPause& pause) {
  const std::string_view name = pause.collector != nullptr ? pause.collector : "";
  const Nanos duration_ns = pause.end_ns - pause.start_ns;
  writer.Append(GarbageCollection{.time_ns = pause.start_ns,
                                  .duration_ns = duration_ns,
                                  .gc_id = gc_id,
                                  .name_key = writer.pools().GCName(name),
                                  .cause_key = writer.pools().GCCause(pause.cause.data()),
                                  .sum_of_pauses_ns = duration_ns,
                                  .longest_pause_ns = duration_ns});
  if (pause.used_bytes < 0) return;
  GCHeapSummary heap;
  heap.time_ns = pause.end_ns;
  heap.gc_id = gc_id;
  heap.when = GCWhen::kAfter;
  heap.heap_space.committed_size_bytes = pause.committed_bytes;
  heap.heap_used_bytes = pause.used_bytes;
  writer.Append(heap);
}

// Reads the names of threads again, because threads can be renamed. Names of Java threads are read
// up to ten times a second if that is cheap. The name of a native thread is read at most once a
// second, and only when the thread has a sample or the filter needs its name. At the end of a
// chunk, the names of both are read again.
//
// The recorder's thread must not wait in the VM while the JVM ends for lack of memory
// (jvm/exit_watch.h). So the names of Java threads are read only once a second while the heap is
// over half full, and only at the ends of chunks while the heap is nearly full.
class NamesOfThreads final : public ChunkParticipant {
 public:
  explicit NamesOfThreads(const RecorderContext& context) : context_(context) {}

  void BeforeSamples(OpenChunk& chunk) override {
    const Nanos now_ns = MonotonicNanos();
    const bool is_full = context_.heap != nullptr && context_.heap->IsNearlyFull();
    const bool is_due = chunk.jni != nullptr && !is_full && now_ns >= next_java_ns_;
    if (is_due) RereadJava(chunk.jni, now_ns);
    if (now_ns >= next_native_ns_) ExpectNewNames(ThreadNames::Renamed::kNative, now_ns);
  }
  void BeforeLastDrain(JNIEnv* jni) override {
    const Nanos now_ns = MonotonicNanos();
    if (jni != nullptr) RereadJava(jni, now_ns);
    ExpectNewNames(ThreadNames::Renamed::kAny, now_ns);
  }

 private:
  // The names of Java threads are read again after kShare times the duration of the last reading,
  // but after a second at the latest. So reading the names takes at most 1/kShare of a processor,
  // unless one reading takes more than a millisecond.
  static constexpr Nanos kShare = 1000;

  void RereadJava(JNIEnv* jni, Nanos now_ns) {
    context_.java_threads.Reread(jni, context_.registry.names());
    const bool is_seldom = context_.heap != nullptr && context_.heap->IsHalfFull();
    next_java_ns_ =
        now_ns + (is_seldom ? kNanosPerSecond
                            : std::min(kShare * (MonotonicNanos() - now_ns), kNanosPerSecond));
  }
  void ExpectNewNames(ThreadNames::Renamed renamed, Nanos now_ns) {
    context_.registry.names().ExpectNewNames(renamed);
    next_native_ns_ = now_ns + kNanosPerSecond;
  }

  const RecorderContext& context_;
  Nanos next_java_ns_ = 0;
  Nanos next_native_ns_ = 0;
};

// Makes SampledClasses drop the classes that no recent chunk has named. For this, each chunk begins
// a generation, unless the current one had no drain: a new file opens two chunks, and the first of
// these has no drain. While no chunk can be written, each drain begins a generation.
class ClassesInUse final : public ChunkParticipant {
 public:
  explicit ClassesInUse(SampledClasses& classes) : classes_(classes) {}

  void AfterSamples(OpenChunk&) override { has_drained_ = true; }
  void WriteOpening(JfrWriter&, Nanos) override {
    if (std::exchange(has_drained_, false)) classes_.BeginGeneration();
  }
  uint64_t Forget() override {
    has_drained_ = false;
    classes_.BeginGeneration();
    return 0;
  }

 private:
  SampledClasses& classes_;
  bool has_drained_ = false;  // true if a drain has ended since the generation began
};

// Keeps the stored stacks that samples can refer to without another stack walk: the stacks of the
// OffThreadSamples, and the last stacks of each thread. These stacks can be of any epoch.
class LastStacks final : public ChunkParticipant {
 public:
  explicit LastStacks(const RecorderContext& context) : context_(context) {}

  void KeepLive(LiveCallTraces& live) const override {
    context_.off_thread.KeepLive(live);
    for (uint32_t i = 0; i < context_.slots.HighWater(); ++i) {
      const ThreadSlot& thread = *context_.slots.At(i);
      if (thread.tid.load(std::memory_order_acquire) == Tid{0}) continue;
      for (const LastStack& last : thread.last_stacks) {
        const CallTraceId trace = last.trace.load(std::memory_order_relaxed);
        live.Keep(trace);
        live.Keep(ContextIdOf(trace, last.context.load(std::memory_order_relaxed)));
      }
    }
  }

 private:
  const RecorderContext& context_;
};

}  // namespace

std::vector<std::unique_ptr<ChunkParticipant>> MakeOwnParticipants(const RecorderParts& parts) {
  const RecorderContext& context = parts.context;
  std::vector<std::unique_ptr<ChunkParticipant>> own;
  own.push_back(std::make_unique<NamesOfThreads>(context));
  own.push_back(std::make_unique<ClassesInUse>(context.sampled_classes));
  own.push_back(std::make_unique<LastStacks>(context));
  own.push_back(std::make_unique<OpeningEvents>(context.jvmti, parts.plan));
  own.push_back(std::make_unique<ThreadLifecycleEvents>(context.registry));
  own.push_back(std::make_unique<LibraryEvents>(parts.natives));
  own.push_back(MakeLoadEvents(context, MonotonicNanos()));
  own.push_back(std::make_unique<GcEvents>(context.gc_pauses));
  own.push_back(MakeProfilerStatistics(parts));
  return own;
}

}  // namespace jprof

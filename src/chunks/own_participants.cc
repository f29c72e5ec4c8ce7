#include "chunks/own_participants.h"

#include <algorithm>
#include <utility>

#include "chunks/gc_events.h"
#include "chunks/library_events.h"
#include "chunks/load_events.h"
#include "chunks/opening_events.h"
#include "chunks/profiler_statistics.h"
#include "chunks/thread_lifecycle_events.h"
#include "sigsafe/context/context_reader.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// Reads the names of threads again, because threads may have been renamed: those of Java threads
// ten times a second if that is cheap, those of native threads once a second, when a thread has a
// sample or the filter asks for its name. With the end of a chunk all are read. The recorder's
// thread must not wait in the VM while the JVM ends for lack of memory (exit_watch.h): while the
// heap is over half full Java threads are asked once a second, while it is nearly full at ends of
// chunks.
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
  // Reading the names of Java threads takes this part of a processor, or is done once a second.
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

// Forgets classes with the chunks that name them, and with the samples that no chunk takes. A
// generation lasts for a drain at least: a file opens two chunks, and the first has no drain.
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
  bool has_drained_ = false;  // since the generation began
};

// Keeps the stacks of time that no handler accounts for: samples of other threads than the sampled
// one, and the last stack of each thread, which may be of any epoch.
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
  own.push_back(std::make_unique<LoadEvents>(context.registry, MonotonicNanos()));
  own.push_back(std::make_unique<GcEvents>(context.gc_pauses));
  own.push_back(
      std::make_unique<ProfilerStatistics>(context, parts.summary, parts.methods, parts.natives));
  return own;
}

}  // namespace jprof

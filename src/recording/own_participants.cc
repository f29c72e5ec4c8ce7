#include "recording/own_participants.h"

#include <utility>

#include "recording/gc_events.h"
#include "recording/library_events.h"
#include "recording/load_events.h"
#include "recording/opening_events.h"
#include "recording/profiler_statistics.h"
#include "recording/thread_lifecycle_events.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// Threads may have been renamed: the chunk has the names that they have at its end.
class JavaThreadNames final : public ChunkParticipant {
 public:
  explicit JavaThreadNames(const RecorderContext& context) : context_(context) {}

  void BeforeLastDrain(JNIEnv* jni) override {
    if (jni != nullptr) context_.java_threads.Reread(jni, context_.registry.names());
  }

 private:
  const RecorderContext& context_;
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

}  // namespace

std::vector<std::unique_ptr<ChunkParticipant>> MakeOwnParticipants(const RecorderParts& parts) {
  const RecorderContext& context = parts.context;
  std::vector<std::unique_ptr<ChunkParticipant>> own;
  own.push_back(std::make_unique<JavaThreadNames>(context));
  own.push_back(std::make_unique<ClassesInUse>(context.sampled_classes));
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

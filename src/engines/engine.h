// Engine: a source of samples. Made, started and stopped by a recording, on any thread, one call at
// a time; at the recording's start and end, or while it runs. Between Start and the engine's end
// the recorder also calls it as a ChunkParticipant: it adds its settings, and may write events.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jvm/jvm_events.h"
#include "jvm/sampled_classes.h"
#include "recording/chunk_participant.h"
#include "recording/sample_events.h"
#include "sampling/off_thread_samples.h"
#include "session/options/options.h"
#include "threads/thread_registry.h"

namespace jprof {

class Engine : public ChunkParticipant {
 public:
  // Begins to make samples. Where it fails the engine has left nothing behind. Once.
  virtual Status Start() = 0;

  // Stops every sender and puts back what Start has installed. When it returns, no further signal
  // is sent; handlers may still be running (the recording waits for their guards). Also where Start
  // has failed, and again. False: a callback of the VM is still inside the engine, which must then
  // never be destroyed.
  virtual bool Stop() = 0;

  // Now and then, by the task watcher, between Start and Stop: looks for CPU time, threads and the
  // like that no signal and no event tell.
  virtual void LookAtThreads() {}

  // Whether Start is to wait until there are unwind tables for all code that is loaded.
  virtual bool WantsUnwindTables() const { return false; }

  struct Signal {
    SampleKind kind;  // that it is for
    int number;
  };
  // The signal that it takes, if any.
  virtual std::optional<Signal> signal() const { return std::nullopt; }

  // What whoever has started or stopped it is to know, a line each; once.
  virtual std::vector<std::string> TakeNotes() { return {}; }

  // The calls of traced methods up to now, a line each (docs/tracing.md); empty: it traces none.
  virtual std::string MethodTable(JNIEnv*) { return {}; }

  // For the line at start: "cpu every 10 ms".
  virtual std::string Description() const = 0;
};

// The parts of a recording that an engine may use; all outlive it.
struct EngineContext {
  ThreadRegistry& registry;
  OffThreadSamples& off_thread;
  JvmEvents& jvm_events;
  SampledClasses& classes;
};

// Decides how the engine would work, and whether it can: an Error if not. Touches nothing that
// others see. A row of engines.def.
using EngineFactory = Result<std::unique_ptr<Engine>> (*)(const Options& options,
                                                          const EngineContext& context);

}  // namespace jprof

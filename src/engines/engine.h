// Engine: a source of samples. A recording makes, starts and stops engines, at its start and end or
// while it runs; on any thread, one call at a time. From Start to its end an engine is also a
// ChunkParticipant of the recorder: it adds its settings, and can write events.
//
// EngineRequest: an option string's request to one engine, and its entry in a recording.
// EngineContext: the parts of a recording that engines use. EngineFactory: makes an engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answers/method_calls.h"
#include "base/result.h"
#include "chunks/chunk_participant.h"
#include "chunks/off_thread_samples.h"
#include "chunks/sample_events.h"
#include "jfr/writer/event_settings.h"
#include "jvm/jvm_events.h"
#include "jvm/sampled_classes.h"
#include "jvm/vm_structs.h"
#include "options/options.h"
#include "sigsafe/base/sample_settings.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "threads/thread_registry.h"

namespace jprof {

struct EngineRequest {
  KindSettings samples = {};
  std::string filter = {};  // the requested threads; empty: all
  SampleKind kind = {};
};

// Returns the part of `options` for the engine of `kind`. REQUIRES: `options` switches it on.
EngineRequest RequestOf(const Options& options, SampleKind kind);

// Adds to the settings of the chunk that samples of the kind are written as `event`, and the
// request for them.
void AddRequest(const EngineRequest& request, JfrType event, EventSettings& settings);

// Does the same as AddRequest, for an engine whose interval is a time. `number`: the name of the
// setting that has the interval as a plain number.
void AddTimeRequest(const EngineRequest& request, JfrType event, const char* number,
                    EventSettings& settings);

class ProbeRound;

class Engine : public ChunkParticipant {
 public:
  // Requests probes in the code of the program (EngineContext::probes), which are there when Start
  // is called. Called once, at the start of the engine; after an Error the engine does not start.
  virtual Status Install() { return {}; }

  // Starts taking samples. A failed start leaves nothing installed. Called once, after Install.
  virtual Status Start() { return {}; }

  // True if the engine must not sample the work by which other engines start and stop: it starts
  // after all of them, and stops before them.
  virtual bool StartsLast() const { return false; }

  // Stops every sender and restores everything that the start has installed. After it returns, no
  // further signal is sent; handlers might still be running (the recording waits for their guards),
  // and probes that do nothing can be in the code until EngineContext::probes has run. May be
  // called after a failed Start, and repeatedly. Returns false if a callback of the VM is still
  // inside the engine, which then must never be destroyed. At the end of the JVM
  // (JvmEvents::is_ending) Stop must not allocate Java objects, and may leave probes in the code.
  virtual bool Stop() = 0;

  // Called periodically by the task watcher between Start and Stop: looks for threads and CPU time
  // that no signal and no event reports.
  virtual void InspectThreads() {}

  // True if Start has to wait for the unwind tables of all loaded code.
  virtual bool WantsUnwindTables() const { return false; }

  struct Signal {
    SampleKind kind;  // kind of the samples
    int number;
  };
  // Returns the signal that the engine uses, if any.
  virtual std::optional<Signal> signal() const { return std::nullopt; }

  // Returns notes for the user who has started or stopped the engine, a line each, and forgets
  // them.
  virtual std::vector<std::string> TakeNotes() { return {}; }

  // A command of the user that an engine carries out.
  enum class Command {
    kCollect,      // forces the garbage collection that the next events follow
    kListMethods,  // reads the calls to traced methods up to now (docs/tracing.md)
  };
  // The answer to a command: `cost` to kCollect, `methods` to kListMethods.
  struct CommandAnswer {
    std::string cost = {};                  // cost of the collection, a line
    std::vector<MethodCalls> methods = {};  // traced methods; empty: none
  };
  // Carries out the command and returns the answer; nullopt if the command is not for this engine.
  // Called on a thread that is attached to the JVM. `jni`: that thread's.
  virtual std::optional<Result<CommandAnswer>> CarryOut(Command, JNIEnv* /*jni*/) {
    return std::nullopt;
  }

  // Returns the engine's sums with their errors, a line each, for the status and the answer to
  // stop. Called at any time after Start, on any thread.
  virtual std::vector<std::string> Totals() const { return {}; }

  // Describes the engine in the message at start: "cpu every 10 ms".
  virtual std::string Description() const = 0;
};

// The parts of a recording that an engine may use; all outlive it.
struct EngineContext {
  ThreadRegistry& registry;
  OffThreadSamples& off_thread;
  JvmEvents& jvm_events;
  SampledClasses& classes;
  const HotspotLayout& layout;
  const VmStructs& structs;
  ProbeRound& probes;  // run by the recording after its engines' Install or Stop
};

// Makes an engine, or returns an Error if it cannot work here. Changes no state of the process.
// Each row of engines.def has one.
using EngineFactory = Result<std::unique_ptr<Engine>> (*)(const Options& options,
                                                          const EngineContext& context);

}  // namespace jprof

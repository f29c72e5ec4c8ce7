// An Engine is a source of samples. A recording creates and starts engines at its own start, and
// stops them at its own stop; it can also start and stop engines in between. The recording calls an
// engine on any thread, one call at a time. From its Start until it leaves the recording, an engine
// is also a ChunkParticipant of the recorder: the engine adds its settings to chunks, and can write
// events.
//
// An EngineRequest is what the user's options request of one engine. The EngineContext holds the
// parts of a recording that engines use. An EngineFactory creates an engine.
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
#include "jvm/stub_names.h"
#include "jvm/vm_structs.h"
#include "options/options.h"
#include "sigsafe/base/sample_settings.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "threads/thread_registry.h"

namespace jprof {

struct EngineRequest {
  KindSettings samples = {};
  std::string filter = {};  // the requested threads; empty for all
  SampleKind kind = {};
};

// Returns the request for the engine of `kind`. REQUIRES: `options` switches that engine on.
EngineRequest RequestOf(const Options& options, SampleKind kind);

// Adds the request to the settings of a chunk: enables `event`, the type of event in which the
// engine's samples are written, and adds the interval and the filter that the user has requested.
void AddRequest(const EngineRequest& request, JfrType event, EventSettings& settings);

// Calls AddRequest for an engine whose interval is a time. Then adds the interval in two more
// settings: as text in the setting `period`, and as a plain number of nanoseconds in the setting
// whose name is `number`.
void AddTimeRequest(const EngineRequest& request, JfrType event, const char* number,
                    EventSettings& settings);

class ProbeRound;

class Engine : public ChunkParticipant {
 public:
  // Requests probes in the code of the program (EngineContext::probes). The probes are in the code
  // when Start is called. Called once, before Start. If Install returns an Error, Start is not
  // called.
  virtual Status Install() { return {}; }

  // Starts taking samples. If Start fails, it leaves nothing installed. Called once, after Install.
  virtual Status Start() { return {}; }

  // True for an engine that starts after the other engines and stops before them, so that it does
  // not sample the work by which they start and stop.
  virtual bool StartsLast() const { return false; }

  // Stops everything that sends signals, and removes everything that Install and Start have
  // installed. After Stop returns, no further signal is sent. Handlers might still be running; the
  // recording waits for them. Probes can stay in the code until EngineContext::probes has run;
  // until then they do nothing. Stop may be called after a failed Start, and repeatedly. Returns
  // false if a callback of the VM is still running in the engine; the engine must then never be
  // destroyed. At the end of the JVM (JvmEvents::is_ending), Stop must not allocate Java objects,
  // and may leave probes in the code.
  virtual bool Stop() = 0;

  // Finds threads and CPU time that neither signals nor events report. Called periodically by the
  // task watcher between Start and Stop.
  virtual void InspectThreads() {}

  struct Signal {
    SampleKind kind;  // kind of the samples
    int number;
  };
  // Returns the signal that the engine uses, if any.
  virtual std::optional<Signal> signal() const { return std::nullopt; }

  // Returns notes for the user who has started or stopped the engine, one line each, and removes
  // them from the engine.
  virtual std::vector<std::string> TakeNotes() { return {}; }

  // A command of the user that an engine carries out.
  enum class Command {
    kCollect,      // forces a garbage collection for the next snapshot of live objects
    kListMethods,  // returns the calls of traced methods so far (docs/tracing.md)
  };
  struct CommandAnswer {
    std::string cost = {};                  // for kCollect: cost of the collection, one line
    std::vector<MethodCalls> methods = {};  // for kListMethods: the traced methods
  };
  // Carries out the command and returns the answer; nullopt if the command is not for this engine.
  // Called on a thread that is attached to the JVM. `jni` is the JNIEnv of the calling thread.
  virtual std::optional<Result<CommandAnswer>> CarryOut(Command, JNIEnv* /*jni*/) {
    return std::nullopt;
  }

  // Returns the engine's sums with their margins of error, one line each, for the answers to the
  // commands `status` and `stop`. Called at any time after Start, on any thread.
  virtual std::vector<std::string> Totals() const { return {}; }

  // True if the engine samples virtual threads for `wall` while they wait.
  virtual bool SamplesWaitingVirtualThreads() const { return false; }

  // Describes the engine in the message at start, such as "cpu every 10 ms". Returns an empty text
  // if the engine only serves another one.
  virtual std::string Description() const = 0;
};

// The parts of a recording that an engine may use. All of them outlive the engine.
struct EngineContext {
  ThreadRegistry& registry;
  OffThreadSamples& off_thread;
  JvmEvents& jvm_events;
  SampledClasses& classes;
  const HotspotLayout& layout;
  const VmStructs& structs;
  const StubNames& stubs;
  // Inserts and removes probes. The recording runs it after the Install and after the Stop of its
  // engines.
  ProbeRound& probes;
};

// Creates an engine, or returns an Error if the engine cannot work in this process. Changes no
// state of the process. Each row of engines.def names such a function.
using EngineFactory = Result<std::unique_ptr<Engine>> (*)(const Options& options,
                                                          const EngineContext& context);

}  // namespace jprof

// WindowEngine: opens and closes the windows in which the samples of the other engines are recorded
// (sigsafe/sampling/sample_window.h), as methods and functions are called. Takes no samples itself.
//
// A window is the process's: a call to a method of begin= on any thread opens it, a call to a
// method of end= on any thread closes it. Windows do not nest; a method of both opens and closes by
// turns. Without begin= a window is open from the start, without end= the first window stays open:
// then, or once the only window has ended, calls make no difference any more and cost next to
// nothing.
//
// If functions are called more often than BreakpointBudget covers, windows end for good: the
// samples so far are right, and a note says what is missing.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/library_map.h"
#include "engines/engine.h"
#include "engines/method/probe_class.h"
#include "engines/method/probe_installer.h"
#include "options/options.h"
#include "os/perf_event.h"
#include "os/signal_action.h"
#include "sigsafe/base/types.h"
#include "threads/thread_registry.h"
#include "threads/thread_roster.h"

namespace jprof {

// Breakpoints: a perf_event of each sampled thread at the first instruction of each of some
// functions; their signals open and close windows (sigsafe/sampling/signal_handlers.h).
//
// The kernel sets the processor's debug registers; no code is changed. It sends the signal to the
// calling thread itself, before the function begins.
//
// Start, Disarm and Stop are not for handlers; Start is called before the others.
class Breakpoints final : private ThreadListener {
 public:
  // `avoid`: a signal that another engine will use. REQUIRES: `registry` outlives the object.
  Breakpoints(ThreadRegistry& registry, std::optional<int> avoid)
      : registry_(registry), avoid_(avoid) {}

  ~Breakpoints() override { Stop(); }

  // Finds the functions of `edges` in the loaded libraries and watches all threads. Returns an
  // Error if a function is in none of them, or the kernel refuses breakpoints. Does nothing if
  // `edges` has no functions.
  Status Start(const WindowEdges& edges);
  // True if a library with one of the functions has been unloaded since the last call: other code
  // might be at its address. Called by one thread, after Start.
  bool HasLostLibrary();
  // Removes the breakpoints from all threads: later calls cost nothing and are not seen.
  void Disarm();
  void Stop();

 private:
  // The number of debug registers of an x86 processor, all of which the kernel gives to one thread.
  static constexpr size_t kMostFunctions = 4;

  struct Function {
    uint64_t address;
    uint32_t owner;  // kWindowBegins, kWindowEnds, kWindowTurns
  };
  struct Watched {
    uint32_t slot_index;
    PerfEvent event;
  };

  Status AddFunctions(const std::string& name, uint32_t owner);
  Status Watch(Tid tid, uint32_t slot_index);
  void Unwatch(uint32_t slot_index);
  Status ChooseSignal();
  void OnThreadStart(ThreadSlot& thread, Observed observed) override;
  void OnThreadEnd(ThreadSlot& thread, EndedBy ended_by) override;

  ThreadRegistry& registry_;
  const std::optional<int> avoid_;
  Function functions_[kMostFunctions] = {};
  size_t function_count_ = 0;
  std::vector<Library> libraries_;  // libraries of functions_
  uint64_t unloads_ = 0;            // objects unloaded up to the last look
  int signal_ = 0;
  SignalAction action_;
  std::mutex disarm_mutex_;   // held by Disarm and Stop; before the registry's lock
  bool is_watching_ = false;  // guarded by disarm_mutex_
  // Guarded by the registry's lock while this object is its listener.
  std::vector<Watched> watched_;
  bool has_reported_ = false;
};

// BreakpointBudget: limits the calls to functions that a recording sees by breakpoints.
//
// A call costs the program an exception of the processor and a signal, 3 to 50 us of CPU time. The
// budget allows kPerSecond calls a second while the recording lasts, and kBurst calls at once.
//
// Used by one thread at a time.
class BreakpointBudget {
 public:
  static constexpr int64_t kPerSecond = 2000;
  static constexpr int64_t kBurst = 5000;

  explicit BreakpointBudget(Nanos start_ns) : seen_ns_(start_ns) {}

  // True if the budget covers `calls`, the number of calls since the start. Returns false forever
  // once it has returned false.
  bool Covers(uint64_t calls, Nanos now_ns);

 private:
  static constexpr Nanos kCallNs = kNanosPerSecond / kPerSecond;

  Nanos seen_ns_;
  uint64_t seen_calls_ = 0;
  Nanos left_ns_ = kBurst * kCallNs;  // calls that are left, as time: kCallNs a call
  bool is_spent_ = false;
};

class WindowEngine final : public Engine, private ProbeUser {
 public:
  // REQUIRES: `options.window` is given; the parts of `context` outlive the engine.
  WindowEngine(const EngineContext& context, const Options& options);

  ~WindowEngine() override { Stop(); }

  // REQUIRES: nothing is sampled yet.
  Status Install() override;
  bool Stop() override;
  std::string Description() const override;
  std::vector<std::string> TakeNotes() override;
  void AddSettings(EventSettings& settings) const override;
  // The recorder calls BeforeSamples or Forget ten times a second; both look at the breakpoints.
  void BeforeSamples(OpenChunk& chunk) override;
  uint64_t Forget() override;

 private:
  Status InstallProbes();
  void LookAtBreakpoints();
  void GiveUpBreakpoints(std::string note);
  std::string TooManyCalls(Nanos now_ns) const;
  instrument::ProbeTarget ProbedBy(bool is_counted) const override;
  std::optional<uint32_t> NumberFor(JNIEnv* jni, TracedMethod method) override;

  const EngineContext context_;
  const WindowEdges edges_;
  ProbeInstaller installer_;
  Breakpoints breakpoints_;
  bool has_probes_ = false;
  bool is_started_ = false;
  // True while functions are watched. release in Start, acquire by the recorder's thread.
  std::atomic<bool> is_watching_{false};
  Nanos start_ns_ = 0;
  BreakpointBudget budget_{0};  // used by the recorder's thread alone, from Start on
  std::mutex mutex_;            // guards all below
  std::optional<std::string> given_up_;
};

}  // namespace jprof

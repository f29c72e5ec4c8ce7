// WindowEngine opens and closes windows when methods and functions are called. The samples of the
// other engines are recorded only in a window (sigsafe/sampling/sample_window.h). WindowEngine
// takes no samples itself. Breakpoints detects the calls to functions.
//
// There is one window for the whole process. A call on any thread to a method of begin= opens the
// window, and a call on any thread to a method of end= closes it. Windows do not nest. A method
// that is in both options opens and closes the window in alternation. Without begin=, a window is
// open from the start; without end=, the first window stays open. Once no later call can open or
// close a window, calls cost next to nothing.
//
// If functions are called more often than BreakpointBudget covers, the open window ends and no
// further window opens. The samples so far stay right, and a note says what is missing.
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

// Breakpoints sets perf_events on the first instruction of up to four functions, in each sampled
// thread. The signals that the perf_events send open and close windows (WindowHandler in
// sigsafe/sampling/signal_handlers.h).
//
// The kernel sets the processor's debug registers; no code is changed. The signal goes to the
// thread that calls the function, before the function begins.
//
// Start, Disarm and Stop are not for handlers. Start is called before the other two.
class Breakpoints final : private ThreadListener {
 public:
  // `avoid` is a signal that another engine will use. REQUIRES: `registry` outlives the object.
  Breakpoints(ThreadRegistry& registry, std::optional<int> avoid)
      : registry_(registry), avoid_(avoid) {}

  ~Breakpoints() override { Stop(); }

  // Finds the functions of `edges` in the loaded libraries, and sets breakpoints in all threads.
  // Returns an Error if a function is in no library, or if the kernel refuses breakpoints. Does
  // nothing if `edges` has no functions.
  Status Start(const WindowEdges& edges);
  // True if the library of one of the functions has been unloaded since the last call. Other code
  // might be at the address of the function now. Called by one thread, after Start.
  bool HasLostLibrary();
  // Removes the breakpoints from all threads. Later calls to the functions cost nothing, and
  // neither open nor close a window.
  void Disarm();
  // Removes the breakpoints and the handler of their signal.
  void Stop();

 private:
  // The number of breakpoints that the debug registers of an x86 processor hold.
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
  void OnThreadEnd(ThreadSlot& thread, const EndOfThread& end) override;

  ThreadRegistry& registry_;
  const std::optional<int> avoid_;
  Function functions_[kMostFunctions] = {};
  size_t function_count_ = 0;
  std::vector<Library> libraries_;  // libraries of functions_
  uint64_t unloads_ = 0;            // number of unloaded shared objects at the last look
  int signal_ = 0;
  SignalAction action_;
  std::mutex disarm_mutex_;   // held by Disarm and Stop; taken before the registry's lock
  bool is_watching_ = false;  // guarded by disarm_mutex_
  // Guarded by the registry's lock while this object is a listener of the registry.
  std::vector<Watched> watched_;
  bool has_reported_ = false;
};

// BreakpointBudget limits how many calls to functions a recording may observe by breakpoints.
//
// A call costs the program an exception of the processor and a signal, 3 to 50 us of CPU time. The
// budget grows by kPerSecond calls a second, and holds kBurst calls at most.
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
  Nanos left_ns_ = kBurst * kCallNs;  // remaining budget, as time: kCallNs for each call
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
  // The recorder calls BeforeSamples or Forget ten times a second. Both check whether the
  // breakpoints are still needed.
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
  // True while breakpoints are set. release in Install, paired with acquire on the recorder's
  // thread in LookAtBreakpoints: start_ns_, budget_ and the breakpoints are set before the store.
  std::atomic<bool> is_watching_{false};
  Nanos start_ns_ = 0;
  BreakpointBudget budget_{0};           // after Install, used only on the recorder's thread
  std::mutex mutex_;                     // guards all below
  std::optional<std::string> given_up_;  // note for the user, until TakeNotes
};

}  // namespace jprof

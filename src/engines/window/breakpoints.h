// Breakpoints: a perf_event of each sampled thread at the first instruction of each of some
// functions; their signals open and close windows (sigsafe/sampling/signal_handlers.h).
//
// The kernel sets the processor's debug registers; no code is changed. It sends the signal to the
// calling thread itself, before the function begins.
//
// Start, Disarm and Stop: outside handlers; Start before the others.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/library_map.h"
#include "options/options.h"
#include "os/perf_event.h"
#include "os/signal_action.h"
#include "threads/thread_registry.h"
#include "threads/thread_roster.h"

namespace jprof {

class Breakpoints final : private ThreadListener {
 public:
  // `avoid`: a signal that another engine will use. REQUIRES: `registry` outlives the object.
  Breakpoints(ThreadRegistry& registry, std::optional<int> avoid)
      : registry_(registry), avoid_(avoid) {}

  ~Breakpoints() override { Stop(); }

  // Finds the functions of `edges` in the loaded libraries and watches all threads. An Error if a
  // function is in none, or the kernel refuses breakpoints. Nothing to do without functions.
  Status Start(const WindowEdges& edges);
  // Whether a library that one of the functions is in has been unloaded: other code may be at the
  // address. One thread, after Start.
  bool HasLostLibrary();
  // Takes the breakpoints back from all threads: later calls cost nothing and are not seen.
  void Disarm();
  void Stop();

 private:
  // As many as x86 processors have, of which the kernel gives all to one thread.
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
  std::vector<Library> libraries_;  // of functions_
  uint64_t unloads_ = 0;            // objects unloaded up to the last look
  int signal_ = 0;
  SignalAction action_;
  std::mutex disarm_mutex_;   // held by Disarm and Stop; before the registry's lock
  bool is_watching_ = false;  // guarded by disarm_mutex_
  // Under the registry's lock while it watches.
  std::vector<Watched> watched_;
  bool has_reported_ = false;
};

}  // namespace jprof

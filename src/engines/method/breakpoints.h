// Breakpoints: a perf_event of each sampled thread at the first instruction of each of some
// functions; their signals open and close windows (sigsafe/sampling/signal_handlers.h).
//
// The kernel sets the processor's debug registers; no code is changed. It sends the signal to the
// calling thread itself, before the function begins.
//
// Start, Disarm and Stop are not for handlers; Start is called before the others.
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

}  // namespace jprof

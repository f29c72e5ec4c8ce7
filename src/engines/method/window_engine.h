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

#include "engines/engine.h"
#include "engines/method/breakpoints.h"
#include "engines/method/probe_class.h"
#include "engines/method/probe_installer.h"
#include "sigsafe/base/types.h"

namespace jprof {

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

#include "engines/method/window_engine.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "base/engine_signals.h"
#include "base/log.h"
#include "base/scaled_text.h"
#include "elf/library_map.h"
#include "elf/symbol_finder.h"
#include "engines/method/retransformation.h"
#include "jfr/format/jfr_types.h"
#include "jvm/jvm_errors.h"
#include "os/read_file.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/signal_handlers.h"
#include "sigsafe/sampling/signal_target.h"

namespace jprof {
namespace {

// Takes the place of a thread's slot index while Start checks that the kernel allows the
// breakpoints.
constexpr uint32_t kNoThread = kNoOwner;

// Returns the setting that might be the reason of a refusal, for the text of an Error.
std::string ParanoidText() {
  const Result<std::string> level = ReadFile("/proc/sys/kernel/perf_event_paranoid");
  if (!level) return "";
  return "; kernel.perf_event_paranoid is " + level.value().substr(0, level.value().find('\n'));
}

// A probe passes the number of the recording, times four, plus two bits that say whether the probed
// method begins or ends windows.
constexpr uint32_t kBegins = MethodPattern::kBeginsWindow;
constexpr uint32_t kEnds = MethodPattern::kEndsWindow;
constexpr uint32_t kEdges = kBegins | kEnds;
constexpr uint32_t kNextRecording = kEdges + 1;
constexpr char kLostLibrary[] =
    "warning: no further window: the library of a function that begins or ends windows was "
    "unloaded";
constexpr uint32_t kLargest = 0x7fffffff;  // a Java int

// The number that probes of this recording pass, without the two bits. While no recording runs, it
// is a number that no probe passes. relaxed: the number is stored before the code contains a probe
// that passes it.
std::atomic<uint32_t> g_recording{0};
// True if only one of begin= and end= is given, so that only the first call changes the window.
// relaxed: stored before the code contains a probe of this recording.
std::atomic<bool> g_has_one_edge{false};

// Opens or closes the window. Runs on the calling thread, in the method's entry probe, even long
// after the recording has ended. Returns true if later calls with this number change nothing.
jboolean JNICALL OnCall(JNIEnv*, jclass, jint number) {
  const auto passed = static_cast<uint32_t>(number);
  if ((passed & ~kEdges) != g_recording.load(std::memory_order_relaxed)) return JNI_FALSE;
  SampleWindow& window = Sampling().window;
  switch (passed & kEdges) {
    case kBegins:
      window.Open();
      break;
    case kEnds:
      window.Close();
      break;
    default:
      window.Turn();
  }
  const bool is_last = g_has_one_edge.load(std::memory_order_relaxed) || window.IsOver();
  return is_last ? JNI_TRUE : JNI_FALSE;
}

}  // namespace

Status Breakpoints::Start(const WindowEdges& edges) {
  unloads_ = ReadLoadCounts().unloads;
  // Two breakpoints at one instruction would send two signals for each call.
  const bool is_one = edges.begin == edges.end;
  Status done = AddFunctions(edges.begin, is_one ? kWindowTurns : kWindowBegins);
  if (done && !is_one) done = AddFunctions(edges.end, kWindowEnds);
  if (!done || function_count_ == 0) return done;
  // Sets all breakpoints in this thread for a moment, to find out whether the kernel allows that
  // many in a thread.
  done = Watch(CurrentTid(), kNoThread);
  Unwatch(kNoThread);
  if (!done) {
    return Error("the kernel refuses breakpoints, which show calls of functions: " +
                 done.error().message() + ParanoidText());
  }
  done = ChooseSignal();
  if (!done) return done;
  const std::lock_guard lock(disarm_mutex_);
  registry_.AddListener(this);
  is_watching_ = true;
  return {};
}

Status Breakpoints::AddFunctions(const std::string& name, uint32_t owner) {
  if (!WindowEdges::IsFunction(name)) return {};
  const size_t before = function_count_;
  bool fits = true;
  const LibraryMap loaded = LibraryMap::Snapshot();
  for (const Library& library : loaded.libraries()) {
    for (const uint64_t address : FindFunctions(library, name)) {
      fits = function_count_ < kMostFunctions;
      if (!fits) continue;
      functions_[function_count_++] = {address, owner};
      libraries_.push_back(library);
    }
  }
  if (!fits) return Error("too many functions are called " + name);
  if (function_count_ != before) return {};
  return Error("no library of the process has the function " + name +
               ", or it is stripped: install its debug symbols");
}

bool Breakpoints::HasLostLibrary() {
  const uint64_t unloads = ReadLoadCounts().unloads;
  if (std::exchange(unloads_, unloads) == unloads) return false;
  const LibraryMap loaded = LibraryMap::Snapshot();
  return std::ranges::any_of(libraries_, [&](const Library& library) {
    return std::ranges::find(loaded.libraries(), library) == loaded.libraries().end();
  });
}

Status Breakpoints::Watch(Tid tid, uint32_t slot_index) {
  for (const Function& function : std::span(functions_, function_count_)) {
    Result<PerfEvent> event = PerfEvent::AtInstruction(tid, signal_, function.address);
    if (!event) return event.error();
    if (event.value().fd() >= kMaxOwnedDescriptor) return Error("too many open files");
    if (slot_index != kNoThread) {
      SetDescriptorOwner(event.value().fd(), function.owner);
      event.value().Enable();
    }
    watched_.push_back({slot_index, std::move(event).value()});
  }
  return {};
}

void Breakpoints::Unwatch(uint32_t slot_index) {
  std::erase_if(watched_, [slot_index](const Watched& watched) {
    if (watched.slot_index != slot_index) return false;
    watched.event.Disable();
    ClearDescriptorOwner(watched.event.fd());
    return true;
  });
}

// Tries the last signal of kCpuSignals first, because the cpu engine tries the first signal first.
Status Breakpoints::ChooseSignal() {
  for (auto row = kCpuSignals.rbegin(); row != kCpuSignals.rend(); ++row) {
    if (row->number == avoid_) continue;
    Result<SignalAction> action = SignalAction::Install(row->number, WindowHandler, kEngineSignals);
    if (!action) continue;
    action_ = std::move(action).value();
    signal_ = row->number;
    return {};
  }
  return Error("no signal is free for calls of functions");
}

void Breakpoints::Disarm() {
  const std::lock_guard lock(disarm_mutex_);
  if (std::exchange(is_watching_, false)) registry_.RemoveListener(this);
  while (!watched_.empty()) Unwatch(watched_.back().slot_index);
}

void Breakpoints::Stop() {
  Disarm();
  action_.Uninstall();
}

void Breakpoints::OnThreadStart(ThreadSlot& thread, Observed) {
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  const Status seen = Watch(tid, thread.index);
  if (seen || has_reported_ || !TaskExists(tid)) return;
  has_reported_ = true;
  Log::Warn("calls of functions on thread %d are not seen, others may follow: %s", Value(tid),
            seen.error().message().c_str());
}

void Breakpoints::OnThreadEnd(ThreadSlot& thread, const EndOfThread&) { Unwatch(thread.index); }

bool BreakpointBudget::Covers(uint64_t calls, Nanos now_ns) {
  constexpr Nanos kMost = kBurst * kCallNs;
  left_ns_ = std::min(kMost, left_ns_ + std::max<Nanos>(0, now_ns - seen_ns_));
  const auto more = static_cast<int64_t>(std::min<uint64_t>(calls - seen_calls_, 2 * kBurst));
  left_ns_ -= more * kCallNs;
  seen_ns_ = now_ns;
  seen_calls_ = calls;
  is_spent_ |= left_ns_ < 0;
  return !is_spent_;
}

WindowEngine::WindowEngine(const EngineContext& context, const Options& options)
    : context_(context),
      edges_(options.window),
      installer_(context.jvm_events, context.probes, *this, options.window.methods),
      breakpoints_(context.registry, options.cpu_signal) {}

Status WindowEngine::Install() {
  if (!edges_.methods.empty()) {
    const Status allowed =
        CheckNoArchiveIsRecorded(context_.jvm_events.CurrentJni(), context_.structs);
    if (!allowed) return allowed;
  }
  const uint32_t next = g_recording.load(std::memory_order_relaxed) + kNextRecording;
  g_has_one_edge.store(edges_.begin.empty() || edges_.end.empty(), std::memory_order_relaxed);
  g_recording.store(next & kLargest, std::memory_order_relaxed);
  Sampling().window.Limit();
  Sampling().window_breakpoints.store(0, std::memory_order_relaxed);
  if (edges_.begin.empty()) Sampling().window.Open();
  is_started_ = true;
  const Status watched = breakpoints_.Start(edges_);
  if (!watched) return watched;
  start_ns_ = MonotonicNanos();
  budget_ = BreakpointBudget(start_ns_);
  is_watching_.store(true, std::memory_order_release);
  return InstallProbes();
}

Status WindowEngine::InstallProbes() {
  if (edges_.methods.empty()) return {};
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) return NotAttachedToJvm();
  const Result<const ProbeClass*> probes = ProbeClass::OfProcess(jni);
  if (!probes) return probes.error();
  const Status bound = probes.value()->Bind(jni, OnCall);
  if (!bound) return bound;
  has_probes_ = true;
  return installer_.Install();
}

bool WindowEngine::Stop() {
  if (!std::exchange(is_started_, false)) return true;
  g_recording.fetch_add(kNextRecording, std::memory_order_relaxed);
  is_watching_.store(false, std::memory_order_relaxed);
  breakpoints_.Stop();
  Sampling().window.Close();
  return !std::exchange(has_probes_, false) || installer_.Remove();
}

void WindowEngine::BeforeSamples(OpenChunk& chunk) {
  LookAtBreakpoints();
  if (edges_.methods.empty() || chunk.jni == nullptr) return;
  installer_.ProbeUnannounced(chunk.jni, ProbeInstaller::Look::kIfDue);
}

uint64_t WindowEngine::Forget() {
  LookAtBreakpoints();
  return 0;
}

void WindowEngine::LookAtBreakpoints() {
  if (!is_watching_.load(std::memory_order_acquire)) return;
  const bool is_open = Sampling().window.IsOpen();
  const bool is_settled = edges_.end.empty() ? is_open : edges_.begin.empty() && !is_open;
  const Nanos now_ns = MonotonicNanos();
  const uint64_t calls = Sampling().window_breakpoints.load(std::memory_order_relaxed);
  const bool is_lost = breakpoints_.HasLostLibrary();
  if (!is_settled && !is_lost && budget_.Covers(calls, now_ns)) return;
  if (!is_settled) GiveUpBreakpoints(is_lost ? kLostLibrary : TooManyCalls(now_ns));
  is_watching_.store(false, std::memory_order_relaxed);
  breakpoints_.Disarm();
}

void WindowEngine::GiveUpBreakpoints(std::string note) {
  Sampling().window.CloseForGood();
  const std::lock_guard lock(mutex_);
  given_up_ = std::move(note);
}

std::string WindowEngine::TooManyCalls(Nanos now_ns) const {
  return "warning: no window after the first " + RoundedDurationText(now_ns - start_ns_) +
         ": more than " + std::to_string(BreakpointBudget::kPerSecond) +
         " calls a second began or ended windows, which breakpoints would slow down too much; "
         "choose functions that are called less often, or methods";
}

std::vector<std::string> WindowEngine::TakeNotes() {
  std::vector<std::string> notes = installer_.TakeNotes();
  const std::lock_guard lock(mutex_);
  if (given_up_) notes.push_back(*std::exchange(given_up_, std::nullopt));
  return notes;
}

std::string WindowEngine::Description() const {
  std::string text = "only";
  if (!edges_.begin.empty()) text += " from calls of " + edges_.begin + " on";
  if (!edges_.end.empty()) text += " up to calls of " + edges_.end;
  return text;
}

// Adds the functions and methods of begin= and end= to the settings of the event that reports the
// number of windows.
void WindowEngine::AddSettings(EventSettings& settings) const {
  if (!edges_.begin.empty()) settings.Set(JfrType::kCounter, "begin", edges_.begin);
  if (!edges_.end.empty()) settings.Set(JfrType::kCounter, "end", edges_.end);
}

instrument::ProbeTarget WindowEngine::ProbedBy(bool) const {
  return {
      .class_name = ProbeClass::kName, .entry = {"window", "(I)J"}, .exit = {}, .exception = {}};
}

std::optional<uint32_t> WindowEngine::NumberFor(JNIEnv*, TracedMethod method) {
  return g_recording.load(std::memory_order_relaxed) | method.window_edges;
}

}  // namespace jprof

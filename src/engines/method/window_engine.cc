#include "engines/method/window_engine.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/scaled_text.h"
#include "engines/method/retransformation.h"
#include "jfr/format/jfr_types.h"
#include "jvm/jvm_errors.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

// A probe passes the recording's number above two bits for the edges of its method.
constexpr uint32_t kBegins = MethodPattern::kBeginsWindow;
constexpr uint32_t kEnds = MethodPattern::kEndsWindow;
constexpr uint32_t kEdges = kBegins | kEnds;
constexpr uint32_t kNextRecording = kEdges + 1;
constexpr char kLostLibrary[] =
    "warning: no further window: the library of a function that begins or ends windows was "
    "unloaded";
constexpr uint32_t kLargest = 0x7fffffff;  // a Java int

// The number that probes of this recording pass, or of the last one while none runs. relaxed: set
// before the first probe that passes it.
std::atomic<uint32_t> g_recording{0};
// True if only begin= or only end= is given: the first call is the last that changes anything.
// relaxed: as g_recording.
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

// Adds the names to the settings of the event that has the number of windows.
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

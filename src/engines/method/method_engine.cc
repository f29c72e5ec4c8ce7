#include "engines/method/method_engine.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "chunks/context_fields.h"
#include "chunks/sample_events.h"
#include "engines/method/call_report.h"
#include "engines/method/method_sampling.h"
#include "engines/method/retransformation.h"
#include "jfr/writer/jfr_events.h"
#include "jvm/callback_thread.h"
#include "jvm/jvm_errors.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

// Set when the engine starts. relaxed: the values are stored before a probe can be called.
std::atomic<SampledClasses*> g_classes{nullptr};  // object that lives as long as the process
std::atomic<jvmtiEnv*> g_jvmti{nullptr};
std::atomic<const CallbackThread*> g_callback_thread{nullptr};

// Samples a slow call. Runs in a probe, on the thread whose call has ended, even long after the
// recording has ended.
void JNICALL OnSlowCall(JNIEnv* jni, jclass, jint number, jlong start_ns, jlong duration_ns,
                        jthrowable thrown) {
  const ErrnoSaver saver;
  MethodPayload payload{static_cast<uint32_t>(number), start_ns, thrown != nullptr, 0};
  if (thrown != nullptr) {
    payload.thrown_class =
        g_classes.load(std::memory_order_relaxed)
            ->NumberOf(g_jvmti.load(std::memory_order_relaxed), jni, jni->GetObjectClass(thrown));
  }
  // TakeSample takes no sample with a weight of 0.
  const auto weight = static_cast<uint64_t>(std::max<jlong>(duration_ns, 1));
  const auto sp = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const EndedCall call(start_ns, weight, sp);
  const auto caller = Subject::Reported(
      CallbackThread::IdOfCaller(g_callback_thread.load(std::memory_order_relaxed),
                                 g_jvmti.load(std::memory_order_relaxed), jni));
  TakeSample(caller, ThreadOfCall(call), MethodSampling(weight, payload, call));
}

// Writes a loss, which stands for slow calls that could not be recorded. Only the sum of the
// durations of these calls is known. HeldCalls writes the calls that were recorded.
void Write(const ResolvedSample& resolved, const SampleSettings&, JfrWriter& writer) {
  MethodTrace event;
  event.time_ns = resolved.sample.time_ns;
  event.duration_ns = static_cast<int64_t>(resolved.sample.weight);
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  writer.Append(event);
}

uint64_t Count(uint64_t, const SampleSettings&) { return 1; }

}  // namespace

void HeldCalls::Outermost::Add(const Outermost& inner) {
  Add(inner.call);
  for (const Call& each : inner.inside) Add(each);
  if (inner.innermost) AddOther(*inner.innermost);
  counted += inner.counted;
}

void HeldCalls::Outermost::Add(const Call& inner) {
  const auto duration = [](const Call& each) { return each.event.duration_ns; };
  inside.insert(std::ranges::upper_bound(inside, duration(inner), std::ranges::greater(), duration),
                inner);
  if (inside.size() <= kMostInside) return;
  AddOther(inside.back());
  inside.pop_back();
}

void HeldCalls::Outermost::AddOther(const Call& inner) {
  if (!innermost) {
    innermost = inner;
    return;
  }
  if (inner.end_ns() < innermost->end_ns()) innermost = inner;
  ++counted;
}

void HeldCalls::Hold(const ResolvedSample& resolved) {
  const auto payload = resolved.sample.Payload<MethodPayload>();
  Outermost last;
  last.call.event.time_ns = payload.start_ns;
  last.call.event.duration_ns = static_cast<int64_t>(resolved.sample.weight);
  last.call.event.thread_key = resolved.thread_key;
  last.call.event.stack_key = resolved.stack_key;
  last.call.event.is_exception = payload.is_exception;
  last.call.event.thrown_key = resolved.classes.KeyOf(payload.thrown_class);
  last.call.number = payload.number;
  last.call.trace = resolved.sample.trace;
  last.call.context = resolved.sample.context;

  std::deque<Outermost>& calls = open_[{resolved.thread_key, payload.number}];
  // The samples of a virtual thread are stored with its carriers, which are drained one after
  // another. So the sample of an outer call can come before the sample of an inner call.
  if (!calls.empty() && calls.back().call.IsAround(last.call)) {
    held_ -= calls.back().written();
    std::swap(calls.back(), last);
    held_ += calls.back().written();
  }
  while (!calls.empty() && last.call.IsAround(calls.back().call)) {
    held_ -= calls.back().written();
    last.Add(calls.back());
    calls.pop_back();
  }
  held_ += last.written();
  calls.push_back(std::move(last));
  if (calls.size() <= kMostOpen) return;
  ended_.push_back(std::move(calls.front()));
  calls.pop_front();
}

void HeldCalls::EndAll() {
  for (auto& [key, calls] : open_) std::ranges::move(calls, std::back_inserter(ended_));
  open_.clear();
}

void HeldCalls::Write(OpenChunk& open) {
  if (open.is_last || held_ > kMostHeld) EndAll();
  const auto write = [&](Call call, uint64_t nested_calls) {
    call.event.method_key = MethodKey(call.number, open.writer.pools());
    call.event.nested_calls = nested_calls;
    open.writer.SetTrailing(open.contexts.ValuesOf(call.trace, call.context));
    open.writer.Append(call.event);
    open.writer.SetTrailing({});
  };
  for (const Outermost& outermost : ended_) {
    write(outermost.call, outermost.counted);
    for (const Call& call : outermost.inside) write(call, 0);
    if (outermost.innermost) write(*outermost.innermost, 0);
    held_ -= outermost.written();
  }
  ended_.clear();
}

uint64_t HeldCalls::Forget() {
  open_.clear();
  ended_.clear();
  return std::exchange(held_, 0);
}

Result<std::unique_ptr<Engine>> MakeMethodEngine(const Options& options,
                                                 const EngineContext& context) {
  const Status allowed = CheckNoArchiveIsRecorded(context.jvm_events.CurrentJni(), context.structs);
  if (!allowed) return allowed.error();
  EngineRequest request = RequestOf(options, SampleKind::kMethod);
  request.filter.clear();  // calls are counted and recorded on all threads
  return std::unique_ptr<Engine>(
      std::make_unique<MethodEngine>(context, std::move(request), options.traced));
}

MethodEngine::MethodEngine(const EngineContext& context, EngineRequest request,
                           std::vector<MethodPattern> patterns)
    : context_(context),
      request_(std::move(request)),
      text_(TextOf(patterns)),
      installer_(context.jvm_events, context.probes, *this, std::move(patterns)) {}

Status MethodEngine::Install() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) {
    return NotAttachedToJvm();
  }
  const Status begun = Begin(jni);
  if (!begun) Stop();
  return begun;
}

Status MethodEngine::Begin(JNIEnv* jni) {
  const Result<const ProbeClass*> probes = ProbeClass::OfProcess(jni);
  if (!probes) return probes.error();
  target_ = probes.value();
  g_classes.store(&context_.classes, std::memory_order_relaxed);
  g_jvmti.store(context_.jvm_events.jvmti(), std::memory_order_relaxed);
  g_callback_thread.store(CallbackThread::OfProcess(context_.jvm_events.jvmti(), jni),
                          std::memory_order_relaxed);
  const Status bound = target_->Bind(jni, OnSlowCall);
  if (!bound) return bound;
  const Status open = probes.value()->Open(jni, TracedMethods::OfProcess().Begin());
  if (!open) return open;
  {
    const std::lock_guard lock(mutex_);
    probes_ = probes.value();
  }
  Sampling().SetInterval(SampleKind::kMethod, request_.samples.interval);
  return installer_.Install();
}

instrument::ProbeTarget MethodEngine::ProbedBy(bool is_counted) const {
  instrument::ProbeTarget target{.class_name = ProbeClass::kName};
  if (!is_counted) return target;
  target.entry.name = "count";
  target.exit = {};
  target.exception.name = "countException";
  return target;
}

std::optional<uint32_t> MethodEngine::NumberFor(JNIEnv* jni, TracedMethod method) {
  const Nanos threshold_ns = method.is_counted ? ProbeClass::kCounted : method.slow_from_ns;
  const std::optional<uint32_t> number = TracedMethods::OfProcess().NumberOf(std::move(method));
  if (!number || !target_->SetThreshold(jni, *number, threshold_ns)) return std::nullopt;
  return number;
}

void MethodEngine::SetProbed(uint32_t number, bool is_probed) {
  TracedMethods::OfProcess().SetProbed(number, is_probed);
}

bool MethodEngine::Stop() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  const bool may_go = installer_.Remove();
  const std::lock_guard lock(mutex_);
  if (probes_ == nullptr) return may_go;
  if (jni != nullptr) {
    ReadCounts(jni);
    probes_->Close(jni);
  }
  probes_ = nullptr;
  is_summary_due_ = true;
  Sampling().SetInterval(SampleKind::kMethod, 0);
  return may_go;
}

std::string MethodEngine::Description() const { return "calls of " + text_; }

std::vector<std::string> MethodEngine::TakeNotes() {
  std::vector<std::string> notes = installer_.TakeNotes();
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_summary_due_, false)) return notes;
  std::vector<std::string> summary = CallSummary(rows_, uncounted_);
  summary.insert(summary.end(), notes.begin(), notes.end());
  return summary;
}

std::optional<Result<Engine::CommandAnswer>> MethodEngine::CarryOut(Command command, JNIEnv* jni) {
  if (command != Command::kListMethods) return std::nullopt;
  installer_.ProbeUnannounced(jni, ProbeInstaller::Look::kBeforeAnswer);
  const std::lock_guard lock(mutex_);
  ReadCounts(jni);
  return CommandAnswer{.methods = CallsOf(rows_)};
}

void MethodEngine::AddSettings(EventSettings& settings) const {
  AddRequest(request_, JfrType::kMethodTrace, settings);
  settings.Set(JfrType::kMethodTrace, "methods", text_);
  settings.Enable(JfrType::kMethodTiming);
  settings.Enable(JfrType::kMethodLatency);
  settings.Enable(JfrType::kMethodCount);
}

// Reads the counts of all methods. If the counts of one method cannot be read, keeps the counts of
// the last reading for all methods.
void MethodEngine::ReadCounts(JNIEnv* jni) {
  if (probes_ == nullptr || jni == nullptr) return;
  std::vector<CountedMethod> rows;
  for (const uint32_t number : TracedMethods::OfProcess().Probed()) {
    Result<MethodCounts> counts = probes_->Read(jni, number);
    if (!counts) {
      Log::Warn("%s", counts.error().message().c_str());
      return;
    }
    rows.push_back({number, std::move(counts).value()});
  }
  rows_ = std::move(rows);
  uncounted_ = probes_->Uncounted(jni);
}

void MethodEngine::BeforeSamples(OpenChunk& chunk) {
  if (chunk.jni == nullptr) return;
  installer_.ProbeUnannounced(chunk.jni, ProbeInstaller::Look::kIfDue);
}

bool MethodEngine::HoldBack(const ResolvedSample& resolved) {
  if (resolved.lost) return false;
  held_.Hold(resolved);
  return true;
}

void MethodEngine::BeforeLastDrain(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  ReadCounts(jni);
}

void MethodEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  const std::lock_guard lock(mutex_);
  WriteCalls(rows_, now_ns, writer);
}

extern const SampleEvents kMethodSampleEvents{Write, Count};

}  // namespace jprof

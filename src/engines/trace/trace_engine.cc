#include "engines/trace/trace_engine.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "base/duration_text.h"
#include "base/log.h"
#include "engines/trace/method_key.h"
#include "engines/trace/method_sampling.h"
#include "recording/jfr/jfr_events.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

constexpr size_t kMostInSummary = 20;

// relaxed: written before the first probe can be called.
std::atomic<uint64_t> g_slow_frame{0};
std::atomic<uint64_t> g_end_frame{0};
std::atomic<SampledClasses*> g_classes{nullptr};  // which lives as long as the process
std::atomic<jvmtiEnv*> g_jvmti{nullptr};

// In a probe, on the thread whose call has ended; perhaps long after the recording has.
void JNICALL OnSlowCall(JNIEnv* jni, jclass, jint number, jlong start_ns, jlong duration_ns,
                        jthrowable thrown) {
  const ErrnoSaver saver;
  MethodPayload payload{static_cast<uint32_t>(number), start_ns, thrown != nullptr, 0};
  if (thrown != nullptr) {
    payload.thrown_class =
        g_classes.load(std::memory_order_relaxed)
            ->NumberOf(g_jvmti.load(std::memory_order_relaxed), jni, jni->GetObjectClass(thrown));
  }
  const ProbeFrames frames{g_slow_frame.load(std::memory_order_relaxed),
                           g_end_frame.load(std::memory_order_relaxed)};
  // A weight of 0 is no sample.
  const auto weight = static_cast<uint64_t>(std::max<jlong>(duration_ns, 1));
  TakeSample(MethodSampling(weight, payload, frames), CallingThread());
}

std::string TextOf(const std::vector<MethodPattern>& patterns) {
  std::string text;
  for (const MethodPattern& pattern : patterns) text += (text.empty() ? "" : "+") + pattern.text;
  return text;
}

}  // namespace

Result<std::unique_ptr<Engine>> MakeTraceEngine(const Options& options,
                                                const EngineContext& context) {
  EngineRequest request = RequestOf(options, SampleKind::kMethod);
  request.filter.clear();  // calls are counted and recorded on all threads
  return std::unique_ptr<Engine>(
      std::make_unique<TraceEngine>(context, std::move(request), options.traced));
}

TraceEngine::TraceEngine(const EngineContext& context, EngineRequest request,
                         std::vector<MethodPattern> patterns)
    : context_(context),
      request_(std::move(request)),
      text_(TextOf(patterns)),
      installer_(context.jvm_events, *this, std::move(patterns)) {}

Status TraceEngine::Start() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) {
    return Error("methods cannot be traced: this thread is not attached to the JVM");
  }
  const Status begun = Begin(jni);
  if (!begun) Stop();
  return begun;
}

Status TraceEngine::Begin(JNIEnv* jni) {
  const Result<const ProbeClass*> probes = ProbeClass::OfProcess(jni);
  if (!probes) return probes.error();
  target_ = probes.value();
  g_classes.store(&context_.classes, std::memory_order_relaxed);
  g_jvmti.store(context_.jvm_events.jvmti(), std::memory_order_relaxed);
  const Status bound = target_->Bind(jni, OnSlowCall);
  if (!bound) return bound;
  const Status open = probes.value()->Open(jni, TracedMethods::OfProcess().Begin());
  if (!open) return open;
  g_slow_frame.store(probes.value()->slow_frame(), std::memory_order_relaxed);
  g_end_frame.store(probes.value()->end_frame(), std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    probes_ = probes.value();
  }
  Sampling().SetInterval(SampleKind::kMethod, request_.samples.interval);
  return installer_.Install(jni);
}

std::optional<uint32_t> TraceEngine::NumberFor(JNIEnv* jni, TracedMethod method) {
  const Nanos threshold_ns = method.slow_from_ns;
  const std::optional<uint32_t> number = TracedMethods::OfProcess().NumberOf(std::move(method));
  if (!number || !target_->SetThreshold(jni, *number, threshold_ns)) return std::nullopt;
  return number;
}

void TraceEngine::SetProbed(uint32_t number, bool is_probed) {
  TracedMethods::OfProcess().SetProbed(number, is_probed);
}

bool TraceEngine::Stop() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  const bool may_go = jni == nullptr || installer_.Remove(jni);
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

std::string TraceEngine::Description() const { return "calls of " + text_; }

std::vector<std::string> TraceEngine::TakeNotes() {
  std::vector<std::string> notes = installer_.TakeNotes();
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_summary_due_, false)) return notes;
  std::vector<std::string> summary = Summary();
  summary.insert(summary.end(), notes.begin(), notes.end());
  return summary;
}

// Those that took the most time.
std::vector<std::string> TraceEngine::Summary() const {
  std::vector<const Row*> called;
  for (const Row& row : rows_) {
    if (row.counts.durations.calls() != 0) called.push_back(&row);
  }
  std::ranges::sort(called, std::greater<>(), [](const Row* row) { return row->counts.total_ns; });
  std::vector<std::string> lines;
  for (const Row* row : called) {
    const auto method = TracedMethods::OfProcess().Find(row->number);
    if (method == nullptr || lines.size() == kMostInSummary) break;
    const MethodCounts& counts = row->counts;
    lines.push_back(method->Text() + ": " + std::to_string(counts.durations.calls()) + " calls, " +
                    std::to_string(counts.exceptions) + " ended by an exception, p50 " +
                    RoundedDurationText(counts.Quantile(0.5)) + ", p99 " +
                    RoundedDurationText(counts.Quantile(0.99)) + ", p99.9 " +
                    RoundedDurationText(counts.Quantile(0.999)) + ", max " +
                    RoundedDurationText(counts.longest_ns));
  }
  if (called.size() > lines.size()) {
    lines.push_back("and " + std::to_string(called.size() - lines.size()) +
                    " methods that took less time: profiler.MethodLatency in the recording");
  }
  const size_t silent = rows_.size() - called.size();
  if (silent != 0) lines.push_back(std::to_string(silent) + " traced methods were not called");
  if (uncounted_ != 0) {
    lines.push_back("warning: at least " + std::to_string(uncounted_) +
                    " calls are not counted: their thread's stack, or the heap, was full");
  }
  return lines;
}

std::string TraceEngine::MethodTable(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  ReadCounts(jni);
  std::string table;
  for (const Row& row : rows_) {
    const auto method = TracedMethods::OfProcess().Find(row.number);
    if (method == nullptr) continue;
    const MethodCounts& counts = row.counts;
    for (const int64_t value :
         {static_cast<int64_t>(counts.durations.calls()), static_cast<int64_t>(counts.exceptions),
          counts.total_ns, counts.Quantile(0.5), counts.Quantile(0.99), counts.longest_ns}) {
      table += std::to_string(value) + ' ';
    }
    table += method->Text() + '\n';
  }
  return table;
}

void TraceEngine::AddSettings(EventSettings& settings) const {
  AddRequest(request_, JfrType::kMethodTrace, settings);
  settings.Set(JfrType::kMethodTrace, "methods", text_);
  settings.Enable(JfrType::kMethodExit);
  settings.Enable(JfrType::kMethodTiming);
  settings.Enable(JfrType::kMethodLatency);
}

// What cannot be read now is as it was at the last reading.
void TraceEngine::ReadCounts(JNIEnv* jni) {
  if (probes_ == nullptr) return;
  std::vector<Row> rows;
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

void TraceEngine::BeforeLastDrain(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  ReadCounts(jni);
}

// Of all calls since the start, in each chunk: readers of jdk.MethodTiming take the last ones.
void TraceEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  const std::lock_guard lock(mutex_);
  for (const Row& row : rows_) {
    const uint32_t method_key = MethodKey(row.number, writer.pools());
    if (method_key == 0) continue;
    const MethodCounts& counts = row.counts;
    const auto calls = static_cast<int64_t>(counts.durations.calls());
    MethodTiming timing;
    timing.time_ns = now_ns;
    timing.method_key = method_key;
    timing.invocations = calls;
    timing.minimum_ns = counts.shortest_ns;
    timing.average_ns = calls == 0 ? 0 : counts.total_ns / calls;
    timing.maximum_ns = counts.longest_ns;
    writer.Append(timing);
    if (calls == 0) continue;
    const std::string histogram = counts.durations.Text();
    MethodLatency latency;
    latency.time_ns = now_ns;
    latency.method_key = method_key;
    latency.calls = counts.durations.calls();
    latency.exceptions = counts.exceptions;
    latency.total_ns = counts.total_ns;
    latency.p50_ns = counts.Quantile(0.5);
    latency.p90_ns = counts.Quantile(0.9);
    latency.p99_ns = counts.Quantile(0.99);
    latency.p999_ns = counts.Quantile(0.999);
    latency.maximum_ns = counts.longest_ns;
    latency.histogram = histogram;
    writer.Append(latency);
  }
}

}  // namespace jprof
